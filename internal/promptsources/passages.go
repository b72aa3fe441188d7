package promptsources

import "strings"

// Sizes of passages that are made of a text without marks.
const (
	maxParagraphs = 32    // of one block; shorter ones are joined
	minParagraph  = 120   // bytes
	maxParagraph  = 8_000 // bytes
	minListed     = 40    // bytes of a passage of a plain numbered list, on average
	maxMarker     = 80    // bytes
)

// split adds the passages of a block: numbered ones, ones between rules, else its paragraphs. open says that
// instructions may follow the last passage.
func (c *collector) split(s string, open bool) {
	s = strings.TrimSpace(s)
	if first, at, ok := firstMarker(s); ok && c.addNumbered(s[at:], first, open) {
		return
	}
	if c.addPairs(s) || c.addBetweenRules(s) {
		return
	}
	c.addParagraphs(s)
}

// firstMarker finds the marker of the first passage, at the start or after one line of introduction.
func firstMarker(s string) (m marker, at int, ok bool) {
	line, next := lineAt(s, 0)
	if m, ok = parseMarker(line); ok {
		return m, 0, true
	}
	if !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return m, 0, false
	}
	for next < len(s) {
		at = next
		if line, next = lineAt(s, at); strings.TrimSpace(line) != "" {
			m, ok = parseMarker(line)
			return m, at, ok
		}
	}
	return m, 0, false
}

// addNumbered adds the passages after markers of the first one's kind in ascending order. It reports false if the list is
// not clearly one of passages.
func (c *collector) addNumbered(s string, first marker, open bool) bool {
	if first.style == plainMarker {
		if n := countMarked(s, first); n < 2 || len(s)/n < minListed {
			return false
		}
	}
	start, present, several := first.rest, first, false
	blanks := false // a passage before the last has an empty line inside
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if m, ok := parseMarker(line); ok && i > 0 && m.follows(present) {
			blanks = blanks || strings.Contains(strings.TrimSpace(s[start:i]), "\n\n")
			c.add(present.id, s[start:i])
			present, start, several = m, i+m.rest, true
		}
		i = next
	}
	last := strings.TrimSpace(s[start:])
	if open && several && !blanks {
		last, _, _ = strings.Cut(last, "\n\n")
	}
	if open {
		last = cutInstructions(last)
	}
	c.add(present.id, last)
	return true
}

func countMarked(s string, first marker) (n int) {
	present := first
	n = 1
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if m, ok := parseMarker(line); ok && i > 0 && m.follows(present) {
			present = m
			n++
		}
		i = next
	}
	return n
}

// addPairs adds passages of the form "Content: …", each with an optional line "Source: …" that names it.
func (c *collector) addPairs(s string) bool {
	const content, source = "Content:", "Source:"
	if !strings.HasPrefix(s, content) {
		return false
	}
	for s != "" {
		next := strings.Index(s[len(content):], "\n"+content)
		item := s
		if next >= 0 {
			item, s = s[:len(content)+next], s[len(content)+next+1:]
		} else {
			s = ""
		}
		item, id := item[len(content):], ""
		if at := strings.LastIndex(item, "\n"+source); at >= 0 {
			id = strings.TrimSpace(item[at+1+len(source):])
			item = item[:at]
		}
		c.add(id, item)
	}
	return true
}

// addBetweenRules adds the passages that lines such as "---" separate.
func (c *collector) addBetweenRules(s string) bool {
	start, found := 0, false
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if isRule(strings.TrimSpace(line)) {
			if i > 0 {
				found = true
			}
			c.addParagraphsIf(found, s[start:i])
			start = next
		}
		i = next
	}
	c.addParagraphsIf(found, s[start:])
	return found
}

func (c *collector) addParagraphsIf(found bool, s string) {
	if !found {
		return
	}
	if first, at, ok := firstMarker(strings.TrimSpace(s)); ok && first.style != plainMarker {
		s = strings.TrimSpace(s)
		c.add(first.id, s[at+first.rest:])
		return
	}
	c.add("", s)
}

// addParagraphs adds the paragraphs of a text; short ones go with the next.
func (c *collector) addParagraphs(s string) {
	s = strings.TrimSpace(s)
	least := max(minParagraph, len(s)/maxParagraphs)
	start := 0
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if i-start >= least && strings.TrimSpace(line) == "" && len(s)-next >= minParagraph/2 {
			c.addLong(s[start:i])
			start = next
		}
		i = next
	}
	c.addLong(s[start:])
}

// addLong adds a text in pieces that detectors read whole.
func (c *collector) addLong(s string) {
	for len(s) > maxParagraph {
		cut := strings.LastIndexByte(s[:maxParagraph], '\n')
		if cut < maxParagraph/2 {
			cut = strings.LastIndex(s[:maxParagraph], ". ")
		}
		if cut < maxParagraph/2 {
			break
		}
		c.add("", s[:cut+1])
		s = s[cut+1:]
	}
	c.add("", s)
}

// lineAt is the line at i without its end, and where the next one starts.
func lineAt(s string, i int) (line string, next int) {
	end := strings.IndexByte(s[i:], '\n')
	if end < 0 {
		return s[i:], len(s)
	}
	return strings.TrimSuffix(s[i:i+end], "\r"), i + end + 1
}

// cutInstructions cuts lines from the end of a text that address the model.
func cutInstructions(s string) string {
	for {
		s = strings.TrimSpace(s)
		at := strings.LastIndexByte(s, '\n')
		if at < 0 || !isInstruction(s[at+1:]) {
			return s
		}
		s = s[:at]
	}
}

