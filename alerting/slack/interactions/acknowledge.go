package interactions

import (
	"github.com/slack-go/slack"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
)

// addClickLines adds the clicks to the blocks of their message, and reports whether that is a change.
func addClickLines(blocks slack.Blocks, clicks []click, names card.NameFunc) (slack.Blocks, bool) {
	changed := false
	for _, c := range clicks {
		var isNew bool
		if c.silence != nil {
			blocks, isNew = slacksink.AcknowledgeSilence(blocks, *c.silence, names)
		} else {
			blocks, isNew = slacksink.Acknowledge(blocks, *c.feedback, names)
		}
		changed = changed || isNew
	}
	return blocks, changed
}
