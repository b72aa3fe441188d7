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
	open             int // where the opening tag starts
	start, end       int // of the content
	shut             int // where the closing tag ends
	items            int // passages inside
	lineStart        bool
}

// tagScanner finds XML-like elements that hold passages.
type tagScanner struct {
	pairs [maxTags]tagPair
	count int
	stack [maxOpenTags]int // pairs without a closing tag
	depth int
	runs  [maxBlocks / 2]tagRun

	hidden   string // the element whose content is an example, "" outside
	lastShut [4]int // the last closing tag of each hidden element; 0: not searched, -1: none
}

// scan finds the elements of s and returns where passages are.
func (t *tagScanner) scan(s string) []tagRun {
	t.hidden = ""
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "<`")
		if next < 0 {
			break
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
		case isHidden(name):
			t.hide(s, name, closing, i)
		case t.hidden != "":
		case closing:
			t.shut(s, name, i, i+after)
		default:
			t.open(tagPair{name: name, attributes: attributes, open: i, start: i + after, lineStart: startsLine(s, i)})
		}
		i += after
	}
	return t.passageRuns(s)
}

// tagRun is a run of elements that hold passages, with nothing but blanks between them. An empty line ends it unless the
// same kind of passages goes on.
type tagRun struct {
	start, end int
	name       string // of the last element
}

// passageRuns are the runs of the elements that hold passages.
func (t *tagScanner) passageRuns(s string) []tagRun {
	n := 0
	for i := range t.count {
		p := &t.pairs[i]
		switch {
		case !t.holdsPassages(s, p):
		case n > 0 && p.open < t.runs[n-1].end:
		case n > 0 && t.runs[n-1].goesOn(s, p):
			t.runs[n-1].end, t.runs[n-1].name = p.shut, p.name
		case n < len(t.runs):
			t.runs[n] = tagRun{p.open, p.shut, p.name}
			n++
		}
	}
	return t.runs[:n]
}

func (r *tagRun) goesOn(s string, p *tagPair) bool {
	gap := s[r.end:p.open]
	return strings.TrimSpace(gap) == "" && (strings.Count(gap, "\n") < 2 || strings.EqualFold(p.name, r.name) && !isListTag(p.name))
}

// hiddenTags are the elements whose content is not a passage.
func hiddenTags() [4]string { return [...]string{"example", "examples", "few_shot", "instructions"} }

func isHidden(name string) bool {
	return equalsAny(name, "example", "examples", "few_shot", "instructions")
}

// hide reads a tag of a hidden element at the place i.
func (t *tagScanner) hide(s, name string, closing bool, i int) {
	switch {
	case closing && strings.EqualFold(t.hidden, name):
		t.hidden = ""
	case !closing && t.hidden == "" && t.closesLater(s, name, i):
		t.hidden = name
	}
}

// closesLater reports whether a closing tag of the hidden element follows the place i. Each name is searched once.
func (t *tagScanner) closesLater(s, name string, i int) bool {
	for k, hidden := range hiddenTags() {
		if !strings.EqualFold(hidden, name) {
			continue
		}
		if t.lastShut[k] == 0 {
			t.lastShut[k] = strings.LastIndex(s, "</"+name+">")
		}
		return t.lastShut[k] > i
	}
	return false
}

