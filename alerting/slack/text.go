package slack

import (
	"strings"

	"confab/alerting/card"
)

// Limits of a message, at or below those of Slack. Lengths are in UTF-16 code units, the strictest way in which Slack's
// clients count characters.
const (
	maxHeader      = 150
	maxContext     = 10
	maxContextText = 240   // Slack allows 2,000
	maxGroupText   = 3_000 // of all groups of a digest
	maxButton      = 75
	maxFallback    = 300
	maxAdvice      = 400
)

// escapeText escapes & < > for Slack and cuts the result to at most limit units, never inside an entity.
func escapeText(s string, limit int) string {
	return card.ClampFunc(s, limit, func(r rune) string {
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

// breakHostNames breaks what notifications and webhooks' clients turn into links, and replaces backquotes. Clean has broken www.
func breakHostNames(s string) string {
	return strings.NewReplacer("[.]", "[.]", ".", "[.]", "。", "[.]", "．", "[.]", "｡", "[.]", "․", "[.]", "`", "'").Replace(s)
}
