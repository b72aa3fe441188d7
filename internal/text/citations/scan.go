package citations

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func hasPrefix(s, prefix string) bool { return strings.HasPrefix(s, prefix) }

// enclosedText is the text before the closing bracket. ok is false if that is too far, on another line or behind another
// opening bracket.
func enclosedText(s, open, shut string) (content string, ok bool) {
	head := s[:min(len(s), maxMarkerBytes)]
	end := strings.Index(head, shut)
	if end <= 0 {
		return "", false
	}
	content = head[:end]
	return content, !strings.Contains(content, open) && strings.IndexByte(content, '\n') < 0
}

// skipCode returns the end of the code that starts with the backticks at i. An unclosed fence reaches to the end of s; an
// unclosed inline backtick is skipped alone.
func skipCode(s string, i int) int {
	open := i
	for open < len(s) && s[open] == '`' {
		open++
	}
	ticks, rest := s[i:open], s[open:]
	if len(ticks) < 3 {
		rest = rest[:min(len(rest), maxInlineCode)]
	}
	end := strings.Index(rest, ticks)
	switch {
	case end >= 0:
		return open + end + len(ticks)
	case len(ticks) >= 3:
		return len(s)
	default:
		return open
	}
}

// isBlankAt reports a space or the end of a line at i.
func isBlankAt(s string, i int) bool {
	return s[i] == ' ' || s[i] == '\n' || s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n'
}

// startsReferences reports whether the line at the start of s is a heading over a list of references.
func startsReferences(s string) bool {
	line, _, _ := strings.Cut(s[:min(len(s), 60)], "\n")
	line = strings.Trim(line, "#*_:： \t\r")
	return len(line) >= minTitle && slices.ContainsFunc(referenceHeadings, func(h string) bool {
		return len(h) == len(line) && strings.EqualFold(line, h)
	})
}

// before is the last character before i that is not a space of the same line, and whether it is next to i. It is 0 at the
// start of a line.
func (c *Markers) before(i int) (r rune, glued bool) {
	head := c.in.Answer[:i]
	trimmed := strings.TrimRight(head, " *_")
	r, _ = utf8.DecodeLastRuneInString(trimmed)
	if trimmed == "" || r == '\n' {
		return 0, false
	}
	return r, len(trimmed) == len(head)
}

// after is the character at i, 0 at the end.
func (c *Markers) after(i int) rune {
	if i >= len(c.in.Answer) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(c.in.Answer[i:])
	return r
}

// wordBefore is the word of letters that ends at i, at most 24 bytes.
func (c *Markers) wordBefore(i int) string {
	s := c.in.Answer
	low := max(0, i-24)
	for low < i && !utf8.RuneStart(s[low]) {
		low++
	}
	start := i
	for start > low {
		r, size := utf8.DecodeLastRuneInString(s[low:start])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		start -= size
	}
	return s[start:i]
}

// endsClause reports a character that may follow a citation: the end, punctuation, or the next citation.
func endsClause(r rune) bool {
	switch r {
	case 0, '\n', '\r', '.', ',', ';', ':', '!', '?', ')', '"', '”', '»', '。', '，', '、', '；', '：', '！', '？', '）', '।', '؟', '،', '(', '（', '[', '{', '*', '|':
		return true
	default:
		return false
	}
}

func isASCIILetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// digitsEnd is the end of the digits at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}
