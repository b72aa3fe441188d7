package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// TestWatchdogLimit is exact about when the watchdog ends a worker: virtual time.
func TestWatchdogLimit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		busy    bool
		waiting time.Duration // the handler says that it waits, from the start until then
		ends    time.Duration // 0: not within an hour
	}{
		{name: "idle"},
		{name: "stuck", busy: true, ends: 2*time.Minute + time.Second},
		{name: "waits on purpose, then is stuck", busy: true, waiting: 5 * time.Minute, ends: 7*time.Minute + time.Second},
		{name: "waits on purpose", busy: true, waiting: 2 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				loop := &fakeLoop{progress: consumer.Progress{Busy: tt.busy, Since: start, Topic: "in", Partition: 7, Offset: 42}}
				r := &role{name: config.RoleDetect, loop: loop}
				w := &worker{Options: Options{Config: config.Default(), Now: func() time.Time {
					if now := time.Now(); now.Sub(start) <= tt.waiting {
						r.busyUntil(now)
					}
					return time.Now()
				}}, roles: []*role{r}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := w.runWatchdog(ctx)
				if tt.ends == 0 {
					require.NoError(t, err)
					require.Equal(t, time.Hour, time.Since(start))
					return
				}
				require.ErrorIs(t, err, errStuck)
				require.ErrorContains(t, err, "detect: a handler has made no progress for 2m1s on topic in partition 7 offset 42")
				require.Equal(t, tt.ends, time.Since(start))
			})
		})
	}
}

// TestWatchdogIgnoresTheWallClock: what the watchdog compares are readings of the monotonic clock, which no correction of
// the wall clock moves. A time without one would be compared by the wall clock.
func TestWatchdogIgnoresTheWallClock(t *testing.T) {
	now := time.Now()
	require.Contains(t, now.String(), "m=", "a reading of both clocks")
	r := &role{loop: &fakeLoop{progress: consumer.Progress{Busy: true, Since: now}}}
	r.busyUntil(now.Add(time.Minute))
	require.Contains(t, r.waiting.Load().String(), "m=")
	require.NoError(t, r.alive(now.Add(2*time.Minute), time.Minute))
	require.ErrorIs(t, r.alive(now.Add(2*time.Minute+1), time.Minute), errStuck)
}

// fakeLoop is a roleLoop with a fixed progress.
type fakeLoop struct {
	progress   consumer.Progress
	unreadable []consumer.Unreadable
}

func (f *fakeLoop) Run(ctx context.Context) error     { <-ctx.Done(); return nil }
func (f *fakeLoop) Ready() bool                       { return true }
func (f *fakeLoop) Unreadable() []consumer.Unreadable { return f.unreadable }

func (f *fakeLoop) Progress() consumer.Progress { return f.progress }

// TestStuckHandlerEndsTheWorker: serve ends by itself, although the handler does not, and its error names role and partition.
func TestStuckHandlerEndsTheWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := newWorkerHarness(t)
	b.config.ShutdownGrace = time.Second
	b.config.Roles = []config.Role{config.RoleAlert}
	var ahead atomic.Int64
	w := &worker{Options: Options{
		Config: b.config, Registry: b.registry, Logger: testLogger(t),
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	}}
	require.NoError(t, w.open(t.Context(), t.Context()))
	defer w.close()
	handler := &stuckHandler{entered: make(chan struct{}), leave: make(chan struct{})}
	defer close(handler.leave)
	opts := loopOptions[*schemas.Flag](w, config.RoleAlert)
	opts.Topics, opts.Codec, opts.Handler = []string{b.config.Kafka.Topics.Incidents}, records.NewFlagCodec(nil), handler
	loop, err := consumer.New(opts)
	require.NoError(t, err)
	w.roles = []*role{{name: config.RoleAlert, loop: loop}}
	done := make(chan error, 1)
	go func() { done <- w.serve(context.Background()) }()
	flag, err := json.AppendFlag(nil, &schemas.Flag{IncidentID: "i", Pass: schemas.PassFast})
	require.NoError(t, err)
	b.produce("llm.incidents", string(flag))
	select {
	case <-handler.entered:
	case err := <-done:
		t.Fatal("it ended early:", err)
	}
	ahead.Store(int64(3 * time.Minute))
	err = <-done
	require.ErrorIs(t, err, errStuck)
	require.ErrorContains(t, err, "watchdog: alert: a handler has made no progress for 3m")
	require.ErrorContains(t, err, "on topic llm.incidents partition ")
}

// stuckHandler does not return until it is released.
type stuckHandler struct{ entered, leave chan struct{} }

func (s *stuckHandler) Handle(context.Context, []consumer.Record[*schemas.Flag], consumer.Producer) error {
	close(s.entered)
	<-s.leave
	return errors.New("too late")
}
