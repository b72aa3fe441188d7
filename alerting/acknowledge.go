package alerting

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/slack-go/slack"

	"confab/schemas"
)

// blockFeedback is the block that says what people have said about an alert.
const blockFeedback = "confab_feedback"

// Acknowledge shows a label in the blocks of a message as Slack sent them, and reports whether that changes them: a
// person's second click on the same button changes nothing, one on the other button replaces what was said before. The
// given blocks stay as they are.
func Acknowledge(blocks slack.Blocks, f schemas.Feedback) (slack.Blocks, bool) {
	return remark(blocks, verdictLine(&f))
}

// AcknowledgeSilence shows a silence likewise.
func AcknowledgeSilence(blocks slack.Blocks, s schemas.Silence) (slack.Blocks, bool) {
	return remark(blocks, fmt.Sprintf("🔕 silenced by %s until %s", person(s.User, schemas.FromSlack), minute(s.Until)))
}

// remark adds a line to the block of what people said, which it makes below the buttons when there is none.
func remark(blocks slack.Blocks, line string) (slack.Blocks, bool) {
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
			said = texts(c)
		}
	}
	lines, changed := say(said, escape(line, maxContextText))
	switch {
	case !changed:
	case at >= 0:
		set[at] = contextBlock(blockFeedback, lines)
	default:
		set = slices.Insert(set, below, slack.Block(contextBlock(blockFeedback, lines)))
	}
	return slack.Blocks{BlockSet: set}, changed
}

// texts are the lines of a context block, as they were escaped.
func texts(c *slack.ContextBlock) []string {
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

// verdictLines say who said what: the last word of each, the latest people last.
func verdictLines(all []schemas.Feedback) []string {
	var lines []string
	for i := range all {
		lines, _ = say(lines, verdictLine(&all[i]))
	}
	return lines
}

func verdictLine(f *schemas.Feedback) string {
	verdict := "✔ confirmed"
	if f.Verdict == schemas.FalsePositive {
		verdict = "✘ false positive"
	}
	line := fmt.Sprintf("%s by %s at %s", verdict, person(f.User, f.Source), minute(f.At))
	if comment := quote(f.Comment, maxComment); comment != "" {
		line += ": " + comment
	}
	return line
}

// say adds a line to what was said, and reports whether that changes it.
func say(said []string, line string) ([]string, bool) {
	what, who, when := parts(line)
	kept := make([]string, 0, len(said)+1)
	for _, s := range said {
		w, by, t := parts(s)
		switch {
		case by != who, (when == "") != (t == ""): // another person, or a silence beside a verdict
			kept = append(kept, s)
		case w == what && t == when:
			return said, false
		}
	}
	kept = append(kept, line)
	return kept[max(0, len(kept)-maxSaid):], true
}

// parts takes a line apart: the verdict, whose it is and, for a silence, its end; the time of a verdict does not count.
// The mark before the verdict does not either, because Slack may spell it differently when it sends the message back.
func parts(line string) (what, who, until string) {
	what, rest, _ := strings.Cut(line, " by ")
	_, what, _ = strings.Cut(what, " ")
	who, until, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(until, "until ") {
		until = ""
	}
	return what, who, until
}

// person is somebody's name, one word that mentions nobody.
func person(user string, source schemas.FeedbackSource) string {
	switch {
	case source == schemas.FromSlack && SlackUser(user):
		return user
	case source == schemas.FromCLI && user != "":
		return "cli:" + strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.L, unicode.N) || strings.ContainsRune("._-", r) {
				return r
			}
			return '_'
		}, clean(user, maxFieldLabel))
	}
	return "somebody"
}

// minute shows a time to the minute.
func minute(t time.Time) string { return t.UTC().Format("15:04 UTC, 2006-01-02") }
