package alerting

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestAMessageThatIsGone: what it showed has been told, whoever has removed it since; only what it has not shown is told
// anew, with how many came before.
func TestAMessageThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{partitions: 2}).run()
		for i := range 5 {
			d.join(int32(i%2), alike(1, i))
		}
		wait(2 * time.Minute)
		require.Equal(t, []int64{5}, counts(d.wall.alerts()))

		d.wall.posts[0].gone = true
		require.NoError(t, d.Label(t.Context(), schemas.Feedback{
			IncidentID: alike(1, 0).IncidentID, Verdict: schemas.Confirmed, User: "U1", Source: schemas.FromSlack, At: time.Now(),
		}))
		wait(2 * time.Minute)
		require.Len(t, d.wall.alerts(), 1, "a label tells nobody anew")
		require.Equal(t, 1, d.failures(ReasonGone))

		for i := range 3 {
			d.join(int32(i%2), alike(1, 5+i))
		}
		wait(2 * time.Minute)
		require.Len(t, d.wall.alerts(), 2)
		last := d.wall.alerts()[1]
		require.EqualValues(t, 3, last.Count)
		require.EqualValues(t, 5, last.Earlier)
		require.False(t, last.MayRepeat)
		require.Zero(t, d.sizes().untold)
	})
}

// hook takes everything and gives no receipt, as a webhook does.
type hook struct{}

func (hook) Notify(context.Context, schemas.Alert) (schemas.Receipt, error) {
	return schemas.Receipt{}, nil
}

// TestASinkIsReplacedByAnother: what a webhook has told is not told again by the bot that takes its place.
func TestASinkIsReplacedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{sink: hook{}}).run()
		d.join(0, alike(1, 0))
		wait(time.Minute)
		d.stop()

		bot := newDesk(t, deskOptions{logs: d.logs}).run()
		bot.join(0, alike(1, 1))
		wait(2 * time.Minute)
		require.Equal(t, []int64{1}, counts(bot.wall.alerts()))
		require.EqualValues(t, 1, bot.wall.alerts()[0].Earlier)
	})
}
