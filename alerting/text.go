package alerting

import (
	"strings"
	"unicode/utf16"

	"confab/internal/redact"
)

// Limits on what a card says. Lengths are in UTF-16 code units, the strictest way in which clients of chats count
// characters.
const (
	maxFieldLabel    = 40
	maxVerdict       = 10  // our words for a recommendation are shorter
	maxFieldValue    = 220 // Slack allows 2,000 a field
	maxEvidence      = 3
	maxEvidenceText  = 900
	maxFeedbackLines = 5  // people whose verdicts are shown
	maxComment       = 80 // what they may add
	maxGroups        = 10 // groups that a digest names, the rest is a count
	maxGroupName     = 120

	// The parts of an evidence text.
	maxName      = 120 // names that producers choose: tenant, service, model, ids
	maxReason    = 200
	maxExcerpt   = 230 // 100 characters and the dots, should every one need two units and some defanging
	maxNote      = 160
	maxReference = 60
	maxListed    = 5 // fired detectors that are named, the rest is a count
)

const ellipsis = "…"

// UTF16Length is the length of s in UTF-16 code units.
func UTF16Length(s string) int {
	n := 0
	for _, r := range s {
		n += runeLength(r)
	}
	return n
}

// runeLength is the length of one rune; what has no encoding counts as U+FFFD does.
func runeLength(r rune) int { return max(1, utf16.RuneLen(r)) }

// Clamp cuts s to at most limit units, the ellipsis that marks the cut included.
func Clamp(s string, limit int) string { return ClampFunc(s, limit, nil) }

// ClampFunc writes s with some runes replaced, up to limit units. An empty replacement keeps the rune.
func ClampFunc(s string, limit int, replace func(rune) string) string {
	var b strings.Builder
	used, fits := 0, 0 // fits: bytes of b that leave room for the ellipsis
	for _, r := range s {
		text := ""
		if replace != nil {
			text = replace(r)
		}
		size := len(text) // replacements are ASCII
		if text == "" {
			text, size = string(r), runeLength(r)
		}
		if used+size > limit {
			return b.String()[:fits] + ellipsis
		}
		b.WriteString(text)
		if used += size; used < limit {
			fits = b.Len()
		}
	}
	return b.String()
}

// Clean makes text that a producer wrote inert and readable on one line of at most limit units: terminal escape
// sequences, control characters and every invisible or direction-changing character are removed, white space collapses,
// URLs lose what makes them clickable. It escapes nothing: that depends on where the text goes.
func Clean(s string, limit int) string { return Clamp(defangLinks(redact.Visible(s, limit)), limit) }

// cleanRedacted is clean for text that was cut from an answer or made from it. Flags carry it redacted; this is the last edge
// before people's eyes, so it is redacted again, which changes nothing where that was done well. Names and ids are not
// quoted: an id that looks like a card number must stay an id.
func cleanRedacted(s string, limit int) string {
	return Clamp(defangLinks(redact.Redact(redact.Visible(s, redactWindow*limit))), limit)
}

// redactWindow is how many times the limit a text is read for redaction, so that a cut never halves a pattern on show.
const redactWindow = 4

// defangLinks breaks what clients turn into a link by themselves, leaving it readable.
func defangLinks(s string) string {
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
