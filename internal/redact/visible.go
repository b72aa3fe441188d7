package redact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxCombining is the maximum of combining marks per character: enough for pointed Hebrew or Vietnamese, too few to overlap
// neighbouring lines.
const maxCombining = 4

// firstMark is the first combining mark.
const firstMark = '\u0300'

// Visible returns s on one line: it removes terminal escape sequences, control, invisible and direction-changing characters,
// turns white space into single spaces, and limits combining marks. It stops after the first UTF-16 code unit beyond limit,
// so a result longer than limit means that s continues.
func Visible(s string, limit int) string {
	if strings.ContainsAny(s, "\x1b\u009b") {
		s = escapes.ReplaceAllString(s, "")
	}
	var b strings.Builder
	used, marks, gap := 0, 0, false
	for i := 0; i < len(s) && used <= limit; {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case isInvisible(r):
			continue
		case isCombining(r):
			if marks++; marks > maxCombining || b.Len() == 0 {
				continue
			}
		default:
			marks = 0
		}
		if gap {
			b.WriteByte(' ')
			used, gap = used+1, false
		}
		b.WriteRune(r)
		used += max(1, utf16.RuneLen(r))
	}
	return b.String()
}

// Reveal returns s with a mark such as [U+202E] in place of each character that changes how its neighbours are shown: controls
// other than tabs and line breaks, and overrides of the direction. A text cannot look like another one.
func Reveal(s string) string {
	first := strings.IndexFunc(s, misleads)
	if first < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:first])
	for _, r := range s[first:] {
		if misleads(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func misleads(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case r < ' ', 0x7f <= r && r < 0xa0:
		return true
	}
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// isCombining reports whether r is a combining mark.
func isCombining(r rune) bool { return r >= firstMark && unicode.In(r, unicode.Mn, unicode.Me) }

// escapes are terminal escape sequences. Of those that contain text, such as titles and links, they are the introducers, so that the
// text becomes visible.
var escapes = regexp.MustCompile(`(?:\x1b\[|\x{9b})[ -?]*[@-~]?|\x1b[ -~]?`)

// isInvisible reports whether r is invisible or changes the display of its neighbours: controls, format characters (zero
// width, bidirectional, tags), fillers, variation selectors and private use, but not the replacement character.
func isInvisible(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
