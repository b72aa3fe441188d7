package buttons

import (
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/schemas"
)

const (
	blockFeedback = "confab_feedback"
	minuteForm    = "15:04 UTC, 2006-01-02"
	maxSaid       = 10 // elements of a context block
)

// acknowledge shows the clicks in the blocks of their message, and reports whether that changes them.
func acknowledge(blocks slack.Blocks, clicks []click) (slack.Blocks, bool) {
	set, changed := slices.Clone(blocks.BlockSet), false
	for _, c := range clicks {
		if c.silence != nil {
			set, changed = remark(set, "silenced by "+c.silence.User+" until ", c.silence.Until.Format(minuteForm), changed)
			continue
		}
		verdict := "confirmed"
		if c.feedback.Verdict == schemas.FalsePositive {
			verdict = "false positive"
		}
		set, changed = remark(set, verdict+" by "+c.feedback.User+" at ", c.feedback.At.Format(minuteForm), changed)
	}
	return slack.Blocks{BlockSet: set}, changed
}

// remark adds a line to the block of what people said, which it makes below the buttons where there is none.
func remark(set []slack.Block, what, when string, changed bool) ([]slack.Block, bool) {
	var said []slack.MixedElement
	at, below := -1, len(set)
	for i, b := range set {
		if c, ok := b.(*slack.ContextBlock); ok && b.ID() == blockFeedback {
			at, said = i, slices.Clone(c.ContextElements.Elements)
		}
		if b.ID() == alerting.BlockActions {
			below = i + 1
		}
	}
	for _, e := range said {
		if text, ok := e.(*slack.TextBlockObject); ok && strings.HasPrefix(text.Text, what) {
			return set, changed
		}
	}
	said = append(said, slack.NewTextBlockObject(slack.PlainTextType, what+when, false, false))
	block := slack.NewContextBlock(blockFeedback, said[max(0, len(said)-maxSaid):]...)
	if at >= 0 {
		set[at] = block
		return set, true
	}
	return slices.Insert(set, below, slack.Block(block)), true
}
