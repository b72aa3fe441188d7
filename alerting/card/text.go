package card

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"confab/internal/redact"
)

// Limits of a card. Lengths are in UTF-16 code units, the strictest way in which chat clients count characters.
const (
	maxFieldLabel    = 40
	maxVerdict       = 10 // recommendations are shorter
	maxEvidence      = 3
	maxFeedbackLines = 5 // users whose verdicts are shown
	maxComment       = 80
	maxGroups        = 12 // groups listed in a digest, the rest is a count
	maxGroupName     = 160
	maxGroupLabels   = 80

	// The parts of an evidence text.
	maxShortName = 24  // before the id in a line that a sink may cut
	maxName      = 120 // names that producers choose: tenant, service, model, ids
	maxReason    = 200
	maxExcerpt   = 230 // 100 characters of two units, dots and broken links
	maxSource    = 230
	maxSays      = 80
	maxQuestion  = 200
	maxNote      = 160
	maxReference = 60
	maxListed    = 5 // models or detectors listed, the rest is a count
)

const ellipsis = "…"

// runeLength returns the length of one rune. An invalid one counts as U+FFFD.
func runeLength(r rune) int { return max(1, utf16.RuneLen(r)) }

// Clamp cuts s to at most limit units, including the ellipsis that marks the cut.
func Clamp(s string, limit int) string { return ClampFunc(s, limit, nil) }

// ClampFunc replaces runes of s and cuts the result to limit units. An empty replacement keeps the rune.
func ClampFunc(s string, limit int, replace func(rune) string) string {
	var b strings.Builder
	used, fits := 0, 0 // fits: bytes of b that leave space for the ellipsis
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

// atMost returns the first n items, cleaned, and says how many others there are.
func atMost(items []string, n int, others string) []string {
	out := make([]string, 0, n+1)
	for _, s := range items[:min(len(items), n)] {
		if s = Clean(s, maxFieldLabel); s != "" {
			out = append(out, s)
		}
	}
	if more := len(items) - n; more > 0 {
		out = append(out, fmt.Sprintf(others, more))
	}
	return out
}

// Clean makes untrusted text inert and readable on one line of at most limit units: it removes terminal escape sequences,
// control characters and every invisible or direction-changing character, collapses white space and makes URLs
// unclickable. It does not escape: that depends on the sink.
func Clean(s string, limit int) string { return Clamp(defangLinks(redact.Visible(s, limit)), limit) }

// cleanRedacted is Clean for text derived from an answer. Flags carry such text redacted; it is redacted again in case
// their writer did not. Names and ids are not redacted: an id that looks like a card number must stay an id.
func cleanRedacted(s string, limit int) string {
	return Clamp(defangLinks(redact.Redact(redact.Visible(s, redactWindow*limit))), limit)
}

// redactWindow is how many times the limit is read for redaction, so that the cut does not split a pattern.
const redactWindow = 4

// wwwDot is what clients turn into links without a scheme.
var wwwDot = regexp.MustCompile(`(?i)(www)\.`)

// defangLinks breaks what clients turn into links, and keeps it readable.
func defangLinks(s string) string {
	return wwwDot.ReplaceAllString(strings.ReplaceAll(s, "://", "[:]//"), "$1[.]")
}
