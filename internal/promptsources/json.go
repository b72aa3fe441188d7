package promptsources

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
)

const maxNesting = 3 // objects in which a list of results is searched

// addJSON adds the records and texts of JSON, one value or several objects behind each other, and reports whether s is JSON.
func (c *collector) addJSON(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	if json.Valid([]byte(s)) {
		c.addValue(s, 0)
		return true
	}
	var values []string // on lines
	for d := json.NewDecoder(strings.NewReader(s)); d.More(); {
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return false
		}
		end := int(d.InputOffset())
		values = append(values, s[end-len(v):end])
	}
	if slices.ContainsFunc(values, func(v string) bool { return v[0] != '{' }) {
		return false
	}
	for _, v := range values {
		c.addElement(v)
	}
	return true
}

// splitSources replaces each source that is JSON around passages, such as a tool's list of results, by these. Markers keep their
// meaning: beside other sources a passage has the id of its source, or its position.
func splitSources(in *schemas.Interaction) {
	if !slices.ContainsFunc(in.Sources, func(s schemas.Source) bool { return beginsJSON(s.Text) || strings.HasPrefix(s.Text, "(") }) {
		return
	}
	var split []schemas.Source
	changed := false
	for i, s := range in.Sources {
		if len(in.Sources) > 1 {
			s.ID = cmp.Or(s.ID, strconv.Itoa(i+1))
		}
		found := passagesOf(strings.TrimSpace(s.Text))
		if len(found) == 0 {
			split = append(split, s)
			continue
		}
		for _, p := range found {
			if len(in.Sources) > 1 {
				p.ID = s.ID
			}
			p.URI, p.Title, p.Score = cmp.Or(p.URI, s.URI), cmp.Or(p.Title, s.Title), s.Score
			split, changed = append(split, p), true
		}
	}
	if changed {
		in.Sources = split[:min(len(split), recordformat.MaxSources)]
	}
}

// passagesOf are the passages in JSON, or in what Python prints; none where one is a record.
func passagesOf(text string) []schemas.Source {
	if printed.MatchString(text) && !json.Valid([]byte(text)) {
		text, _ = fromLiteral(text)
	}
	if !beginsJSON(text) || !namesPassages(text) {
		return nil
	}
	found := collector{in: new(schemas.Interaction)}
	if !found.addJSON(text) || slices.ContainsFunc(found.in.Sources, func(p schemas.Source) bool { return beginsJSON(p.Text) }) {
		return nil
	}
	return found.in.Sources
}

// namesPassages reports JSON that may hold passages: a list of texts, or a member with the name of one. It is cheap for records.
func namesPassages(s string) bool {
	if strings.Contains(s, `["`) {
		return true
	}
	for name := range stems().lists["text"] {
		if strings.Contains(s, `"`+name+`"`) {
			return true
		}
	}
	return false
}

