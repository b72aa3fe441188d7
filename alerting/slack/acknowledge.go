package slack

import (
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"confab/alerting/card"
)

// blockFeedback is the id of the block with verdicts and silences.
const blockFeedback = "confab_feedback"

// Acknowledge adds a line of card about a verdict or a silence to the blocks of a message as Slack sent them, and reports
// whether that is a change. A second verdict of a user replaces the first. The given blocks are not modified.
func Acknowledge(blocks slack.Blocks, line string) (slack.Blocks, bool) {
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
		shown = feedbackLines(set[at])
	}
	lines, changed := card.AddVerdictLine(shown, card.Clamp(line, maxContextText))
	switch {
	case !changed:
	case at >= 0:
		set[at] = feedbackBlock(lines)
	default:
		set = slices.Insert(set, below, slack.Block(feedbackBlock(lines)))
	}
	return slack.Blocks{BlockSet: set}, changed
}

// feedbackBlock shows lines in rich text, which Slack does not parse. The user is an element, so that clients show a name.
func feedbackBlock(lines []string) *slack.RichTextBlock {
	all := make([]slack.RichTextElement, 0, len(lines))
	for _, line := range lines {
		line = card.Clamp(line, maxContextText)
		what, rest, _ := strings.Cut(line, " by ")
		user, when, _ := strings.Cut(rest, " ")
		parts := []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(line, nil)}
		if card.IsSlackUser(user) {
			parts = []slack.RichTextSectionElement{
				slack.NewRichTextSectionTextElement(what+" by ", nil), slack.NewRichTextSectionUserElement(user, nil),
				slack.NewRichTextSectionTextElement(" "+when, nil),
			}
		}
		all = append(all, slack.NewRichTextSection(parts...))
	}
	return slack.NewRichTextBlock(blockFeedback, all...)
}

// feedbackLines are the lines of a feedback block.
func feedbackLines(b slack.Block) (lines []string) {
	rich, ok := b.(*slack.RichTextBlock)
	if !ok {
		return nil
	}
	for _, e := range rich.Elements {
		section, ok := e.(*slack.RichTextSection)
		if !ok {
			continue
		}
		var line strings.Builder
		for _, part := range section.Elements {
			switch part := part.(type) {
			case *slack.RichTextSectionTextElement:
				line.WriteString(part.Text)
			case *slack.RichTextSectionUserElement:
				line.WriteString(part.UserID)
			case *slack.RichTextSectionEmojiElement: // Slack may return the mark so
				line.WriteString(":" + part.Name + ":")
			}
		}
		lines = append(lines, line.String())
	}
	return lines
}
