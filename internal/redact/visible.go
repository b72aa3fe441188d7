package redact

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxCombining is how many combining marks may stand on one character: enough for pointed Hebrew or Vietnamese, too few
// to draw over the neighbouring lines.
const maxCombining = 4

// firstMark is the first combining mark.
const firstMark = '\u0300'

// Visible is s on one line without what cannot be seen: terminal escape sequences, control characters, invisible and
// direction-changing characters are removed, white space becomes single spaces, marks do not pile up. It reads up to limit
// UTF-16 code units and the one that exceeds it, so a result longer than limit says that s goes on.
func Visible(s string, limit int) string {
	var b strings.Builder
	used, marks, gap := 0, 0, false
	for i := 0; i < len(s) && used <= limit; {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\x1b' || r == '\u009b' {
			i += escapeSequence(s[i:])
			continue
		}
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

// isCombining reports a mark that stands on the character before it.
func isCombining(r rune) bool { return r >= firstMark && unicode.In(r, unicode.Mn, unicode.Me) }

// escapeSequence is the length of the terminal escape sequence at the start of s. Of sequences that carry text, such as
// titles and links, only the introducer counts: what they hide becomes visible instead.
func escapeSequence(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	if s[0] == '\x1b' {
		if len(s) == n {
			return n
		}
		if s[n] != '[' {
			if s[n] < 0x20 || s[n] > 0x7e {
				return n
			}
			return n + 1
		}
		n++
	}
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x3f { // parameters and intermediates
		n++
	}
	if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e { // the final byte
		n++
	}
	return n
}

// isInvisible reports characters that show nothing by themselves, or change how their neighbours show: controls, format
// characters (zero width, bidirectional, tags), fillers, variation selectors and private use. Replacement characters stay.
func isInvisible(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
