package interactions

import (
	"github.com/slack-go/slack"

	slacksink "confab/alerting/slack"
)

// addClickLines shows the clicks in the blocks of their message, and reports whether that changes them.
func addClickLines(blocks slack.Blocks, clicks []click) (slack.Blocks, bool) {
	changed := false
	for _, c := range clicks {
		var news bool
		if c.silence != nil {
			blocks, news = slacksink.AcknowledgeSilence(blocks, *c.silence)
		} else {
			blocks, news = slacksink.Acknowledge(blocks, *c.feedback)
		}
		changed = changed || news
	}
	return blocks, changed
}
