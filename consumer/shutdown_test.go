package consumer

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShutdownCommitsWhatIsDone(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 100)...)
	began := make(chan struct{})
	finish := make(chan struct{})
	var s handledValues
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		if batch[0].Offset == 20 {
			close(began)
			<-finish
		}
		return s.handle(ctx, batch, out)
	})
	opts.MaxBatch = 10
	run := r.start(t, opts)
	<-began
	run.quit()
	eventually(t, func() bool { return !run.loop.Ready() })
	close(finish)
	require.NoError(t, run.wait())
	require.Equal(t, numberedValues(0, 30), s.of(0), "the batch in flight is finished and no other is begun")
	require.Equal(t, int64(30), r.committed(t)[0])

	var rest handledValues // the next process goes on exactly there
	again := r.start(t, r.options(rest.handle))
	eventually(t, func() bool { return rest.len() == 70 })
	require.NoError(t, again.stop())
	require.Equal(t, numberedValues(30, 70), rest.of(0))
}

// TestShutdownEndsSlowHandlers: a handler that waits for its context returns, and its batch is not committed.
func TestShutdownEndsSlowHandlers(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a")
	began := make(chan struct{})
	opts := r.options(func(ctx context.Context, _ []Record[string], _ Producer) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	})
	opts.Grace = 200 * time.Millisecond
	run := r.start(t, opts)
	<-began
	require.NoError(t, run.stop())
	require.Zero(t, r.committed(t)[0])
}

func TestHandlerThatNeverReturnsIsReported(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a")
	began, release := make(chan struct{}), make(chan struct{})
	opts := r.options(func(context.Context, []Record[string], Producer) error {
		close(began)
		<-release
		return nil
	})
	opts.Grace = 100 * time.Millisecond
	run := r.start(t, opts)
	<-began
	require.ErrorContains(t, run.stop(), "1 handlers did not return within the grace period")
	close(release)
	run.loop.workers.Wait()
	require.Zero(t, r.committed(t)[0], "what ends after the assignment is not committed")
	require.InDelta(t, 1, counterValue(r.metrics.Stale, "test"), 0)
}
