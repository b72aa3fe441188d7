package promptsources

import "strings"

const maxMarker = 80 // bytes

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
	end := digitsEnd(s, 0)
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
	end := digitsEnd(s, at)
	number, fine := parseNumber(s[at:end])
	rest := strings.TrimLeft(s[end:], "])* ")
	m = marker{style: wordMarker, prefix: prefix, id: s[at:end], number: number}
	switch colon := strings.IndexAny(rest, ":："); {
	case !fine:
		return m, false
	case rest == "", startsTitle(rest) && colon < 0:
		m.rest = len(s)
		return m, whole
	case startsTitle(rest):
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

func startsTitle(s string) bool {
	return s[0] == '(' || s[0] == '[' || s[0] == '-' || strings.HasPrefix(s, "–")
}

// digitsEnd is the end of the digits at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// isPassageWord reports what stands before the number of a passage: a header's words or one for the parts of a list.
func isPassageWord(s string) bool {
	const longest = 24
	return s != "" && len(s) <= longest && !strings.ContainsAny(s, ":.,;") && (kindOf(s) == source || equalsAny(s, "doc", "entry", "item", "hit", "page", "record", "eintrag", "treffer", "página", "来源", "文献"))
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
