package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// gatedEditSink takes a while, unless its context ends.
type gatedEditSink struct {
	*memorySink
	takes time.Duration
}

func (s gatedEditSink) Notify(ctx context.Context, a schemas.Alert) (schemas.Receipt, error) {
	select {
	case <-time.After(s.takes):
		return s.memorySink.Notify(ctx, a)
	case <-ctx.Done():
		return schemas.Receipt{}, ctx.Err()
	}
}

// TestStopWhilePosting: shutdown waits a little for a post that has begun, and records it.
func TestStopWhilePosting(t *testing.T) {
	for takes, want := range map[time.Duration]schemas.AlertStatus{
		2 * time.Second: schemas.AlertSent, // ends within the grace period
		time.Minute:     schemas.AlertPending,
	} {
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &memorySink{}
				d := newHarness(t, harnessOptions{fakeSink: sink, notifier: gatedEditSink{sink, takes}}).run()
				f := similarFlag(1, 0)
				d.add(0, f)
				sleepVirtual(time.Second)
				sent := time.Now()
				d.stop()
				require.LessOrEqual(t, time.Since(sent), shutdownGrace)
				k := d.store.kindOf(&f)
				got, ok := d.logs[0].Get(k.key())
				require.True(t, ok)
				require.Equal(t, want, got.Status)
				require.Equal(t, want == schemas.AlertSent, got.Timestamp != "")
				synctest.Wait()
			})
		})
	}
}
