package slack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/schemas"
)

// slackBlocks returns the blocks of a message as Slack sends them with a click.
func slackBlocks(t testing.TB, m message, change ...string) slack.Blocks {
	t.Helper()
	raw, err := json.Marshal(m.blocks)
	require.NoError(t, err)
	var back slack.Blocks
	require.NoError(t, json.Unmarshal([]byte(strings.NewReplacer(change...).Replace(string(raw))), &back))
	return back
}

func newFeedback(user string, v schemas.HumanVerdict, minutes int) schemas.Feedback {
	at := time.Date(2026, 11, 21, 12, 3, 20, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
	return schemas.Feedback{IncidentID: samples.IncidentID, Verdict: v, User: user, Source: schemas.FromSlack, At: at}
}

func TestAcknowledge(t *testing.T) {
	const u1, u2 = "U012AB3CD", "W9"
	tests := []struct {
		name   string
		clicks []schemas.Feedback
		want   []string
		last   bool // the last click changes something
	}{
		{"a click", []schemas.Feedback{newFeedback(u1, schemas.Wrong, 0)}, []string{"✘ wrong by U012AB3CD at 12:03 UTC, 2026-11-21"}, true},
		{
			"a double click",
			[]schemas.Feedback{newFeedback(u1, schemas.Wrong, 0), newFeedback(u1, schemas.Wrong, 0)},
			[]string{"✘ wrong by U012AB3CD at 12:03 UTC, 2026-11-21"},
			false,
		},
		{
			"the same verdict later",
			[]schemas.Feedback{newFeedback(u1, schemas.Wrong, 0), newFeedback(u1, schemas.Wrong, 9)},
			[]string{"✘ wrong by U012AB3CD at 12:03 UTC, 2026-11-21"},
			false,
		},
		{
			"another verdict",
			[]schemas.Feedback{newFeedback(u1, schemas.Wrong, 0), newFeedback(u1, schemas.Fine, 9)},
			[]string{"✔ fine by U012AB3CD at 12:12 UTC, 2026-11-21"},
			true,
		},
		{
			"two users",
			[]schemas.Feedback{newFeedback(u1, schemas.Wrong, 0), newFeedback(u2, schemas.Fine, 1)},
			[]string{"✘ wrong by U012AB3CD at 12:03 UTC, 2026-11-21", "✔ fine by W9 at 12:04 UTC, 2026-11-21"},
			true,
		},
		{"an invalid user", []schemas.Feedback{newFeedback("<!channel>", schemas.Wrong, 0)}, []string{"✘ wrong by unknown at 12:03 UTC, 2026-11-21"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := samples.SingleAlert()
			before := renderAlert(&a, alerttest.RenderAll())
			blocks, changed := slackBlocks(t, before), false
			for _, f := range tt.clicks {
				blocks, changed = Acknowledge(blocks, card.VerdictLine(&f))
				blocks = slackBlocks(t, message{blocks: blocks.BlockSet})
			}
			require.Equal(t, tt.last, changed)
			require.Len(t, blocks.BlockSet, len(before.blocks)+1)
			require.Equal(t, BlockActions, blocks.BlockSet[len(before.blocks)-1].ID())
			require.Equal(t, tt.want, feedbackLines(blocks.BlockSet[len(before.blocks)]), "below the buttons")
			require.NoError(t, violations(message{text: "x", blocks: blocks.BlockSet}, alerttest.RenderAll()))

			a.Feedback = tt.clicks // an edit of the whole message is equal
			whole, err := json.Marshal(renderAlert(&a, alerttest.RenderAll()).blocks)
			require.NoError(t, err)
			patched, err := json.Marshal(blocks.BlockSet)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(patched))
		})
	}
}

func TestAcknowledgeChangedBySlack(t *testing.T) {
	a := samples.SingleAlert()
	a.Feedback = []schemas.Feedback{newFeedback("U1", schemas.Wrong, 0)}
	blocks := slackBlocks(t, renderAlert(&a, alerttest.RenderAll()), "✔", ":heavy_check_mark:")
	_, changed := Acknowledge(blocks, card.VerdictLine(new(newFeedback("U1", schemas.Wrong, 3))))
	require.False(t, changed, "Slack may return the mark in another spelling")
	after, changed := Acknowledge(blocks, card.VerdictLine(new(newFeedback("U1", schemas.Fine, 3))))
	require.True(t, changed)
	require.Len(t, after.BlockSet, len(blocks.BlockSet))
	require.NotContains(t, fmt.Sprint(feedbackLines(after.BlockSet[len(after.BlockSet)-1])), "wrong")
}

