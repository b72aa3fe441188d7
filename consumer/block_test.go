package consumer

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/retry"
)

// TestNoRebalanceBetweenPollAndHandOut holds records between the client's buffer and the loop's queues, while the
// coordinator forgets the member. Without the block, the partition would be lost and assigned again, and the polled
// records would enter the queue of the new assignment: its watermark would pass the records before them.
func TestNoRebalanceBetweenPollAndHandOut(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 5)...)
	var (
		s     handledValues
		began = make(chan struct{})
		leave = make(chan struct{})
		first sync.Once
	)
	opts := r.options(func(_ context.Context, batch []Record[string], _ Producer) error {
		first.Do(func() { // the first batch is in work during all of it, and outlives its assignment
			close(began)
			<-leave
		})
		s.add(batch)
		return nil
	})
	opts.RevokeWait = 10 * time.Millisecond
	gate := &pollGate{offset: 5, polled: make(chan struct{}), pass: make(chan struct{})}
	pass, finish := sync.OnceFunc(func() { close(gate.pass) }), sync.OnceFunc(func() { close(leave) })
	l, err := New(opts)
	require.NoError(t, err)
	l.clientOptions = []kgo.Opt{kgo.WithHooks(gate)}
	run := r.startLoop(t, l)
	t.Cleanup(func() { pass(); finish() })
	<-began
	r.produce(t, 0, numberedValues(5, 5)...)
	<-gate.polled
	heartbeat := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID})
	require.NoError(t, heartbeat.Wait(t.Context(), 1))
	// The member knows that it was forgotten. It may not act on it: give it as long as joining anew takes elsewhere.
	_ = retry.Sleep(t.Context(), 500*time.Millisecond)
	require.Zero(t, counterValue(r.metrics.Rebalances, "test", "lost"), "a rebalance between poll and hand-out")
	pass()
	eventually(t, func() bool { return counterValue(r.metrics.Rebalances, "test", "lost") == 1 })
	finish()
	r.awaitCommitted(t, map[int32]int64{0: 10})
	require.NoError(t, run.stop())
	got := s.of(0)
	slices.Sort(got)
	require.Equal(t, numberedValues(0, 10), slices.Compact(got))
}

// pollGate is a hook that delays the poll that brings the record with the given offset, once.
type pollGate struct {
	offset       int64
	polled, pass chan struct{}
	once         sync.Once
}

// OnFetchRecordUnbuffered implements kgo.HookFetchRecordUnbuffered: it runs on the polling goroutine.
func (g *pollGate) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if polled && r.Topic == inTopic && r.Offset == g.offset {
		g.once.Do(func() {
			close(g.polled)
			<-g.pass
		})
	}
}
