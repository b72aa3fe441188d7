package dispatch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// TestChangesDuringPostAreShown: an edit shows changes that come during the first post or right before shutdown.
func TestChangesDuringPostAreShown(t *testing.T) {
	changes := map[string]func(t *testing.T, d *harness){
		"a deep pass": func(t *testing.T, d *harness) { d.add(0, asDeep(similarFlag(1, 1))) },
		"a label": func(t *testing.T, d *harness) {
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{
				IncidentID: similarFlag(1, 1).IncidentID, Verdict: schemas.Wrong, User: "U1", Source: schemas.FromSlack, At: time.Now(),
			}))
		},
	}
	shows := func(t *testing.T, sink *memorySink) {
		sleepVirtual(2 * time.Minute)
		require.Len(t, sink.Alerts(), 1)
		a := sink.Alerts()[0]
		require.True(t, a.Flag.Pass == schemas.PassDeep || len(a.Feedback) == 1)
		require.Equal(t, 1, sink.Edits)
	}
	for name, change := range changes {
		t.Run(name+" while it is posted", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				sink := &memorySink{}
				d := newHarness(t, harnessOptions{fakeSink: sink, notifier: gatedSink{sink, gate}}).run()
				d.add(0, similarFlag(1, 1))
				synctest.Wait()
				change(t, d)
				close(gate)
				shows(t, sink)
			})
		})
		t.Run(name+" before the end", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logs, sink := []*memoryLog{newMemoryLog()}, &memorySink{}
				d := newHarness(t, harnessOptions{logs: logs, fakeSink: sink}).run()
				d.add(0, similarFlag(1, 1))
				synctest.Wait()
				d.stop()
				change(t, d)
				newHarness(t, harnessOptions{logs: logs, fakeSink: sink}).run()
				shows(t, sink)
				_ = newHarness(t, harnessOptions{logs: logs, fakeSink: sink}).run()
				sleepVirtual(2 * time.Minute)
				require.Equal(t, 1, sink.Edits, "it is edited once")
			})
		})
	}
}

// gatedSink posts when its gate is open.
type gatedSink struct {
	*memorySink
	gate chan struct{}
}

func (s gatedSink) Notify(ctx context.Context, a schemas.Alert) (schemas.Receipt, error) {
	<-s.gate
	return s.memorySink.Notify(ctx, a)
}

// TestEditDuringRebalance: when a partition is revoked during an edit, its next owner continues from the log. What the edit
// shows of it may count twice.
func TestEditDuringRebalance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs, sink := []*memoryLog{newMemoryLog(), newMemoryLog()}, &memorySink{}
		o := harnessOptions{partitions: 2, logs: logs, fakeSink: sink, own: []int32{}}
		a, b := newHarness(t, o).run(), newHarness(t, o).run()
		a.assign(0, 1)
		for i := range 2 {
			a.add(int32(i), similarFlag(1, i))
		}
		sleepVirtual(time.Second)
		sink.Mutex.Lock()
		sink.Fail = func(op string, _ *schemas.Alert) error {
			if op == "edit" {
				sink.Fail = nil
				a.Revoke(1)
			}
			return nil
		}
		sink.Mutex.Unlock()
		for i := range 2 {
			a.add(int32(i), similarFlag(1, 10+i))
		}
		sleepVirtual(2 * time.Minute)
		b.assign(1)
		sleepVirtual(2 * time.Minute)
		sent, unmarked := sink.Delivered()
		require.Contains(t, []int64{4 + 1, 4 + 2}, sent)
		require.Zero(t, unmarked)
		require.Len(t, sink.Alerts(), 2)
	})
}

// TestPartitionsComeBack: all partitions are lost together and come back, while the log lacks what an edit shows. The message
// is edited on: no incident counts twice.
func TestPartitionsComeBack(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 3}, func(t *testing.T, d *harness) {
		add := func(first int) {
			for p := range int32(3) {
				d.add(p, similarFlag(1, first+int(p)))
			}
		}
		add(0)
		sleepVirtual(2 * time.Minute)
		add(3)
		for _, log := range d.logs { // the brokers cannot be reached
			log.SetFail(func([]alerting.StateEntry) error { return errors.New("no broker") })
		}
		sleepVirtual(2 * time.Minute)
		require.EqualValues(t, 6, d.sink.Alerts()[0].Count)
		d.Revoke(0, 1, 2)
		synctest.Wait()
		for _, log := range d.logs {
			log.SetFail(nil)
		}
		d.assign(0, 1, 2)
		add(6)
		sleepVirtual(3 * time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		require.EqualValues(t, 9, d.sink.Alerts()[0].Count)
	})
}
