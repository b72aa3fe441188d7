package worker

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/consumer"
)

// eventRecorder records events in order.
type eventRecorder struct {
	mu    sync.Mutex
	lines []string
}

func (d *eventRecorder) record(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *eventRecorder) events() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

// recordedLoop is a fake consumer loop that records its end.
type recordedLoop struct {
	*eventRecorder
	fails error
}

func (l recordedLoop) Run(ctx context.Context) error {
	if l.fails != nil {
		return l.fails
	}
	<-ctx.Done()
	l.record("loop left")
	return nil
}
func (recordedLoop) Ready() bool                       { return true }
func (recordedLoop) Unreadable() []consumer.Unreadable { return nil }
func (recordedLoop) Progress() consumer.Progress       { return consumer.Progress{} }

// TestDeliveryEndsBeforeTheGroupIsLeft: the dispatcher ends while the process still owns the partitions.
func TestDeliveryEndsBeforeTheGroupIsLeft(t *testing.T) {
	broken := errors.New("cannot listen")
	for _, tt := range []struct {
		name       string
		under      time.Duration // how long a message is still in progress
		loop       error
		background error
		want       []string
		err        error
		took       time.Duration
	}{
		{name: "asked to stop", under: time.Second, want: []string{"delivered", "loop left"}, took: 61 * time.Second},
		{name: "a sink that hangs", under: time.Hour, want: []string{"loop left"}, err: errSinkLate, took: 65 * time.Second},
		{name: "background work fails", background: broken, want: []string{"delivered", "loop left"}, err: broken},
		{name: "the loop fails", loop: broken, want: []string{"delivered"}, err: broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d eventRecorder
				a := &alertLoop{
					roleLoop: recordedLoop{&d, tt.loop}, grace: 5 * time.Second,
					deliver: func(ctx context.Context) error {
						<-ctx.Done()
						time.Sleep(tt.under) //nolint:forbidigo // virtual time
						d.record("delivered")
						return ctx.Err()
					},
					background: []func(context.Context) error{func(ctx context.Context) error {
						if tt.background == nil {
							<-ctx.Done()
						}
						return tt.background
					}},
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				require.ErrorIs(t, a.Run(ctx), tt.err)
				require.Equal(t, tt.took, time.Since(start))
				require.Equal(t, tt.want, d.events())
				time.Sleep(time.Hour) //nolint:forbidigo // virtual time: for the sink to return
			})
		})
	}
}

// recordedOwner is a fake dispatcher that records assignments and loads.
type recordedOwner struct {
	*eventRecorder
	fails int // loads
}

func (o *recordedOwner) Assign(ps ...int32) { o.record("assign %d", ps) }
func (o *recordedOwner) Revoke(ps ...int32) { o.record("revoke %d", ps) }

func (o *recordedOwner) Load(_ context.Context, p int32, _ alerting.StateLog, records iter.Seq2[alerting.StateEntry, error]) error {
	for e, err := range records {
		if err != nil {
			return err
		}
		if o.fails > 0 {
			o.fails--
			return errors.New("not now")
		}
		o.record("load %d: %s", p, e.Key)
	}
	return nil
}

func TestPartitionsAreLoadedOncePerAssignment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &recordedOwner{eventRecorder: &eventRecorder{}, fails: 1}
		reading := 0
		a := &alertPartitions{
			dispatcher: o, log: slog.New(slog.DiscardHandler), loads: make(map[int32]*alertLoad),
			read: func(ctx context.Context, _ int32) (alerting.StateLog, iter.Seq2[alerting.StateEntry, error]) {
				reading++
				now := fmt.Sprintf("as of reading %d", reading)
				var err error
				switch reading {
				case 1:
					err = errors.New("no broker")
				case 4:
					<-ctx.Done() // a long reading, which ends with the assignment
					err = ctx.Err()
				}
				return nil, func(yield func(alerting.StateEntry, error) bool) { yield(alerting.StateEntry{Key: now}, err) }
			},
		}
		one := []int32{1}
		a.assign("", one)
		time.Sleep(time.Minute) //nolint:forbidigo // virtual time
		a.revoke("", one)
		a.assign("", one)
		a.revoke("", one)
		a.assign("", one)
		synctest.Wait()
		a.revoke("", []int32{1, 7})
		require.Equal(t, []string{
			"assign [1]", "load 1: as of reading 3", "revoke [1]",
			"assign [1]", "revoke [1]",
			"assign [1]", "load 1: as of reading 5", "revoke [1 7]",
		}, o.events())
	})
}
