package promptsources

import "strings"

const (
	maxTagName  = 40  // bytes
	maxTag      = 300 // bytes with attributes
	maxOpenTags = 16  // unclosed at a time
	minInline   = 40  // bytes of a passage whose tag does not start a line
)

// tagPair is an element of a message: an opening tag with its closing tag.
type tagPair struct {
	name, attributes string
	kind             kind
	open             int // where the opening tag starts
	start, end       int // of the content
	shut             int // where the closing tag ends
	lineStart        bool
}

// tagScanner finds XML-like elements that hold passages.
type tagScanner struct {
	text  string
	pairs []tagPair
	stack [maxOpenTags]int // pairs without a closing tag
	depth int
}

// scanTags finds the elements of a text outside of code; nil for a text without closing tags.
func scanTags(s string) *tagScanner {
	if !strings.Contains(s, "</") {
		return nil
	}
	t := &tagScanner{text: s}
	t.scan(s)
	return t
}

func (t *tagScanner) scan(s string) {
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "<`")
		if next < 0 {
			return
		}
		i += next
		if s[i] == '`' {
			i = skipFence(s, i)
			continue
		}
		name, closing, attributes, after := parseTag(s[i:])
		switch {
		case name == "":
			i++
			continue
		case closing:
			t.shut(name, i, i+after)
		case len(t.pairs) < maxTags && t.depth < maxOpenTags:
			t.pairs = append(t.pairs, tagPair{
				name: name, kind: tagKind(name, attributes), attributes: attributes, open: i, start: i + after, lineStart: startsLine(s, i),
			})
			t.stack[t.depth] = len(t.pairs) - 1
			t.depth++
		}
		i += after
	}
}

// tagKind classifies the name of an element. HTML knows article, source and section, too, so these only count in a list or by
// their text.
func tagKind(name, attributes string) kind {
	name = strings.TrimRight(name, "0123456789_-")
	switch {
	case equalsAny(name, "html", "head", "body", "svg", "script", "style", "nav", "footer"):
		return rules
	case equalsAny(name, "article", "source", "item", "result", "section") && attributeID(attributes) != "":
		return source
	case equalsAny(name, "article", "source", "item", "result", "section", "title", "name", "id", "url", "content"):
		return other
	case equalsAny(name, "doc", "kb", "item", "base", "catalog", "terms", "retrieved"):
		return source
	}
	return kindOf(strings.NewReplacer("_", " ", "-", " ").Replace(name))
}

func startsLine(s string, i int) bool {
	i = startOfLine(s, i)
	return i == 0 || s[i-1] == '\n' || s[i-1] == '>'
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

// parseTag reads the tag at the start of s. name is empty if there is none that may hold a passage.
func parseTag(s string) (name string, closing bool, attributes string, size int) {
	i := 1
	if closing = strings.HasPrefix(s, "</"); closing {
		i++
	}
	end := i
	for end < len(s) && end-i < maxTagName && inTagName(s[end]) {
		end++
	}
	if name = s[i:end]; len(name) < 2 || name[0] <= '9' || name[0] == '-' || isMarkup(name) {
		return "", false, "", 0
	}
	shut := strings.IndexByte(s[end:min(len(s), maxTag)], '>')
	if shut < 0 || strings.HasSuffix(s[:end+shut], "/") {
		return "", false, "", 0
	}
	if attributes = s[end : end+shut]; attributes != "" && strings.IndexByte(" \n=", attributes[0]) < 0 || strings.Contains(attributes, "<") {
		return "", false, "", 0
	}
	return name, closing, attributes, end + shut + 1
}

func inTagName(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= '0' && b <= '9' || b == '-' || b >= 0x80
}

// isMarkup reports the names of HTML within a text.
func isMarkup(name string) bool {
	return equalsAny(name, "div", "span", "br", "hr", "em", "strong", "ul", "ol", "li", "table", "thead", "tbody", "tr", "td", "th", "h1", "h2", "h3", "h4",
		"code", "pre", "img", "main", "header", "sup", "sub", "blockquote")
}

// shut closes the innermost open element of the name. Unclosed elements inside it are ignored.
func (t *tagScanner) shut(name string, at, after int) {
	for d := t.depth - 1; d >= 0; d-- {
		if p := &t.pairs[t.stack[d]]; strings.EqualFold(p.name, name) {
			p.end, p.shut = at, after
			t.depth = d
			return
		}
	}
}

// runs yields the runs of elements that hold passages, with nothing but blanks between them. An empty line ends a run unless
// items of the same name go on. Elements of the question are runs of their own.
func (t *tagScanner) runs(asked bool) (list []section) {
	if t == nil {
		return nil
	}
	after := 0
	for i := range t.pairs {
		p := &t.pairs[i]
		if p.shut == 0 || p.open < after {
			continue
		}
		k := p.kind
		if k == question && !p.lineStart {
			k = other
		}
		if k == rules || k == answer {
			after = p.shut
			continue
		}
		if k != question && !t.holdsPassages(i, asked) {
			continue
		}
		after = p.shut
		s := section{at: p.open, start: p.open, end: p.shut, kind: source, tagged: true, delimited: true, header: p.name}
		if k == question {
			s.kind, s.start, s.end, s.tagged = question, p.start, p.end, false
		} else if last := len(list) - 1; last >= 0 && list[last].tagged && t.goesOn(&list[last], p) {
			list[last].end, list[last].header = p.shut, p.name
			continue
		}
		if list = append(list, s); len(list) == maxSections/2 {
			break
		}
	}
	return list
}

func (t *tagScanner) goesOn(s *section, p *tagPair) bool {
	gap := t.text[s.end:p.open]
	return strings.TrimSpace(gap) == "" && (strings.Count(gap, "\n") < 2 || strings.EqualFold(p.name, s.header) && !isContainer(p.name))
}

// isContainer reports the name of an element that holds all of the passages, of which a template has one.
func isContainer(name string) bool {
	return equalsAny(name, "context", "documents", "sources", "passages", "kb", "knowledge", "data", "results")
}

// holdsPassages reports an element that is one passage or a list of them.
func (t *tagScanner) holdsPassages(at int, asked bool) bool {
	p := &t.pairs[at]
	text := strings.TrimSpace(t.text[p.start:p.end])
	if isPlaceholder(text) || !p.lineStart && p.end-p.start < minInline {
		return false
	}
	if p.kind == source {
		return true
	}
	if len(p.name) < 2 || !p.lineStart || p.kind != other {
		return false
	}
	children, same := t.children(at)
	f := readFeatures(text)
	listed := len(children) > 1 && same || attributeID(p.attributes) != ""
	return f.evidence(asked, true, listed) && (asked || !f.addressed())
}

// children are the closed elements directly within one, and whether all have the same name.
func (t *tagScanner) children(at int) (list []int, same bool) {
	const most = MaxPassages
	p := &t.pairs[at]
	same = true
	after := p.start
	for i := at + 1; i < len(t.pairs) && t.pairs[i].open < p.end && len(list) < most; i++ {
		if c := &t.pairs[i]; c.shut > 0 && c.open >= after {
			list, after = append(list, i), c.shut
			same = same && sameName(c.name, t.pairs[list[0]].name)
		}
	}
	return list, same
}

func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789"))
}

