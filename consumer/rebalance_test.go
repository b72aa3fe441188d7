package consumer

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestMembersComeAndGo keeps records coming while members join and leave, some of them in the middle of work.
func TestMembersComeAndGo(t *testing.T) {
	r := newHarness(t, 6)
	first := r.start(t, r.options(copyHandler))
	eventually(t, first.loop.Ready)
	const rounds, each = 6, 40
	var others []*runningLoop
	for round := range rounds {
		for p := range int32(6) {
			r.produce(t, p, numberedValues(round*each, each)...)
		}
		if round%2 == 0 {
			opts := r.options(copyHandler)
			opts.MaxBatch = 3
			others = append(others, r.start(t, opts))
			eventually(t, others[len(others)-1].loop.Ready)
		} else {
			require.NoError(t, others[len(others)-1].stop())
		}
	}
	want := make(map[int32]int64)
	for p := range int32(6) {
		want[p] = rounds * each
	}
	r.awaitCommitted(t, want)
	require.NoError(t, first.stop())

	copied := make(map[string]int)
	for _, rec := range r.read(t, outTopic) {
		copied[string(rec.Value)]++
	}
	for i := range rounds * each {
		require.GreaterOrEqual(t, copied[fmt.Sprintf("v%06d", i)], 6, "value %d is missing from a partition", i)
	}
}

// TestRevokeWaitsForWorkInFlight: the batch that is being handled when a partition is taken away is committed by its
// old owner, and the new one goes on behind it.
func TestRevokeWaitsForWorkInFlight(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 10)...)
	began, finish := make(chan struct{}), make(chan struct{})
	var s handledValues
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		if batch[0].Offset == 0 {
			close(began)
			<-finish
		}
		return s.handle(ctx, batch, out)
	})
	opts.MaxBatch = 5
	var revoked atomic.Int32
	opts.OnRevoked = func(_ string, ps []int32) { revoked.Add(int32(len(ps))) }
	old := r.start(t, opts)
	<-began
	go func() {
		p := old.loop.owned.All()[0]
		<-p.Stop // the partition is being revoked: nothing new begins
		close(finish)
	}()
	old.loop.onRevoked(t.Context(), old.loop.owned.All()[0].Client, map[string][]int32{inTopic: {0}})
	require.Equal(t, numberedValues(0, 5), s.of(0))
	require.Equal(t, int64(5), r.committed(t)[0])
	require.Equal(t, int32(1), revoked.Load())
	require.Empty(t, old.loop.owned.All())
	require.NoError(t, old.stop())
	require.Zero(t, counterValue(r.metrics.Stale, "test"))
}

// TestProgressOfAnAbandonedBatch: a handler that outlives the partition's revocation is watched until it returns.
func TestProgressOfAnAbandonedBatch(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "stuck")
	began, finish := make(chan struct{}), make(chan struct{})
	opts := r.options(func(context.Context, []Record[string], Producer) error {
		close(began)
		<-finish
		return nil
	})
	opts.RevokeWait = 20 * time.Millisecond
	l := r.start(t, opts)
	<-began
	p := l.loop.owned.All()[0]
	l.loop.onRevoked(t.Context(), p.Client, map[string][]int32{inTopic: {0}})
	require.Empty(t, l.loop.owned.All())
	progress := l.loop.Progress()
	require.True(t, progress.Busy)
	require.Equal(t, inTopic, progress.Topic)
	close(finish)
	<-p.Idle
	require.False(t, l.loop.Progress().Busy)
	require.NoError(t, l.stop())
}

// TestCompletionAfterRevokeIsDiscarded: work that outlives the wait is neither committed nor counted, and its context
// ends.
func TestCompletionAfterRevokeIsDiscarded(t *testing.T) {
	r := newHarness(t, 2)
	r.produce(t, 0, "slow")
	r.produce(t, 1, "slow")
	began, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	opts := r.options(func(ctx context.Context, _ []Record[string], _ Producer) error {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil // it claims success, but too late
	})
	opts.RevokeWait, opts.Grace = 20*time.Millisecond, 100*time.Millisecond
	opts.Workers = 2
	old := r.start(t, opts)
	<-began
	<-began
	var s handledValues
	next := r.start(t, r.options(s.handle)) // takes one of the two partitions
	<-ended
	eventually(t, func() bool { return s.len() == 1 })
	eventually(t, func() bool { return counterValue(r.metrics.Stale, "test") == 1 })
	require.InDelta(t, 1, counterValue(r.metrics.Interactions, "test"), 0)
	require.NoError(t, old.stop()) // the other one is still its own when its context ends: that success counts
	r.awaitCommitted(t, map[int32]int64{0: 1, 1: 1})
	require.NoError(t, next.stop())
	require.Equal(t, 1, s.len())
	require.InDelta(t, 2, counterValue(r.metrics.Interactions, "test"), 0)
}

