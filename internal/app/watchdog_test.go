package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
)

// TestWatchdogTime is exact about when the watchdog ends a worker: virtual time.
func TestWatchdogTime(t *testing.T) {
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
				loop := &fakeLoop{progress: consumer.Progress{Busy: tt.busy, Since: start, Topic: "in", Partition: 7}}
				r := &role{name: RoleDetect, loop: loop}
				w := &worker{Options: Options{Config: DefaultConfig(), Now: func() time.Time {
					if now := time.Now(); now.Sub(start) <= tt.waiting {
						r.waiting.Store(now.UnixNano())
					}
					return time.Now()
				}}, roles: []*role{r}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := w.watch(ctx)
				if tt.ends == 0 {
					require.NoError(t, err)
					require.Equal(t, time.Hour, time.Since(start))
					return
				}
				require.ErrorIs(t, err, errStuck)
				require.ErrorContains(t, err, "detect: a handler has made no progress for 2m1s on topic in partition 7")
				require.ErrorContains(t, err, "raise watchdog (now 2m0s)")
				require.Equal(t, tt.ends, time.Since(start))
			})
		})
	}
}

// fakeLoop is a runner that reports what it is told to.
type fakeLoop struct{ progress consumer.Progress }

func (f *fakeLoop) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (f *fakeLoop) Ready() bool                   { return true }

func (f *fakeLoop) Progress() consumer.Progress { return f.progress }

// TestStuckHandlerEndsTheWorker: a sink that never returns holds the alert role's handler; Run ends by itself, although
// the handler does not, and says which role and partition.
func TestStuckHandlerEndsTheWorker(t *testing.T) {
	b := newBench(t)
	b.config.ShutdownGrace = time.Second
	console := &stuckWriter{entered: make(chan struct{}), leave: make(chan struct{})}
	t.Cleanup(sync.OnceFunc(func() { close(console.leave) }))
	var ahead atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), Options{
			Config: b.config, Registry: b.registry, Logger: testLogger(t), Console: console,
			Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		})
	}()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	select {
	case <-console.entered:
	case err := <-done:
		t.Fatal("it ended early:", err)
	}
	ahead.Store(int64(3 * time.Minute))
	err := <-done
	require.ErrorIs(t, err, errStuck)
	require.ErrorContains(t, err, "watchdog: alert: a handler has made no progress for 3m")
	require.ErrorContains(t, err, "on topic llm.incidents partition ")
}

// stuckWriter does not return from Write until it may leave.
type stuckWriter struct{ entered, leave chan struct{} }

func (s *stuckWriter) Write([]byte) (int, error) {
	close(s.entered)
	<-s.leave
	return 0, errors.New("too late")
}
