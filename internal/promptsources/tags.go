package promptsources

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxTag      = 300 // bytes with attributes
	maxOpenTags = 16  // unclosed at a time
	minInline   = 40  // bytes of a passage whose tag does not start a line
)

// tagPair is an element of a message: an opening tag with its closing tag.
type tagPair struct {
	name, id               string
	kind                   kind
	open, start, end, shut int // its tags and its content; shut is 0 without a closing tag
	lineStart              bool
}

// tagScanner finds XML-like elements that hold passages.
type tagScanner struct {
	text  string
	pairs []tagPair
	stack []int // pairs without a closing tag
}

// scanTags finds the elements of a text outside of code.
func scanTags(s string) tagScanner {
	t := tagScanner{text: s}
	last := strings.LastIndex(s, "</")
	for i := 0; i <= last; {
		next := strings.IndexAny(s[i:], "<`")
		if next < 0 {
			break
		}
		if i += next; s[i] == '`' {
			i = skipFence(s, i)
			continue
		}
		p, closing := parseTag(s, i)
		switch {
		case p.name == "":
			i++
			continue
		case closing:
			t.shut(p.name, i, p.start)
		case len(t.pairs) < maxTags && len(t.stack) < maxOpenTags:
			t.stack = append(t.stack, len(t.pairs))
			t.pairs = append(t.pairs, p)
		}
		i = p.start
	}
	return t
}

// skipFence returns the end of the code at i, which starts with a backtick.
func skipFence(s string, i int) int {
	const fence = "```"
	if !strings.HasPrefix(s[i:], fence) {
		return i + 1
	}
	if end := strings.Index(s[i+len(fence):], fence); end >= 0 {
		return i + 2*len(fence) + end
	}
	return len(s)
}

// parseTag reads the tag at the place. Its name is empty if there is none that may hold a passage.
func parseTag(s string, at int) (p tagPair, closing bool) {
	whole, _, found := strings.Cut(s[at+1:min(len(s), at+maxTag)], ">")
	inner, closing := strings.CutPrefix(whole, "/")
	attributes := strings.TrimLeftFunc(inner, inName)
	name := inner[:len(inner)-len(attributes)]
	if !found || len(name) < 2 || name[0] <= '9' || isIn("markup", name) {
		return p, false
	}
	p = tagPair{name: name, open: at, start: at + len(whole) + 2}
	if closing {
		return p, true
	}
	line := startOfLine(s, at)
	p.lineStart = line == 0 || s[line-1] == '\n' || s[line-1] == '>'
	base := strings.TrimRight(name, "0123456789")
	p.id = cmp.Or(attributeID(attributes), name[len(base):])
	p.kind = tagKind(strings.TrimRight(base, "_-"), p.id)
	if p.kind == other && p.id != "" && strings.Trim(p.id, "0123456789") == "" { // numbered ones are passages
		p.kind = source
	}
	return p, false
}

// inName reports a character of the name of a tag.
func inName(r rune) bool { return r >= utf8.RuneSelf || r == '_' || inWord(byte(r)) }

// tagKind classifies the name of an element. HTML knows article and source, too, so these only count with an id or by their text.
func tagKind(name, id string) kind {
	switch {
	case isIn("hidden", name):
		return rules
	case equalsAny(name, "article", "source", "item", "result", "section"):
		if id == "" {
			return other
		}
		return source
	case equalsAny(name, "doc", "kb", "catalog", "terms", "retrieved", "tool_response", "tool_result", "function_result", "observation"):
		return source
	}
	return kindOf(strings.NewReplacer("_", " ", "-", " ").Replace(name))
}

// attributeID is the value of the attribute that names a passage.
func attributeID(attributes string) string {
	if value, bare := strings.CutPrefix(attributes, "="); bare { // <doc=1>
		return strings.Trim(value, `"' `)
	}
	found := attribute.FindAllStringSubmatch(attributes, -1)
	for _, name := range [...]string{"id", "index", "number", "n", "num", "doc_id", "title", "name", "source"} {
		for _, m := range found {
			if m[1] == name {
				return m[2] + m[3] + m[4]
			}
		}
	}
	return ""
}

// attribute is an attribute with its name and its value, in quotes or bare.
var attribute = regexp.MustCompile(`[ \n](\w+) *= *(?:"([^"]*)|'([^']*)|([^"' ][^ ]*))`)

// shut closes the innermost open element of the name. Unclosed elements inside it are ignored.
func (t *tagScanner) shut(name string, end, after int) {
	for d, at := range slices.Backward(t.stack) {
		if p := &t.pairs[at]; strings.EqualFold(p.name, name) {
			p.end, p.shut, t.stack = end, after, t.stack[:d]
			return
		}
	}
}

