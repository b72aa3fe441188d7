package alerting

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/redact"
)

// maxCombining is how many combining marks may stand on one character: enough for pointed Hebrew or Vietnamese, too few
// to draw over the neighbouring lines.
const maxCombining = 4

// firstMark is the first combining mark.
const firstMark = '\u0300'

// clean makes text that a producer wrote inert and readable on one line of at most limit units: terminal escape
// sequences, control characters and every invisible or direction-changing character are removed, white space collapses,
// URLs lose what makes them clickable. It escapes nothing: that depends on where the text goes.
func clean(s string, limit int) string { return clamp(defang(strip(s, limit)), limit) }

// quote is clean for text that was cut from an answer or made from it. Flags carry it redacted; this is the last edge
// before people's eyes, so it is redacted again, which changes nothing where that was done well. Names and ids are not
// quoted: an id that looks like a card number must stay an id.
func quote(s string, limit int) string {
	return clamp(defang(redact.Redact(strip(s, redactWindow*limit))), limit)
}

// redactWindow is how many times the limit a text is read for redaction, so that a cut never halves a pattern on show.
const redactWindow = 4

// strip removes what cannot be seen, up to limit units and the one that exceeds it.
func strip(s string, limit int) string {
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
		case invisible(r):
			continue
		case combines(r):
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
		used += runeUnits(r)
	}
	return b.String()
}

// combines reports a mark that stands on the character before it.
func combines(r rune) bool { return r >= firstMark && unicode.In(r, unicode.Mn, unicode.Me) }

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

// invisible reports characters that show nothing by themselves, or change how their neighbours show: controls, format
// characters (zero width, bidirectional, tags), fillers, variation selectors and private use. Replacement characters stay.
func invisible(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// defang breaks what clients turn into a link by themselves, leaving it readable.
func defang(s string) string {
	s = strings.ReplaceAll(s, "://", "[:]//")
	const www = "www."
	for at := 0; ; {
		i := indexFold(s[at:], www)
		if i < 0 {
			return s
		}
		at += i + len(www)
		s = s[:at-1] + "[.]" + s[at:]
		at += len("[.]") - 1
	}
}

// indexFold is strings.Index for a lower-case ASCII needle, whatever the case of s.
func indexFold(s, needle string) int {
	for i := 0; i+len(needle) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(needle)], needle) {
			return i
		}
	}
	return -1
}
