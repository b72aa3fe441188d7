package alerting

import (
	"strings"
	"unicode/utf16"
)

// Slack's limits on what a message may hold, and our own below them. Lengths are in UTF-16 code units, the strictest way
// in which Slack's clients count characters.
const (
	maxHeader       = 150
	maxFields       = 8 // Slack allows 10
	maxFieldLabel   = 40
	maxVerdict      = 10  // our words for a recommendation are shorter
	maxFieldValue   = 220 // Slack allows 2,000 a field
	maxContext      = 10
	maxContextText  = 160
	maxEvidence     = 3
	maxEvidenceText = 900
	maxButton       = 75
	maxFallback     = 300
	maxAdvice       = 400
	maxSaid         = 5  // people whose verdicts are shown
	maxComment      = 80 // what they may add
	maxGroups       = 10 // groups that a digest names, the rest is a count
	maxGroupName    = 120

	// maxMessage bounds the text of all blocks. Slack refuses messages somewhere above 11,000; the limits above add up to
	// less than this, which a test proves, so nothing has to be dropped while a message is built.
	maxMessage = 8_000

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

// escape makes s harmless where Slack reads & < > as the start of something, and cuts it to at most limit units after
// that, never inside an entity.
func escape(s string, limit int) string {
	return clampEscaped(s, limit, func(r rune) string {
		switch r {
		case '&':
			return "&amp;"
		case '<':
			return "&lt;"
		case '>':
			return "&gt;"
		}
		return ""
	})
}

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
