package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/logtest"
	"confab/internal/worker/logging"
)

// The tests of this file run in virtual time: seconds cost nothing, and what they say about time is exact.

func TestRecreatedTopicIsFatal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, numberedValues(0, 5)...)
		run := r.start(t, r.options(copyHandler))
		r.awaitCommitted(t, map[int32]int64{0: 5})
		require.NoError(t, r.cluster.DeleteTopic(inTopic))
		require.NoError(t, r.cluster.CreateTopic(inTopic, 1, nil))
		<-run.done
		require.ErrorIs(t, run.err, errRecreated)
		require.ErrorContains(t, run.err, "delete the group's offsets for the topic and start again")
	})
}

// A broker that has just started does not know topics by their id for a while, which is transient.
func TestBrokerThatDoesNotKnowTheTopicYet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, numberedValues(0, 5)...)
		denials := r.cluster.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Fetch}, Topic: inTopic, Err: kerr.UnknownTopicID, Count: 12,
		})
		run := r.start(t, r.options(copyHandler))
		r.awaitCommitted(t, map[int32]int64{0: 5})
		require.NoError(t, run.stop())
		require.Equal(t, 12, denials.Hits(), "the client reports it to us after some")
	})
}

// TestGrace: handlers get the grace period less the time that the last commit needs, then their context ends.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, "a")
		began := make(chan struct{})
		var waited time.Duration
		opts := r.options(func(ctx context.Context, _ []Record[string], _ Producer) error {
			close(began)
			start := time.Now()
			<-ctx.Done()
			waited = time.Since(start)
			return ctx.Err()
		})
		opts.Grace = 30 * time.Second
		run := r.start(t, opts)
		<-began
		require.NoError(t, run.stop())
		require.Equal(t, 22*time.Second, waited)
		require.Zero(t, r.committed(t)[0])
	})
}

// TestShutdownWithoutBrokers: the process ends in time although it can neither commit nor leave the group.
func TestShutdownWithoutBrokers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 2)
		var s handledValues
		opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
			s.add(batch)
			return copyHandler(ctx, batch, out)
		})
		opts.Grace = 30 * time.Second
		opts.Heartbeat, opts.SessionTimeout = time.Minute, 5*time.Minute // the outage is not noticed by the group before
		run := r.start(t, opts)
		r.produce(t, 0, "a")
		r.awaitCommitted(t, map[int32]int64{0: 1})
		r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: outTopic, Err: kerr.NotEnoughReplicas, Count: -1})
		r.produce(t, 0, "b")
		eventually(t, func() bool { return s.len() == 2 }) // handled, and its output is never acknowledged
		r.down.Store(true)
		r.cluster.Close()
		start := time.Now()
		run.quit()
		<-run.done
		require.NoError(t, run.err)
		t.Log("shut down in", time.Since(start))
		require.Less(t, time.Since(start), 30*time.Second)
	})
}

// TestAFailingPartitionSaysSoOnceAMinute also shows that an error's own delay is honored and that the wait is not
// taken for a stuck handler.
func TestAFailingPartitionSaysSoOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, "a")
		var (
			log   logtest.Buffer
			calls []time.Time
		)
		passed := make(chan struct{})
		opts := r.options(func(context.Context, []Record[string], Producer) error {
			calls = append(calls, time.Now())
			if len(calls) < 12 {
				return fmt.Errorf("rate limited: %w", retryAfterError{errors.New("rate limited"), 15 * time.Second})
			}
			close(passed)
			return nil
		})
		opts.Logger = slog.New(logging.LimitRepeats(logEvery, slog.NewTextHandler(&log, nil)))
		run := r.start(t, opts)
		eventually(t, func() bool { return run.loop.owned.StuckFor() > 10*time.Second })
		require.False(t, run.loop.Progress().Busy, "waiting for the next attempt is not being stuck")
		<-passed
		require.NoError(t, run.stop())
		for i := 1; i < len(calls); i++ {
			require.GreaterOrEqual(t, calls[i].Sub(calls[i-1]), 15*time.Second)
			require.Less(t, calls[i].Sub(calls[i-1]), 16*time.Second)
		}
		require.Equal(t, 3, log.Count("process batch failed"), "eleven failures over 165 seconds")
	})
}

type retryAfterError struct {
	error
	after time.Duration
}

func (l retryAfterError) RetryAfter() time.Duration { return l.after }
