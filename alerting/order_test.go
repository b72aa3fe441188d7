package alerting

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/schemas"
)

// TestTellInAnyOrder: whatever the order and repetition of an incident's flags, and wherever the process dies on the
// way, the end is the same; every incident is told, and twice only under the mark.
func TestTellInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []schemas.Flag{
			flagOf(schemas.PassFast, rapid.Bool().Draw(t, "fast alerts")),
			flagOf(schemas.PassDeep, rapid.Bool().Draw(t, "deep alerts")),
		}
		want := schemas.AlertState{}
		for _, f := range kinds {
			if f.Alert {
				want = schemas.AlertState{Status: schemas.AlertSent, Pass: f.Pass}
			}
		}
		extra := rapid.SliceOfN(rapid.IntRange(0, 1), 0, 8).Draw(t, "repeats")
		order := rapid.Permutation(append([]int{0, 1}, extra...)).Draw(t, "order")
		deaths := rapid.SliceOfN(rapid.IntRange(0, 2), len(order), len(order)).Draw(t, "deaths")

		r := newRig()
		for i, kind := range order {
			die(t, r, kinds[kind], deaths[i])
			r.tell(t, kinds[kind]) // offered again after a death: its offset was not committed
		}
		got, _ := r.state.Get(incident)
		require.Equal(t, want, schemas.AlertState{Status: got.Status, Pass: got.Pass})
		require.Equal(t, want.Status == schemas.AlertSent, len(r.sink.got) > 0, "told if and only if a flag alerts")
		for i := 1; i < len(r.sink.got); i++ {
			require.True(t, r.sink.got[i].MayRepeat, "a second post is marked")
		}
	})
}

// die offers the flag to a process that ends before (1) or after (2) the sink has accepted the message.
func die(t require.TestingT, r *rig, f schemas.Flag, when int) {
	if when == 0 {
		return
	}
	was, known := r.state.Get(incident)
	step := decide(was, &f)
	if step.do != post && step.do != repost {
		return
	}
	require.Equal(t, known, was.Status != "")
	r.state.now[incident] = schemas.AlertState{Status: schemas.AlertPending, Pass: f.Pass, Attempt: was.Attempt + 1}
	if when == 2 {
		_, err := r.sink.Notify(context.Background(), schemas.Alert{Flag: f, MayRepeat: step.do == repost})
		require.NoError(t, err)
	}
}
