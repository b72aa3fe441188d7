package units

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Finished returns the text of an answer that was cut off up to the end of its last finished sentence or line. A text without
// one is returned as it is.
func Finished(s string) string {
	for end := len(s); end > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if r == '\n' || strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && endsSentence(s[end:]) {
			return withClosers(s, end)
		}
		end -= size
	}
	return s
}

// endsSentence reports whether what follows a full stop shows that it ends a sentence: the end, white space, or closing marks
// before one of them. A stop inside a figure or a name does not.
func endsSentence(rest string) bool {
	rest = rest[closersIn(rest):]
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r)
}

// withClosers is the text up to end with the closing marks behind it.
func withClosers(s string, end int) string { return s[:end+closersIn(s[end:])] }

// closersIn is the length of the closing marks at the start of s: quotes, brackets, emphasis and citation markers.
func closersIn(s string) int {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if n := markerLength(s[at:]); n > 0 {
			at += n
			continue
		}
		if !strings.ContainsRune("\"'”’»)]*_`", r) {
			break
		}
		at += size
	}
	return at
}

// maxMarker bounds a citation marker, such as [1] or [12, 13, 14].
const maxMarker = 20

// markerLength is the length of the citation marker at the start of s, 0 if there is none.
func markerLength(s string) int {
	if s == "" || s[0] != '[' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), maxMarker)], ']')
	if end < 2 || strings.Trim(s[1:end], "0123456789, ") != "" {
		return 0
	}
	return end + 1
}