func TestAcknowledgeDoesNotModifyBlocks(t *testing.T) {
	a := samples.SingleAlert()
	a.Feedback = samples.Feedback()
	blocks := slackBlocks(t, renderAlert(&a, alerttest.RenderAll()))
	before, err := json.Marshal(blocks)
	require.NoError(t, err)
	Acknowledge(blocks, card.VerdictLine(new(newFeedback("U7", schemas.Wrong, 0))))
	Acknowledge(blocks, card.SilenceLine(&schemas.Silence{User: "U7"}))
	after, err := json.Marshal(blocks)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

func TestAcknowledgeWithoutButtons(t *testing.T) {
	blocks, changed := Acknowledge(slack.Blocks{}, card.VerdictLine(new(newFeedback("U7", schemas.Wrong, 0))))
	require.True(t, changed)
	require.Len(t, blocks.BlockSet, 1, "a message in its minimal form has no blocks")
}

func TestAcknowledgeSilence(t *testing.T) {
	a := samples.SingleAlert()
	a.Feedback = []schemas.Feedback{newFeedback("U1", schemas.Wrong, 0)}
	until := time.Date(2026, 11, 21, 13, 3, 20, 0, time.UTC)
	blocks, changed := Acknowledge(slackBlocks(t, renderAlert(&a, alerttest.RenderAll())), card.SilenceLine(&schemas.Silence{User: "U1", Until: until}))
	require.True(t, changed)
	_, changed = Acknowledge(blocks, card.SilenceLine(&schemas.Silence{User: "U1", Until: until}))
	require.False(t, changed, "a redelivered click")
	blocks, changed = Acknowledge(blocks, card.SilenceLine(&schemas.Silence{User: "U1", Until: until.Add(time.Hour)}))
	require.True(t, changed, "a longer silence")
	blocks, changed = Acknowledge(blocks, card.VerdictLine(new(newFeedback("U1", schemas.Fine, 5))))
	require.True(t, changed)
	require.Equal(t, []string{
		"🔕 silenced by U1 until 14:03 UTC, 2026-11-21", "✔ fine by U1 at 12:08 UTC, 2026-11-21",
	}, feedbackLines(blocks.BlockSet[len(blocks.BlockSet)-1]), "a silence and a verdict are both shown")
}

func TestAcknowledgeStaysInert(t *testing.T) {
	a := samples.SingleAlert()
	shown := slackBlocks(t, renderAlert(&a, alerttest.RenderAll()))
	for i, p := range samples.HostileTexts() {
		for _, source := range []schemas.FeedbackSource{schemas.FromCLI, schemas.FromSlack} {
			f := schemas.Feedback{User: p, Comment: p, Source: source, Verdict: schemas.HumanVerdict(p)}
			blocks, changed := Acknowledge(shown, card.VerdictLine(&f))
			require.True(t, changed, i)
			require.NoError(t, violations(message{text: "x", blocks: blocks.BlockSet}, alerttest.RenderAll()), "payload %d: %.100q", i, p)
			_, changed = Acknowledge(slackBlocks(t, message{blocks: blocks.BlockSet}), card.VerdictLine(&f))
			require.False(t, changed, "payload %d: %.100q: the second changes nothing", i, p)
		}
		blocks, _ := Acknowledge(shown, card.SilenceLine(&schemas.Silence{User: p, Comment: p}))
		require.NoError(t, violations(message{text: "x", blocks: blocks.BlockSet}, alerttest.RenderAll()), "payload %d: %.100q", i, p)
	}
}

func TestFeedbackIsBounded(t *testing.T) {
	blocks := slack.Blocks{}
	for i := range 40 {
		blocks, _ = Acknowledge(blocks, card.VerdictLine(new(newFeedback(fmt.Sprintf("U%d", i), schemas.Wrong, i))))
	}
	lines := feedbackLines(blocks.BlockSet[0])
	require.Len(t, lines, 5)
	require.Contains(t, lines[4], "U39 ", "the latest are kept")
}