// TestLostPartitionsAreNotCommitted: the coordinator forgets the member while one record is done but not committed and
// the next one is in work.
func TestLostPartitionsAreNotCommitted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 3)...)
	second, began, finish := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var lost atomic.Bool
	var s handledValues
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		switch at := batch[0].Offset; {
		case at == 1:
			<-second
		case at == 2 && !lost.Load():
			close(began)
			<-finish
		}
		return s.handle(ctx, batch, out)
	})
	opts.MaxBatch, opts.CommitInterval = 1, time.Hour
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 1}) // the next commit would come after an hour
	close(second)
	<-began
	r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID})
	eventually(t, func() bool { return counterValue(r.metrics.Rebalances, "test", "lost") == 1 })
	lost.Store(true)
	require.Equal(t, int64(1), r.committed(t)[0])
	close(finish)
	eventually(t, func() bool { return counterValue(r.metrics.Stale, "test") == 1 })
	eventually(t, func() bool { return s.len() == 5 })
	require.NoError(t, run.stop())
	require.Equal(t, int64(3), r.committed(t)[0])
	want := slices.Concat(numberedValues(0, 3), numberedValues(1, 2))
	require.ElementsMatch(t, want, s.of(0), "what was lost is done again")
}

// TestCloseDuringRevoke: a member ends while it gives partitions back; the partitions must not be stranded.
func TestCloseDuringRevoke(t *testing.T) {
	for _, instance := range []string{"", "pod-0"} {
		t.Run("instance="+instance, func(t *testing.T) {
			r := newHarness(t, 4)
			for p := range int32(4) {
				r.produce(t, p, numberedValues(0, 10)...)
			}
			began, finish := make(chan struct{}, 100), make(chan struct{})
			opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
				began <- struct{}{}
				<-finish
				return copyHandler(ctx, batch, out)
			})
			opts.InstanceID, opts.LeaveOnExit, opts.Workers = instance, true, 4
			old := r.start(t, opts)
			<-began
			next := r.start(t, r.options(copyHandler))
			eventually(t, func() bool { return counterValue(r.metrics.Rebalances, "test", "assigned") >= 1 })
			old.quit()
			close(finish)
			require.NoError(t, old.wait())
			r.awaitCommitted(t, map[int32]int64{0: 10, 1: 10, 2: 10, 3: 10})
			require.NoError(t, next.stop())
			copied := make(map[string]int)
			for _, rec := range r.read(t, outTopic) {
				copied[string(rec.Value)]++
			}
			for _, v := range numberedValues(0, 10) {
				require.GreaterOrEqual(t, copied[v], 4)
			}
		})
	}
}

func TestStaticMemberKeepsItsPlace(t *testing.T) {
	r := newHarness(t, 2)
	opts := r.options(copyHandler)
	opts.InstanceID = "pod-0"
	run := r.start(t, opts)
	eventually(t, run.loop.Ready)
	require.NoError(t, run.stop())
	info := r.cluster.GroupInfo(testGroup)
	require.Len(t, info.Members, 1, "a static member does not leave on a restart")

	opts.LeaveOnExit = true
	run = r.start(t, opts)
	r.produce(t, 0, "a")
	r.awaitCommitted(t, map[int32]int64{0: 1})
	require.NoError(t, run.stop())
	require.Empty(t, r.cluster.GroupInfo(testGroup).Members, "but on a scale-down")
}

func TestFencedInstanceIsFatal(t *testing.T) {
	r := newHarness(t, 1)
	opts := r.options(copyHandler)
	opts.InstanceID = "pod-0"
	older := r.start(t, opts)
	eventually(t, older.loop.Ready)
	newer := r.start(t, opts)
	<-older.done
	require.ErrorContains(t, older.err, `another process joined group confab-test with the same instance_id "pod-0"`)
	require.ErrorIs(t, older.err, kerr.FencedInstanceID)
	require.NoError(t, newer.stop())
}

// TestPauseDoesNotOutliveAnAssignment: the client keeps a partition paused over assignments, so we must not.
func TestPauseDoesNotOutliveAnAssignment(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 100)...)
	gate := make(chan struct{})
	var s handledValues
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		select {
		case <-gate:
			return s.handle(ctx, batch, out)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	opts.InFlightRecords, opts.MaxBatch = 10, 5
	run := r.start(t, opts)
	eventually(t, func() bool {
		p := run.loop.owned.Find(partitionID{Topic: inTopic, Partition: 0})
		return p != nil && isPaused(p)
	})
	r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID})
	eventually(t, func() bool { return counterValue(r.metrics.Rebalances, "test", "lost") == 1 })
	close(gate)
	r.awaitCommitted(t, map[int32]int64{0: 100})
	require.NoError(t, run.stop())
}

func TestCommitsAreFrequentAfterAnAssignment(t *testing.T) {
	r := newHarness(t, 1)
	opts := r.options(copyHandler)
	opts.CommitInterval = 100 * time.Millisecond
	run := r.start(t, opts)
	eventually(t, run.loop.Ready)
	require.Equal(t, 20*time.Millisecond, run.loop.commitPause(time.Now()))
	require.Equal(t, opts.CommitInterval, run.loop.commitPause(time.Now().Add(churnTime)))
	require.NoError(t, run.stop())
}

// TestOwnersChangeTogether: partitions that are assigned or revoked together are reported together.
func TestOwnersChangeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 3)
		var s handledValues
		opts := r.options(s.handle)
		var calls []string
		report := func(what string) func(string, []int32) {
			return func(topic string, partitions []int32) {
				slices.Sort(partitions)
				calls = append(calls, fmt.Sprintf("%s %s %v", what, topic, partitions))
			}
		}
		opts.OnAssigned, opts.OnRevoked = report("assigned"), report("revoked")
		run := r.start(t, opts)
		r.produce(t, 0, numberedValues(0, 1)...)
		r.awaitCommitted(t, map[int32]int64{0: 1})
		require.NoError(t, run.stop())
		require.Equal(t, []string{"assigned in [0 1 2]", "revoked in [0 1 2]"}, calls)
	})
}
