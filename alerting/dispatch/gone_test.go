package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// TestMessageGoneFromSink: incidents in a deleted message count as delivered. A new message shows only the pending ones,
// with the number of earlier incidents.
func TestMessageGoneFromSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{partitions: 2}).run()
		for i := range 5 {
			d.add(int32(i%2), similarFlag(1, i))
		}
		sleepVirtual(2 * time.Minute)
		require.Equal(t, []int64{5}, sortedCounts(d.sink.Alerts()))

		d.sink.Posts[0].Gone = true
		require.NoError(t, d.Label(t.Context(), schemas.Feedback{
			IncidentID: similarFlag(1, 0).IncidentID, Verdict: schemas.Wrong, User: "U1", Source: schemas.FromSlack, At: time.Now(),
		}))
		sleepVirtual(2 * time.Minute)
		require.Len(t, d.sink.Alerts(), 1, "a label causes no new message")
		require.Equal(t, 1, d.failures(alerting.ReasonGone))

		for i := range 3 {
			d.add(int32(i%2), similarFlag(1, 5+i))
		}
		sleepVirtual(2 * time.Minute)
		require.Len(t, d.sink.Alerts(), 2)
		last := d.sink.Alerts()[1]
		require.EqualValues(t, 3, last.Count)
		require.EqualValues(t, 5, last.EarlierCount)
		require.False(t, last.PossiblyDuplicated)
		require.Zero(t, d.totals().pending)
	})
}

// webhookSink accepts everything and returns no receipt.
type webhookSink struct{}

func (webhookSink) Notify(context.Context, schemas.Alert) (schemas.Receipt, error) {
	return schemas.Receipt{}, nil
}

// TestSinkIsReplaced: a bot does not repeat what the webhook before it has sent.
func TestSinkIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{notifier: webhookSink{}}).run()
		d.add(0, similarFlag(1, 0))
		sleepVirtual(time.Minute)
		d.stop()

		bot := newHarness(t, harnessOptions{logs: d.logs}).run()
		bot.add(0, similarFlag(1, 1))
		sleepVirtual(2 * time.Minute)
		require.Equal(t, []int64{1}, sortedCounts(bot.sink.Alerts()))
		require.EqualValues(t, 1, bot.sink.Alerts()[0].EarlierCount)
	})
}
