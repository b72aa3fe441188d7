package alerting

import (
	"strings"

	"confab/internal/redact"
)

// clean makes text that a producer wrote inert and readable on one line of at most limit units: terminal escape
// sequences, control characters and every invisible or direction-changing character are removed, white space collapses,
// URLs lose what makes them clickable. It escapes nothing: that depends on where the text goes.
func clean(s string, limit int) string { return clamp(defang(redact.Visible(s, limit)), limit) }

// quote is clean for text that was cut from an answer or made from it. Flags carry it redacted; this is the last edge
// before people's eyes, so it is redacted again, which changes nothing where that was done well. Names and ids are not
// quoted: an id that looks like a card number must stay an id.
func quote(s string, limit int) string {
	return clamp(defang(redact.Redact(redact.Visible(s, redactWindow*limit))), limit)
}

// redactWindow is how many times the limit a text is read for redaction, so that a cut never halves a pattern on show.
const redactWindow = 4

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