// runs are the runs of elements that hold passages, with nothing but blanks between them, and the elements of the question. An
// empty line ends a run unless items of the same name go on.
func (t *tagScanner) runs(asked bool) (list []section) {
	after := 0
	for i := range t.pairs {
		p := &t.pairs[i]
		if p.shut == 0 || p.open < after || !t.counts(i, asked) {
			continue
		}
		after = p.shut
		switch last := len(list) - 1; {
		case p.kind == rules, p.kind == answer, last+1 == maxSections/2: // nothing inside is a passage
		case p.kind == question:
			list = append(list, section{at: p.open, start: p.start, end: p.end, after: p.shut, kind: question, header: p.name, delimited: true})
		case last >= 0 && list[last].tagged && t.goesOn(&list[last], p):
			list[last].end, list[last].after, list[last].header = p.shut, p.shut, p.name
		default:
			list = append(list, section{at: p.open, start: p.open, end: p.shut, after: p.shut, kind: source, header: p.name, tagged: true, delimited: true})
		}
	}
	return list
}

func (t *tagScanner) goesOn(s *section, p *tagPair) bool {
	gap := t.text[s.end:p.open] // a template has one element for all passages
	container := isIn("container", p.name)
	return strings.TrimSpace(gap) == "" && (strings.Count(gap, "\n") < 2 || strings.EqualFold(p.name, s.header) && !container)
}

// counts reports an element that is a part of the prompt: the question, instructions, one passage or a list of them.
func (t *tagScanner) counts(at int, asked bool) bool {
	p := &t.pairs[at]
	text := strings.TrimSpace(t.text[p.start:p.end])
	switch {
	case p.kind == rules, p.kind == answer:
		return true
	case p.kind == question:
		return p.lineStart
	case isPlaceholder(text), !p.lineStart && len(text) < minInline, isName(text) && !strings.ContainsAny(text, "0123456789") && !hasWide(text):
		return false
	case p.kind == source || !p.lineStart:
		return p.kind == source
	}
	children, same, _ := t.children(at)
	f := readFeatures(text)
	return f.evidence(asked, true, p.id != "" || same && len(children) > 1)
}

// children are the closed elements directly within one, whether all have the same name, and whether they hold nearly all of its
// text.
func (t *tagScanner) children(at int) (list []int, same, all bool) {
	p := &t.pairs[at]
	after, outside := p.start, 0
	same = true
	for i := at + 1; i < len(t.pairs) && t.pairs[i].open < p.end; i++ {
		if c := &t.pairs[i]; c.shut > 0 && c.open >= after {
			outside += len(strings.TrimSpace(t.text[after:c.open]))
			list, after = append(list, i), c.shut
			first := t.pairs[list[0]].name
			same = same && strings.EqualFold(strings.TrimRight(c.name, "0123456789"), strings.TrimRight(first, "0123456789"))
		}
	}
	outside += len(strings.TrimSpace(t.text[after:p.end]))
	return list, same, len(list) > 0 && outside*5 <= p.end-p.start
}

// addPassages adds the passages of the elements between start and end.
func (t *tagScanner) addPassages(c *collector, start, end int) {
	for i := range t.pairs {
		if p := &t.pairs[i]; p.shut > 0 && p.open >= start && p.shut <= end {
			t.addElement(c, i, false)
			start = p.shut
		}
	}
}

// addElement adds the passages of one element: of a list its elements, of a record its longest part, else the whole.
func (t *tagScanner) addElement(c *collector, at int, listed bool) {
	p := &t.pairs[at]
	id, text := p.id, t.text[p.start:p.end]
	if children, same, all := t.children(at); all {
		longest, label, long := t.readRecord(children)
		if same && !t.isOnlyText(children) || long > 1 && !listed {
			for _, i := range children {
				t.addElement(c, i, true)
			}
			return
		}
		text = cmp.Or(longest, text)
		if label != text {
			id = cmp.Or(id, label)
		}
	}
	if id == "" && !listed {
		c.addContent(text)
		return
	}
	c.add(id, text)
}

// isOnlyText reports an element in which another has its text.
func (t *tagScanner) isOnlyText(children []int) bool {
	first := &t.pairs[children[0]]
	return len(children) == 1 && first.id == "" && isIn("text", first.name) && !equalsAny(first.name, "document", "chunk", "passage")
}

// readRecord reads the elements of a record: the longest text, the first one that names it, and how many hold a sentence.
func (t *tagScanner) readRecord(children []int) (longest, label string, long int) {
	for _, i := range children {
		p := &t.pairs[i]
		text := strings.TrimSpace(t.text[p.start:p.end])
		if len(text) >= minInline {
			long++
		}
		if len(text) > len(longest) {
			longest = text
		}
		if label == "" && equalsAny(p.name, "id", "source", "title", "name") {
			label = text
		}
	}
	return longest, label, long
}
