package alerting

import (
	"strings"
	"unicode/utf16"
)

// Limits on what a card says. Lengths are in UTF-16 code units, the strictest way in which clients of chats count
// characters.
const (
	maxFieldLabel   = 40
	maxVerdict      = 10  // our words for a recommendation are shorter
	maxFieldValue   = 220 // Slack allows 2,000 a field
	maxEvidence     = 3
	maxEvidenceText = 900
	maxSaid         = 5  // people whose verdicts are shown
	maxComment      = 80 // what they may add
	maxGroups       = 10 // groups that a digest names, the rest is a count
	maxGroupName    = 120

	// The parts of an evidence text.
	maxName    = 120 // names that producers choose: tenant, service, model, ids
	maxReason  = 200
	maxExcerpt = 230 // 100 characters and the dots, should every one need two units and some defanging
	maxNote    = 160
	maxMark    = 60
	maxListed  = 5 // fired detectors that are named, the rest is a count
)

const ellipsis = "…"

// units is the length of s in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += runeUnits(r)
	}
	return n
}

// runeUnits is the length of one rune; what has no encoding counts as U+FFFD does.
func runeUnits(r rune) int { return max(1, utf16.RuneLen(r)) }

// clamp cuts s to at most limit units, the ellipsis that marks the cut included.
func clamp(s string, limit int) string { return clampEscaped(s, limit, nil) }

// clampEscaped writes s with some runes replaced, up to limit units. An empty replacement keeps the rune.
func clampEscaped(s string, limit int, replace func(rune) string) string {
	var b strings.Builder
	used, fits := 0, 0 // fits: bytes of b that leave room for the ellipsis
	for _, r := range s {
		text := ""
		if replace != nil {
			text = replace(r)
		}
		size := len(text) // replacements are ASCII
		if text == "" {
			text, size = string(r), runeUnits(r)
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
