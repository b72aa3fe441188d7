package dispatch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/alerting"
	"confab/schemas"
)

// TestFlagsInAnyOrder (I11): order and repetition of an incident's flags do not change the result, and the incident counts
// once.
func TestFlagsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alerts := rapid.SliceOfN(rapid.Bool(), 2, 2).Draw(rt, "fast and deep alert")
		order := rapid.Permutation(append([]int{0, 1}, rapid.SliceOfN(rapid.IntRange(0, 1), 0, 8).Draw(rt, "repeats")...)).Draw(rt, "order")
		restarts := rapid.SliceOfN(rapid.Bool(), len(order), len(order)).Draw(rt, "restarts")
		synctest.Test(t, func(t *testing.T) {
			flags := []schemas.Flag{similarFlag(1, 1), asDeep(similarFlag(1, 1))}
			want, posts := schemas.AlertState{}, 0
			for i := range flags {
				if flags[i].Alert = alerts[i]; flags[i].Alert {
					want, posts = schemas.AlertState{Status: schemas.AlertSent, Pass: flags[i].Pass}, 1
				}
			}
			log, sink := newMemoryLog(), &memorySink{}
			d := newHarness(t, harnessOptions{logs: []*memoryLog{log}, fakeSink: sink}).run()
			for i, n := range order {
				d.add(0, flags[n])
				if restarts[i] {
					d.stop()
					d = newHarness(t, harnessOptions{logs: []*memoryLog{log}, fakeSink: sink}).run()
				}
			}
			sleepVirtual(2 * time.Minute)
			got, _ := log.Get(flags[0].IncidentID)
			require.Equal(t, want, schemas.AlertState{Status: got.Status, Pass: got.Pass})
			require.Len(t, sink.Alerts(), posts)
			if posts == 1 {
				require.EqualValues(t, 1, sink.Alerts()[0].Count)
				require.Equal(t, want.Pass, sink.Alerts()[0].Flag.Pass, "the message shows the deep pass")
			}
			d.stop()
		})
	})
}

// TestRebalance: partitions move between two processes, also during delivery. Every incident is delivered and counted once
// over all messages, except for those in an edit whose partition moves before the edit is recorded.
func TestRebalance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	moves := map[string]func(a, b *harness){
		"one of three moves": func(a, b *harness) { a.Revoke(1); b.assign(1) },
		"it comes back":      func(a, b *harness) { a.Revoke(1); b.assign(1); sleepVirtual(time.Minute); b.Revoke(1); a.assign(1) },
		"all move at once": func(a, b *harness) {
			for p := range int32(3) {
				a.Revoke(p)
			}
			b.assign(0, 1, 2)
		},
		"one after the other": func(a, b *harness) {
			for p := range int32(3) {
				a.Revoke(p)
				b.assign(p)
				sleepVirtual(10 * time.Second)
			}
		},
	}
	for _, name := range slices.Sorted(maps.Keys(moves)) {
		for _, at := range []time.Duration{0, time.Second, 61 * time.Second} {
			t.Run(fmt.Sprintf("%s after %s", name, at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					logs, sink := []*memoryLog{newMemoryLog(), newMemoryLog(), newMemoryLog()}, &memorySink{}
					o := harnessOptions{partitions: 3, logs: logs, fakeSink: sink, own: []int32{}}
					a, b := newHarness(t, o).run(), newHarness(t, o).run()
					a.assign(0, 1, 2)
					n := 0
					more := func(d func(p int32) *harness) {
						for p := range int32(3) {
							d(p).add(p, similarFlag(1, n))
							d(p).add(p, similarFlag(int(p)+2, n))
							n++
						}
					}
					owner := func(p int32) *harness {
						if a.partition(p) != nil {
							return a
						}
						return b
					}
					more(owner)
					sleepVirtual(at)
					more(owner)
					moves[name](a, b)
					more(owner)
					sleepVirtual(3 * time.Minute)
					more(owner)
					sleepVirtual(3 * time.Minute)
					sent, unmarked := sink.Delivered()
					require.GreaterOrEqual(t, sent, int64(2*n), "nothing is lost")
					again := 0
					if at > time.Minute { // the next owner repeats what an edit during the move shows
						again = 3
					}
					require.LessOrEqual(t, sent, int64(2*n+again))
					require.Zero(t, unmarked)
					require.True(t, a.Idle() && b.Idle())
					require.Zero(t, a.totals().pending+b.totals().pending)
				})
			})
		}
	}
}

// TestRevokeDuringDelivery: when a partition is revoked during a post, its next owner repeats the message with the mark.
func TestRevokeDuringDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs, sink := []*memoryLog{newMemoryLog()}, &memorySink{NoHistory: true}
		a := newHarness(t, harnessOptions{logs: logs, fakeSink: sink}).run()
		sink.LoseReply = func(*schemas.Alert) error { a.Revoke(0); return nil }
		a.add(0, similarFlag(1, 1))
		synctest.Wait()
		sink.LoseReply = nil
		_, err := a.Add(t.Context(), 0, new(similarFlag(1, 2)))
		require.ErrorIs(t, err, alerting.ErrNotOwned)
		b := newHarness(t, harnessOptions{logs: logs, fakeSink: sink}).run()
		sleepVirtual(2 * time.Minute)
		require.Len(t, sink.Alerts(), 2)
		require.True(t, sink.Posts[1].First.PossiblyDuplicated)
		require.True(t, a.Idle() && b.Idle())
		require.Zero(t, a.totals().groups)
	})
}

// TestNoDeliveryBeforeLoad: a partition that is not loaded may have the message of the group.
func TestNoDeliveryBeforeLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{partitions: 2, own: []int32{0}}).run()
		d.Assign(1)
		d.add(0, similarFlag(1, 1))
		sleepVirtual(time.Hour)
		require.Empty(t, d.sink.Alerts())
		require.False(t, d.Idle())
		added := make(chan Outcome, 1)
		go func() {
			f := similarFlag(1, 2)
			f.DetectedAt = time.Time{}
			out, _ := d.Add(t.Context(), 1, &f)
			added <- out
		}()
		synctest.Wait()
		require.Empty(t, added, "it waits")
		require.NoError(t, d.Load(t.Context(), 1, d.logs[1], d.logs[1].Records()))
		require.Equal(t, Grouped, <-added)
		sleepVirtual(2 * time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		require.EqualValues(t, 2, d.sink.Alerts()[0].Count)
	})
}
