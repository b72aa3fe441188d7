package text

import (
	"strings"
	"unicode/utf8"
)

// stopWindow is how many bytes around a full stop are read, so that hostile punctuation costs linear time.
const stopWindow = 96

// endAtStop ends the sentence if the full stop s[i:after] is its end, and returns the next position.
func (p *sentenceSplitter) endAtStop(i, after int) int {
	if p.start < 0 {
		p.start = i
	}
	for after < len(p.s) && breakClasses[p.s[after]] == stopByte {
		after++
	}
	if after < len(p.s) && isLowerOrDigit(p.s[after]) && p.s[i] < utf8.RuneSelf {
		return after // 3.5, example.com, ?q=1
	}
	end, found := after, p.isPlainEnd(i, after)
	if !found {
		end, found = p.endAtMarkers(after)
	}
	if !found {
		end = p.boundary(i, after)
	}
	if end < 0 || p.isMerged(i, after, end) {
		return after
	}
	p.emit(end)
	return end
}

// isPlainEnd reports the common case: a letter or digit, the full stop, one space and a letter. Unicode's rules break there,
// after the space, if the letter is a capital.
func (p *sentenceSplitter) isPlainEnd(i, after int) bool {
	return p.s[i] < utf8.RuneSelf && after+1 < len(p.s) && p.s[after] == ' ' && byteClasses[p.s[after+1]]&letter != 0 &&
		i > p.start && byteClasses[p.s[i-1]]&(letter|digit) != 0
}

// isMerged reports whether the boundary at end, after the full stop s[i:after], does not end the sentence.
func (p *sentenceSplitter) isMerged(i, after, end int) bool {
	if p.s[i] >= utf8.RuneSelf {
		return false
	}
	next := p.s[end:]
	if next != "" && next[0] == ' ' {
		next = next[1:]
	}
	if next != "" && 'a' <= next[0] && next[0] <= 'z' {
		return true // "Yahoo! is", "Stop!" he said
	}
	if p.s[i] != '.' {
		return end == after && next != "" && !isSpace(next[0]) && p.inURL(i)
	}
	if after-i > 1 {
		return false // an ellipsis
	}
	return p.isAbbreviation(i, next) || p.isGermanOrdinal(i, next)
}

// inURL reports whether the mark at i is part of a URL.
func (p *sentenceSplitter) inURL(i int) bool {
	before := p.s[max(p.start, i-stopWindow):i]
	before = before[strings.LastIndexAny(before, " \t\n")+1:]
	return strings.Contains(before, "://") || strings.HasPrefix(before, "www.")
}

// maxAbbreviation is the length of the longest abbreviation, in bytes.
const maxAbbreviation = len("messrs")

// isAbbreviation reports whether the word before the full stop at i is a list number, an initial or an abbreviation, and next
// continues the sentence.
func (p *sentenceSplitter) isAbbreviation(i int, next string) bool {
	first := i
	for first > p.start && byteClasses[p.s[first-1]]&(letter|digit) != 0 && i-first <= maxAbbreviation {
		first--
	}
	if first == i || i-first > maxAbbreviation || first > 0 && p.s[first-1] >= utf8.RuneSelf {
		return false
	}
	word := p.s[first:i]
	if first == p.start && IsListNumber(word) {
		return true
	}
	before := p.wordBefore(first)
	measured := before != "" && strings.IndexByte("0123456789\xB0", before[len(before)-1]) >= 0 // 0xB0 ends the sign of a degree
	isLower := word[0] >= 'a'
	if len(word) == 1 && byteClasses[word[0]]&letter != 0 {
		switch {
		case measured && (isLower || len(before) != len("1999")), letterNouns.Has(Hash(before)):
			return false // a unit, "zone C"
		case word[0]|0x20 == 'm' && isHalfDay(p.s[p.start:i]):
			return hourWords.Has(Hash(wordAt(next)))
		default:
			return !startsSentence(next) // an initial, or the end of "U.S."
		}
	}
	e := lexicon[hashASCII(p.s, first, i)]
	switch {
	case e == nil, measured && isLower && e.flags&figureAbbr == 0:
		return false
	case e.flags&looseAbbr != 0:
		return !startsSentence(next)
	case e.flags&titleAbbr != 0:
		return true
	case e.flags&figureAbbr != 0:
		return next != "" && (byteClasses[next[0]]&digit != 0 || next[0] == '#')
	default:
		return false
	}
}