// addPassages adds the passages of the elements between start and end.
func (t *tagScanner) addPassages(c *collector, start, end int) {
	after := start
	for i := range t.pairs {
		if p := &t.pairs[i]; p.shut > 0 && p.open >= after && p.shut <= end {
			t.addElement(c, i, false)
			after = p.shut
		}
	}
}

// addElement adds the passages of one element: of a list its elements, of a record its text, else the whole.
func (t *tagScanner) addElement(c *collector, at int, listed bool) {
	const most = 8 // parts of a record; what holds more is a text with markup
	p := &t.pairs[at]
	children, same := t.children(at)
	id := attributeID(p.attributes)
	if id == "" {
		id = trailingNumber(p.name)
	}
	long, longest := 0, -1
	for _, i := range children {
		if size := t.pairs[i].end - t.pairs[i].start; size >= minInline {
			long++
		}
		if longest < 0 || t.pairs[i].end-t.pairs[i].start > t.pairs[longest].end-t.pairs[longest].start {
			longest = i
		}
	}
	text := t.text[p.start:p.end]
	switch covered := t.covered(at, children); {
	case len(children) == 0 || !covered:
	case same && (len(children) > 1 || isItemOf(&t.pairs[children[0]])) || long > 1 && !listed:
		for _, i := range children {
			t.addElement(c, i, true)
		}
		return
	case len(children) <= most:
		text = t.text[t.pairs[longest].start:t.pairs[longest].end]
		if id == "" {
			id = t.label(children, longest)
		}
	}
	if id == "" && !listed {
		c.addContent(text)
		return
	}
	c.add(id, text)
}

// isItemOf reports an only child that is an item of a list, not the text of a record.
func isItemOf(p *tagPair) bool {
	return !equalsAny(p.name, "text", "content", "document_content", "document_contents", "page_content", "body")
}

// covered reports children that hold nearly all of an element's text.
func (t *tagScanner) covered(at int, children []int) bool {
	p := &t.pairs[at]
	after, outside := p.start, 0
	for _, i := range children {
		outside += len(strings.TrimSpace(t.text[after:t.pairs[i].open]))
		after = t.pairs[i].shut
	}
	outside += len(strings.TrimSpace(t.text[after:p.end]))
	return outside*5 <= p.end-p.start
}

// label is the text of the part of a record that names it.
func (t *tagScanner) label(children []int, text int) string {
	for _, name := range [...]string{"id", "source", "title", "name"} {
		for _, i := range children {
			if p := &t.pairs[i]; i != text && strings.EqualFold(p.name, name) {
				return strings.TrimSpace(t.text[p.start:p.end])
			}
		}
	}
	return ""
}

// attributeID is the value of the attribute that names a passage.
func attributeID(attributes string) string {
	for _, name := range [...]string{"id", "index", "number", "n", "num", "doc_id", "title", "name", "source"} {
		if v := attributeValue(attributes, name); v != "" {
			return v
		}
	}
	attributes = strings.TrimSpace(attributes)
	if strings.HasPrefix(attributes, "=") { // <doc=1>
		return strings.Trim(attributes[1:], `"' `)
	}
	return ""
}

func attributeValue(attributes, name string) string {
	for rest := attributes; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			return ""
		}
		value := strings.TrimLeft(rest[at+len(name):], " ")
		whole := at == 0 || rest[at-1] == ' ' || rest[at-1] == '\n'
		if rest = rest[at+len(name):]; !whole || !strings.HasPrefix(value, "=") {
			continue
		}
		value = strings.TrimLeft(value[1:], " ")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			inner, _, _ := strings.Cut(value[1:], value[:1])
			return inner
		}
		value, _, _ = strings.Cut(value, " ")
		return value
	}
}

// trailingNumber is the number at the end of a name, "" for none.
func trailingNumber(s string) string { return s[len(strings.TrimRight(s, "0123456789")):] }
