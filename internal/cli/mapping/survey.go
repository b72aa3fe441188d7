package mapping

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// Bounds of a survey.
const (
	maxDepth  = 12
	maxPlaces = 4000
	maxItems  = 64   // of a list, and members of an object
	maxText   = 4096 // bytes of a text that are looked at
)

// step is one step into a record. Exactly one of name, item and text is set.
type step struct {
	name string // of a member
	item bool   // any item of a list
	is   string // with item: only those whose member has a value, as member=value
	text bool   // the JSON within a text
}

func (s step) key() string {
	switch {
	case s.text:
		return "!"
	case s.item:
		return "*" + s.is
	}
	return "/" + s.name
}

// place is one path over all records: list items share one.
type place struct {
	steps   []step
	texts   map[int][]string // texts, and numbers as they are written, by record
	objects int              // values that are objects
	lists   int              // values that are lists
}

// survey lists the places of records.
type survey struct {
	records []any
	places  map[string]*place
	order   []*place
}

func newSurvey(records [][]byte) *survey {
	s := &survey{places: map[string]*place{}}
	for _, raw := range records {
		v, ok := parse(raw)
		if !ok {
			continue
		}
		s.records = append(s.records, v)
		s.visit(v, nil, 0)
	}
	return s
}

// parse reads one JSON value; false for other bytes.
func parse(raw []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	ok = d.Decode(&v) == nil && !d.More() // "[1] A passage" is no list
	return v, ok
}

// at returns the place of a path; nil where there are too many.
func (s *survey) at(path []step) *place {
	var key strings.Builder
	for _, st := range path {
		key.WriteString(st.key())
	}
	p := s.places[key.String()]
	if p == nil && len(s.order) < maxPlaces {
		p = &place{steps: slices.Clone(path), texts: map[int][]string{}}
		s.places[key.String()] = p
		s.order = append(s.order, p)
	}
	return p
}

func (s *survey) visit(v any, path []step, depth int) {
	p := s.at(path)
	if p == nil || depth > maxDepth {
		return
	}
	record := len(s.records) - 1
	switch v := v.(type) {
	case json.Number:
		p.texts[record] = append(p.texts[record], v.String())
	case string:
		begin, _ := text.Cut(v, maxText)
		p.texts[record] = append(p.texts[record], begin)
		if inner, ok := innerJSON(v); ok {
			s.visit(inner, append(path, step{text: true}), depth+1)
		}
	case []any:
		p.lists++
		s.items(v[:min(len(v), maxItems)], path, depth+1)
	case map[string]any:
		p.objects++
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i < maxItems && isNameable(name) {
				s.visit(v[name], append(path, step{name: name}), depth+1)
			}
		}
	}
}

func (s *survey) items(list []any, path []step, depth int) {
	for _, item := range list {
		s.visit(item, append(path, step{item: true}), depth)
		if is := kindOf(item); is != "" {
			s.visit(item, append(path, step{item: true, is: is}), depth)
		}
	}
}

// isNameable reports whether a map can name a member.
func isNameable(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return r == '|' || r != ' ' && (!unicode.IsGraphic(r) || unicode.IsSpace(r)) })
}

// innerJSON is the object or list in a text.
func innerJSON(text string) (v any, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	return parse([]byte(text))
}

// kindValue is a value that says what an item of a list is.
var kindValue = regexp.MustCompile(`^[\pN_.-]{0,39}\pL[\pL\pN_.-]{0,39}$`)

// kindOf says what an item of a list is, as member=value, by the first of the usual members; "" for others.
func kindOf(item any) string {
	o, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	for _, name := range kindNames {
		if v, ok := o[name].(string); ok && kindValue.MatchString(v) {
			return name + "=" + v
		}
	}
	return ""
}

// find returns the first value at a path in a record; nil for none.
func find(v any, path []step) any {
	for _, st := range path {
		switch inner := v.(type) {
		case string:
			v, _ = innerJSON(inner)
		case map[string]any:
			v = inner[st.name]
		case []any:
			v = nil
			for _, item := range inner {
				if st.is == "" || kindOf(item) == st.is {
					v = item
				}
			}
		default:
			return nil
		}
	}
	return v
}