func beginsJSON(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[')
}

// printed is how lists of texts and objects begin that Python printed, and some that are JSON.
var printed = regexp.MustCompile(`^[\[(]\s*(?:['"]|\{\s*'|\pL\w*\()`)

// addValue adds a list's elements, the elements of an object's list of results, or the whole value.
func (c *collector) addValue(s string, nesting int) {
	switch {
	case s[0] == '[' && isListOfTexts(s):
		eachValue(s, func(_, v string, _ int) bool { c.addElement(v); return true })
	case s[0] == '[':
		c.add("", s)
	case !c.addResults(s, nesting):
		c.addElement(s)
	}
}

// addResults adds the list of results that an object wraps, and what stands around it, and reports whether there is one.
func (c *collector) addResults(s string, nesting int) (found bool) {
	eachValue(s, func(name, value string, at int) bool {
		list := value[0] == '[' && isListOfTexts(value)
		nested := value[0] == '{' && nesting < maxNesting
		if !isResults(name) || !list && !nested {
			return true
		}
		found = true
		if c.addValue(value, nesting+1); strings.Contains(s[:at], ",") { // other members first
			c.add("", strings.TrimLeft(s[:at], "{ \n\t"))
		}
		c.add("", strings.Trim(s[at+len(value):], "},] \n\t"))
		return false
	})
	return found
}

// isResults reports the name of a list of results.
func isResults(name string) bool { return classOf(name) == 's' || isIn("results", name) }

// addElement adds one result: the text of an object with an id, a string, or the whole value as a record.
func (c *collector) addElement(s string) {
	if s[0] == '"' {
		c.add("", unquote(s))
		return
	}
	var e element
	if s[0] == '{' {
		if e = readElement(s); e.text != "" && !e.record {
			if e.title != "" {
				e.text = e.title + "\n" + e.text
			}
			c.addSource(schemas.Source{ID: e.id, Text: e.text, URI: e.uri, Title: e.title})
			return
		}
	}
	c.add(e.id, s)
}

// element is one result of a tool.
type element struct {
	id, title, text, uri string
	record               bool // it has members that are neither text nor known metadata
}

func readElement(s string) (e element) {
	named := "" // an id in a member that may hold another name
	eachValue(s, func(name, value string, _ int) bool {
		switch {
		case isIn("id", name):
			if strings.IndexByte("{[n", value[0]) < 0 { // null
				e.id = cmp.Or(e.id, unquote(value))
			}
		case isIn("named", name) && headID.FindString(unquote(value)) == unquote(value):
			named = cmp.Or(named, unquote(value))
		case isIn("metadata", name):
		case value[0] != '"':
			e.record = true
		case isIn("text", name):
			e.record = e.record || e.text != ""
			e.text = unquote(value)
		case isIn("title", name):
			e.title = unquote(value)
		case isIn("url", name):
			e.uri = unquote(value)
		default:
			e.record = true
		}
		return true
	})
	e.id = cmp.Or(e.id, named)
	return e
}

// isListOfTexts reports a list that has elements, all of them objects or strings.
func isListOfTexts(s string) bool {
	found, others := false, false
	eachValue(s, func(_, v string, _ int) bool {
		found = true
		others = v[0] != '{' && v[0] != '"'
		return !others
	})
	return found && !others
}

// unquote returns the text of a JSON string, or another value as it is written.
func unquote(s string) string {
	if s[0] != '"' {
		return s
	}
	text := s[1 : len(s)-1]
	if strings.Contains(text, `\`) && json.Unmarshal([]byte(s), &text) != nil {
		return s
	}
	return text
}

// eachValue calls yield for the members of a valid object or the elements of a valid list until it returns false. at is the place
// of the value.
func eachValue(s string, yield func(name, value string, at int) bool) {
	d := json.NewDecoder(strings.NewReader(s))
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		if s[0] == '{' {
			name, err = d.Token()
		}
		var v json.RawMessage
		if err == nil {
			err = d.Decode(&v)
		}
		text, _ := name.(string)
		if end := int(d.InputOffset()); err != nil || !yield(text, s[end-len(v):end], end-len(v)) {
			return
		}
	}
}

// jsonEnd is the end of the list or object of JSON at the place, behind blanks, and of objects on lines behind it; 0 for none.
// failed says that it begins like JSON and is not.
func jsonEnd(text string, at int) (end int, failed bool) {
	s := strings.TrimLeft(text[at:], " \t\r\n")
	list := strings.TrimLeft(strings.TrimPrefix(s, "["), " \t\r\n")
	object := strings.TrimLeft(strings.TrimPrefix(list, "{"), " \t\r\n")
	if len(list) == len(s) && len(object) == len(s) || !strings.HasPrefix(object, `"`) {
		return 0, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return 0, true
	}
	end = int(d.InputOffset())
	for s[0] == '{' && strings.HasPrefix(strings.TrimLeft(s[end:], " \t\r\n"), "{") && d.Decode(&value) == nil {
		end = int(d.InputOffset())
	}
	return len(text) - len(s) + end, false
}