// skipInstructions skips first paragraphs that address the model.
func skipInstructions(s string) string {
	for {
		line, _ := lineAt(s, 0)
		if !isInstruction(line) {
			return s
		}
		_, s, _ = strings.Cut(s, "\n\n")
		s = strings.TrimSpace(s)
	}
}

// isInstruction reports a line that tells the model what to do with the passages.
func isInstruction(line string) bool {
	first, rest := nextWord(line)
	if !equalsAny(first, "if", "do", "don", "always", "never", "answer", "respond", "reply", "please", "given", "based", "in", "use", "using",
		"remember", "keep", "cite", "provide", "only", "when", "you", "your", "note", "say") {
		return false
	}
	for range 40 {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return false
		}
		if classOf(word) == passageNoun || equalsAny(word, "answer", "question", "respond", "reply", "know", "answers", "questions", "query") {
			return true
		}
	}
	return false
}

// Styles of markers.
const (
	noMarker      = iota
	bracketMarker // [1], 【1】
	wordMarker    // Document 1:
	plainMarker   // 1.
)

// marker is what stands before a numbered passage.
type marker struct {
	style  int
	prefix string // what stands before the number
	id     string
	number int
	rest   int // where the passage starts in the line
}

// follows reports the marker of the next passage.
func (m marker) follows(previous marker) bool {
	return m.style == previous.style && m.number == previous.number+1 && strings.EqualFold(m.prefix, previous.prefix)
}

// parseMarker reads the marker at the start of a line.
func parseMarker(line string) (m marker, ok bool) {
	at := len(line) - len(strings.TrimLeft(line, " \t#*>-"))
	head := line[at:min(len(line), at+maxMarker)]
	if head == "" {
		return m, false
	}
	switch {
	case head[0] == '[':
		m, ok = bracketed(head, "[", "]")
	case head[0] == '(':
		if m, ok = bracketed(head, "(", ")"); m.prefix != "" {
			return marker{}, false
		}
	case strings.HasPrefix(head, "【"):
		m, ok = bracketed(head, "【", "】")
	case head[0] >= '0' && head[0] <= '9':
		m, ok = listed(head)
	default:
		m, ok = worded(head, len(line) == at+len(head))
	}
	if !ok {
		return marker{}, false
	}
	m.rest += at
	rest := line[m.rest:]
	m.rest += len(rest) - len(strings.TrimLeft(rest, " \t*:"))
	return m, true
}

// bracketed reads [1], [doc1], [Source 2: title].
func bracketed(s, open, shut string) (m marker, ok bool) {
	end := strings.Index(s, shut)
	if end < 0 {
		return m, false
	}
	inner := s[len(open):end]
	label, _, _ := strings.Cut(inner, ":")
	digits := trailingNumber(label)
	number, fine := parseNumber(digits)
	m = marker{style: bracketMarker, prefix: label[:len(label)-len(digits)], id: label, number: number, rest: end + len(shut)}
	if strings.ContainsAny(m.prefix, " ") {
		m.id = digits
	}
	next := s[m.rest:]
	isLink := strings.HasPrefix(next, "(") || strings.HasPrefix(next, "[")
	return m, fine && !isLink && len(m.prefix) <= 12 && !strings.ContainsAny(m.prefix, "0123456789.,/-")
}

// listed reads 1. and 1).
func listed(s string) (m marker, ok bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	number, fine := parseNumber(s[:end])
	if !fine || end+1 >= len(s) || s[end] != '.' && s[end] != ')' || s[end+1] != ' ' {
		return m, false
	}
	return marker{style: plainMarker, prefix: s[end : end+1], id: s[:end], number: number, rest: end + 1}, true
}

// worded reads Document 1:, Source 2 (title):, Doc [3] - title, 文档1：. whole says that s is the whole line.
func worded(s string, whole bool) (m marker, ok bool) {
	at := strings.IndexAny(s, "0123456789")
	if at < 0 {
		return m, false
	}
	prefix := strings.TrimRight(s[:at], " #[(.:")
	if !isPassageWord(prefix) {
		return m, false
	}
	end := at
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	number, fine := parseNumber(s[at:end])
	rest := strings.TrimLeft(s[end:], "])* ")
	m = marker{style: wordMarker, prefix: prefix, id: s[at:end], number: number}
	switch colon := strings.IndexAny(rest, ":："); {
	case !fine:
		return m, false
	case rest == "" && whole:
		m.rest = len(s)
	case rest == "":
		return m, false
	case rest[0] == '(' || rest[0] == '[' || rest[0] == '-' || strings.HasPrefix(rest, "–"): // a title
		if colon < 0 && !whole {
			return m, false
		}
		if colon < 0 {
			colon = len(rest)
		}
		m.rest = len(s) - len(rest) + colon
	case colon != 0:
		return m, false
	default:
		m.rest = len(s) - len(rest)
	}
	if strings.HasPrefix(s[m.rest:], "：") {
		m.rest += len("：")
	}
	return m, true
}

func isPassageWord(s string) bool {
	return equalsAny(s, "document", "doc", "passage", "source", "chunk", "excerpt", "context", "snippet", "result", "search result", "reference",
		"article", "extract", "text", "quelle", "dokument", "auszug", "fuente", "documento", "fragmento", "extrait", "pasaje", "文档", "资料", "来源",
		"文献", "文書", "资料来源", "retrieved document", "retrieved passage", "evidence", "página", "fonte", "Документ", "Источник")
}

func parseNumber(digits string) (n int, ok bool) {
	const longest = 4
	if digits == "" || len(digits) > longest {
		return 0, false
	}
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n, true
}
