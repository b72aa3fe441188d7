package slack

import (
	"slices"

	"github.com/slack-go/slack"

	"confab/alerting/card"
	"confab/schemas"
)

// blockFeedback is the id of the block with verdicts and silences.
const blockFeedback = "confab_feedback"

// Acknowledge adds a label to the blocks of a message as Slack sent them, and reports whether that is a change. A second
// label of a user replaces the first. The given blocks are not modified.
func Acknowledge(blocks slack.Blocks, f schemas.Feedback, names card.NameFunc) (slack.Blocks, bool) {
	return addContextLine(blocks, card.VerdictLine(&f, names))
}

// AcknowledgeSilence adds a silence like Acknowledge.
func AcknowledgeSilence(blocks slack.Blocks, s schemas.Silence, names card.NameFunc) (slack.Blocks, bool) {
	return addContextLine(blocks, card.SilenceLine(&s, names))
}

// addContextLine adds a line to the feedback block, which it creates below the buttons when missing.
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
	var shown []string
	if at >= 0 {
		if c, ok := set[at].(*slack.ContextBlock); ok {
			shown = contextTexts(c)
		}
	}
	lines, changed := card.AddVerdictLine(shown, escapeText(line, maxContextText))
	switch {
	case !changed:
	case at >= 0:
		set[at] = contextBlock(blockFeedback, lines)
	default:
		set = slices.Insert(set, below, slack.Block(contextBlock(blockFeedback, lines)))
	}
	return slack.Blocks{BlockSet: set}, changed
}

// contextTexts returns the escaped lines of a context block.
func contextTexts(c *slack.ContextBlock) []string {
	var out []string
	for _, e := range c.ContextElements.Elements {
		if o, ok := e.(*slack.TextBlockObject); ok && o.Text != "" {
			out = append(out, o.Text)
		}
	}
	return out
}

// contextBlock returns a context block of escaped lines.
func contextBlock(id string, lines []string) *slack.ContextBlock {
	elements := make([]slack.MixedElement, len(lines))
	for i, s := range lines {
		elements[i] = slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
	}
	return slack.NewContextBlock(id, elements...)
}