func startsLine(s string, i int) bool {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
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

// parseTag reads the tag at the start of s. name is empty if there is none of a name that matters.
func parseTag(s string) (name string, closing bool, attributes string, size int) {
	i := 1
	if closing = strings.HasPrefix(s, "</"); closing {
		i++
	}
	end := i
	for end < len(s) && end-i < maxTagName && inTagName(s[end]) {
		end++
	}
	if name = s[i:end]; !isItem(name) && !isListTag(name) && !isInnerTag(name) && !isHidden(name) {
		return "", false, "", 0
	}
	shut := strings.IndexByte(s[end:min(len(s), maxTag)], '>')
	if shut < 0 || strings.HasSuffix(s[:end+shut], "/") {
		return "", false, "", 0
	}
	if attributes = s[end : end+shut]; !areAttributes(attributes) {
		return "", false, "", 0
	}
	return name, closing, attributes, end + shut + 1
}

func inTagName(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= '0' && b <= '9' || b == '-'
}

func areAttributes(s string) bool {
	return (s == "" || strings.IndexByte(" \n=", s[0]) >= 0) && !strings.Contains(s, "<")
}

func (t *tagScanner) open(p tagPair) {
	if t.count == maxTags || t.depth == maxOpenTags {
		return
	}
	t.pairs[t.count] = p
	t.stack[t.depth] = t.count
	t.count++
	t.depth++
}

// shut closes the innermost open element of the name. Unclosed elements inside it are ignored.
func (t *tagScanner) shut(s, name string, at, after int) {
	for d := t.depth - 1; d >= 0; d-- {
		p := &t.pairs[t.stack[d]]
		if !strings.EqualFold(p.name, name) {
			continue
		}
		p.end, p.shut = at, after
		t.depth = d
		if isItem(p.name) && t.isPassage(s, p) {
			for outer := range d {
				t.pairs[t.stack[outer]].items++
			}
		}
		return
	}
}

// isItem reports the name of an element that holds one passage; "document_1" and "doc1" are numbered ones.
func isItem(name string) bool {
	if isItemTag(name) {
		return true
	}
	trimmed := strings.TrimRight(name, "0123456789")
	return len(trimmed) < len(name) && isItemTag(strings.TrimRight(trimmed, "_-"))
}

func (t *tagScanner) isPassage(s string, p *tagPair) bool {
	return p.shut > 0 && (p.lineStart || p.end-p.start >= minInline) && !isPlaceholder(strings.TrimSpace(s[p.start:p.end]))
}

// holdsPassages reports an element that is one passage or a list of them. HTML knows article, source and item too, so these
// count only within a list.
func (t *tagScanner) holdsPassages(s string, p *tagPair) bool {
	if isInnerTag(p.name) || !t.isPassage(s, p) {
		return false
	}
	return isItem(p.name) && !equalsAny(p.name, "article", "source", "item", "result") || isListTag(p.name)
}

// addPassages adds the passages of the elements between start and end.
func (t *tagScanner) addPassages(c *collector, s string, start, end int) {
	listEnd, skipTo := 0, start // ends of the present list and of the last passage
	for i := range t.count {
		p := &t.pairs[i]
		if p.open < skipTo || p.shut > end || isInnerTag(p.name) || !t.isPassage(s, p) {
			continue
		}
		inList := p.open < listEnd
		switch {
		case p.items > 0 && isListTag(p.name) && !t.hasTextChild(i):
			listEnd = max(listEnd, p.shut)
		case isItem(p.name) && (inList || t.holdsPassages(s, p)), isListTag(p.name):
			t.addPassage(c, s, i)
			skipTo = p.shut
		}
	}
}

// hasTextChild reports an element whose text is in an element of its own.
func (t *tagScanner) hasTextChild(at int) bool {
	return t.child(at, "document_content", "document_contents", "content") >= 0
}

// child is the first element within the element at, but not within a passage of it, of one of the names; -1 for none.
func (t *tagScanner) child(at int, names ...string) int {
	const nearest = 6 // elements of one passage
	inner := 0        // the end of a passage within it
	for i := at + 1; i < min(t.count, at+nearest) && t.pairs[i].open < t.pairs[at].end; i++ {
		switch p := &t.pairs[i]; {
		case p.shut == 0 || p.open < inner:
		case equalsAny(p.name, names...):
			return i
		case p.items > 0 || isItem(p.name) && t.pairs[at].items > 1:
			inner = p.shut
		}
	}
	return -1
}

func (t *tagScanner) addPassage(c *collector, s string, at int) {
	p := &t.pairs[at]
	id := attributeID(p.attributes)
	if id == "" {
		id = trailingNumber(p.name)
	}
	text := s[p.start:p.end]
	if inner := t.child(at, "document_content", "document_contents", "content"); inner >= 0 {
		text = s[t.pairs[inner].start:t.pairs[inner].end]
		if label := t.child(at, "id", "source", "title", "name"); id == "" && label >= 0 {
			id = strings.TrimSpace(s[t.pairs[label].start:t.pairs[label].end])
		}
	}
	if id == "" && isListTag(p.name) {
		c.addContent(text)
		return
	}
	c.add(id, text)
}