// letterNouns stand before a letter that is no initial: "zone C". hourWords stand behind "5 p.m." in its sentence.
//
//nolint:gochecknoglobals // read-only tables
var (
	letterNouns = HashSet(`annex anhang appendix block building category class column exhibit gate gleis grade group gruppe hall hepatitis
item klasse level line model option part phase plan platform point product room row section series step table teil terminal tier type typ
unit vitamin wing zone zona tipo grupo annexe groupe plano`)
	hourWords = HashSet(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december eastern central mountain pacific atlantic greenwich est edt cst cdt mst mdt pst pdt et ct pt gmt utc bst
cet cest ist jst aest`)
)

// isHalfDay reports the end of "5 p.m", before its last full stop.
func isHalfDay(s string) bool {
	n := len(s) - len("p.m")
	return n > 0 && s[n+1] == '.' && (s[n]|0x20 == 'p' || s[n]|0x20 == 'a') && byteClasses[s[n-1]]&letter == 0
}

// wordBefore is the word that ends with one space before first, "" for none.
func (p *sentenceSplitter) wordBefore(first int) string {
	end := first - 1
	if end <= p.start || p.s[end] != ' ' {
		return ""
	}
	before := p.s[max(p.start, end-16):end]
	return before[strings.LastIndexByte(before, ' ')+1:]
}

// wordAt is the word of ASCII letters at the start of s, cut to 16 bytes.
func wordAt(s string) string {
	n := 0
	for n < len(s) && n < 16 && byteClasses[s[n]]&letter != 0 {
		n++
	}
	return s[:n]
}

// IsListNumber reports whether the word can number a list item: "1", "12", "a", "iv".
func IsListNumber(word string) bool {
	if len(word) == 1 {
		return true
	}
	return len(word) <= 3 && byteClasses[word[0]]&digit != 0 && byteClasses[word[len(word)-1]]&digit != 0 ||
		len(word) <= 4 && strings.Trim(word, "ivx") == ""
}

// startsSentence reports whether next is empty or starts with a capitalized stop word, which is not a name.
func startsSentence(next string) bool {
	next = strings.TrimLeft(next, "\"'([")
	j := len(wordAt(next))
	if j == 0 || next[0] > 'Z' {
		return next == ""
	}
	if j == 1 && len(next) > 1 && next[1] == '.' {
		return false // another initial
	}
	e := lexicon[hashASCII(next, 0, j)]
	return e != nil && e.flags&Stop != 0
}

// endAtMarkers looks for citation markers after the full stop that ends at after. If found, end is the end of the sentence:
// after the markers, or before them if they start the next sentence ("[1] says so"), or -1 if it does not end here.
func (p *sentenceSplitter) endAtMarkers(after int) (end int, found bool) {
	for i := after; ; {
		for i < len(p.s) && i-after < stopWindow && (p.s[i] == ' ' || p.s[i] == '"' || p.s[i] == '\'' || p.s[i] == ')') {
			i++
		}
		n := markerLen(p.s[i:])
		if n == 0 {
			break
		}
		i += n
		end, found = i, true
	}
	if !found {
		return -1, false
	}
	next := strings.TrimLeft(p.s[end:min(len(p.s), end+stopWindow)], " ")
	switch {
	case next == "" || !isLowerOrDigit(next[0]) && next[0] != ',' && next[0] != ';':
		return end, true
	case p.s[after] == ' ' && isLowerOrDigit(next[0]):
		return after, true
	default:
		return -1, true
	}
}

// maxMarker is the longest citation marker, in bytes.
const maxMarker = 64

// markerLen is the length of the citation marker at the start of s, 0 for none: [1], [2, 3], [^1], 【1†a】, (source: a) in
// several languages, and superscript digits.
func markerLen(s string) int {
	if s == "" {
		return 0
	}
	head, _ := Cut(s, maxMarker)
	switch {
	case s[0] == '[':
		n := closingBracket(head, '[', ']')
		if n < 3 || !strings.ContainsAny(head[1:n-1], "0123456789") && strings.IndexByte(head[1:n-1], ' ') >= 0 ||
			n < len(s) && (s[n] == '(' || s[n] == ':') || strings.ContainsAny(head[1:n-1], "\"{}") { // JSON
			return 0
		}
		return n
	case s[0] == '(':
		if len(head) > 8 && strings.EqualFold(head[1:7], "source") {
			return closingBracket(head, '(', ')')
		}
		if SourceLabel(head[1:]) > 0 {
			return closingBracket(head, '(', ')')
		}
		return 0
	case strings.HasPrefix(s, "（"):
		if n := strings.Index(head, "）"); n > 0 && SourceLabel(head[len("（"):]) > 0 {
			return n + len("）")
		}
		return 0
	case strings.HasPrefix(s, "【"):
		if n := strings.Index(head, "】"); n > 0 {
			return n + len("】")
		}
		return 0
	case s[0] >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(s)
		if r == '¹' || r == '²' || r == '³' || r == '⁰' || r >= '⁴' && r <= '⁹' {
			return size
		}
	}
	return 0
}

// closingBracket is the length of the bracketed text at the start of s, 0 if it is not closed or another bracket opens.
func closingBracket(s string, opening, end byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case end:
			return i + 1
		case opening:
			return 0
		}
	}
	return 0
}

// numberedMarker is the length of the marker with a digit at the start of s, 0 for none.
func numberedMarker(s string) int {
	n := markerLen(s)
	if n == 0 || !strings.ContainsAny(s[:n], "0123456789") {
		return 0
	}
	if strings.IndexByte(s[:n], ' ') >= 0 && strings.Trim(s[1:n-1], "0123456789,;- \u2013") != "" {
		return 0
	}
	return n
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// IsUpper reports an ASCII capital letter.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
