package promptsources

import (
	"strconv"
	"strings"
)

// Styles of markers.
const (
	bracketMarker = iota // [1], (1), 【1】
	wordMarker           // Document 1:
	plainMarker          // 1.
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
	const longest = 80
	at := len(line) - len(strings.TrimLeft(line, " \t#*>-="))
	head := line[at:min(len(line), at+longest)]
	switch {
	case head == "":
	case head[0] == '[':
		m, ok = bracketed(head, "[", "]")
	case head[0] == '(':
		m, ok = bracketed(head, "(", ")")
		ok = ok && m.prefix == ""
	case strings.HasPrefix(head, "【"):
		m, ok = bracketed(head, "【", "】")
	default:
		m, ok = worded(head, len(line) == at+len(head))
	}
	rest := line[min(len(line), at+m.rest):]
	m.rest += at + len(rest) - len(strings.TrimLeft(rest, " \t*:："))
	return m, ok
}

// bracketed reads [1], [doc1], [Source 2: title].
func bracketed(s, open, shut string) (m marker, ok bool) {
	end := strings.Index(s, shut)
	if end < 0 {
		return m, false
	}
	label, _, _ := strings.Cut(s[len(open):end], ":")
	prefix := strings.TrimRight(label, "0123456789")
	m = marker{style: bracketMarker, prefix: prefix, id: label, rest: end + len(shut)}
	m.number, ok = parseNumber(label[len(prefix):])
	if strings.Contains(prefix, " ") {
		m.id = label[len(prefix):]
	}
	isLink := strings.HasPrefix(s[m.rest:], "(") || strings.HasPrefix(s[m.rest:], "[")
	return m, ok && !isLink && len(prefix) <= 12 && !strings.ContainsAny(prefix, "0123456789.,/-")
}

// worded reads 1. and 1), Document 1:, Source 2 (title):, Doc [3] - title, 文档1：. whole says that s is the whole line.
func worded(s string, whole bool) (m marker, ok bool) {
	at := strings.IndexAny(s, "0123456789")
	if at < 0 {
		return m, false
	}
	end := len(s) - len(strings.TrimLeft(s[at:], "0123456789"))
	m = marker{style: wordMarker, prefix: strings.TrimRight(s[:at], " #[(."), id: s[at:end]}
	m.number, ok = parseNumber(m.id)
	if at == 0 {
		m.rest = min(len(s), end+1)
		m.style, m.prefix = plainMarker, s[end:m.rest]
		return m, ok && strings.Trim(m.prefix, ".)") == "" && strings.HasPrefix(s[m.rest:], " ")
	}
	if !ok || !isPassageWord(m.prefix) {
		return m, false
	}
	rest := strings.TrimLeft(strings.TrimRight(s[end:], "=-"), "])* ")
	title := strings.IndexAny(rest, "([-–") == 0
	colon, _ := colonAt(rest)
	m.rest = len(strings.TrimRight(s, "=-")) - len(rest) + max(colon, 0)
	if rest == "" || title && colon < 0 { // nothing but the marker
		m.rest = len(s)
		return m, whole
	}
	return m, title || colon == 0
}

// isPassageWord reports what stands before the number of a passage: the words of a header, or one for the parts of a list.
func isPassageWord(s string) bool {
	const longest = 24
	return s != "" && len(s) <= longest && !strings.ContainsAny(s, ":.,;") &&
		(kindOf(s) == source || isIn("entry", s))
}

func parseNumber(digits string) (n int, ok bool) {
	const longest = 4
	n, err := strconv.Atoi(digits)
	return n, err == nil && len(digits) <= longest
}
