package slack

import (
	"strings"

	"confab/alerting"
)

// Slack's limits on what a message may hold, and our own below them. Lengths are in UTF-16 code units, the strictest way
// in which Slack's clients count characters.
const (
	maxHeader      = 150
	maxFields      = 8   // Slack allows 10
	maxFieldText   = 260 // Slack allows 2,000
	maxContext     = 10
	maxContextText = 160
	maxPieceText   = 900   // of evidence
	maxGroupText   = 1_320 // of all groups of a digest
	maxThreadText  = 1_200 // of one part of the details
	maxButton      = 75
	maxFallback    = 300
	maxAdvice      = 400

	// maxMessage bounds the text of all blocks. Slack refuses messages somewhere above 11,000; the limits above add up to
	// less than this, which a test proves, so nothing has to be dropped while a message is built.
	maxMessage = 8_000
)

// escapeText makes s harmless where Slack reads & < > as the start of something, and cuts it to at most limit units after
// that, never inside an entity.
func escapeText(s string, limit int) string {
	return alerting.ClampFunc(s, limit, func(r rune) string {
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

// breakHostNames is text for a place where clients look for more than & < >: notifications and what webhooks make of a message's
// text. What could pass for the name of a host is broken, and nothing opens a code block.
func breakHostNames(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "[.]", ".") { // once is enough
		switch r {
		case '.', '。', '．', '｡', '․':
			b.WriteString("[.]")
		case '`':
			b.WriteByte('\'')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
