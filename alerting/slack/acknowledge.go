package slack

import (
	"slices"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/schemas"
)

// blockFeedback is the block that says what people have said about an alert.
const blockFeedback = "confab_feedback"

// Acknowledge shows a label in the blocks of a message as Slack sent them, and reports whether that changes them: a
// person's second click on the same button changes nothing, one on the other button replaces what was said before. The
// given blocks stay as they are.
func Acknowledge(blocks slack.Blocks, f schemas.Feedback) (slack.Blocks, bool) {
	return addContextLine(blocks, alerting.VerdictLine(&f))
}

// AcknowledgeSilence shows a silence likewise.
func AcknowledgeSilence(blocks slack.Blocks, s schemas.Silence) (slack.Blocks, bool) {
	return addContextLine(blocks, alerting.SilenceLine(&s))
}

// addContextLine adds a line to the block of what people said, which it makes below the buttons when there is none.
func addContextLine(blocks slack.Blocks, line string) (slack.Blocks, bool) {
	set := slices.Clone(blocks.BlockSet)
	at, below := -1, len(set)
	for i, b := range set {
		switch b.ID() {
		case blockFeedback:
			at = i
		case BlockActions:
			below = i + 1
		}
	}
	var said []string
	if at >= 0 {
		if c, ok := set[at].(*slack.ContextBlock); ok {
			said = contextTexts(c)
		}
	}
	lines, changed := alerting.AddVerdictLine(said, escapeText(line, maxContextText))
	switch {
	case !changed:
	case at >= 0:
		set[at] = contextBlock(blockFeedback, lines)
	default:
		set = slices.Insert(set, below, slack.Block(contextBlock(blockFeedback, lines)))
	}
	return slack.Blocks{BlockSet: set}, changed
}

// contextTexts are the lines of a context block, as they were escaped.
func contextTexts(c *slack.ContextBlock) []string {
	var out []string
	for _, e := range c.ContextElements.Elements {
		if o, ok := e.(*slack.TextBlockObject); ok && o.Text != "" {
			out = append(out, o.Text)
		}
	}
	return out
}

// contextBlock is a context block of lines that are escaped already.
func contextBlock(id string, lines []string) *slack.ContextBlock {
	elements := make([]slack.MixedElement, len(lines))
	for i, s := range lines {
		elements[i] = slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
	}
	return slack.NewContextBlock(id, elements...)
}
