package consumer

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// anyRequest is every request.
const anyRequest = -1

// hang keeps the requests with the key from being answered and returns how many there were.
func (r *loopHarness) hang(t testing.TB, key int16) *atomic.Int32 {
	t.Helper()
	hits, release := r.cluster.Hang(key)
	t.Cleanup(release)
	return hits
}

var gracePeriods = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}

// stopInTime ends the loop and requires that it returns within its grace period.
func stopInTime(t *testing.T, run *runningLoop, grace time.Duration) error {
	t.Helper()
	start := time.Now()
	run.quit()
	<-run.done
	t.Logf("grace %s: returned after %s", grace, time.Since(start))
	require.LessOrEqual(t, time.Since(start), grace)
	return run.err
}

// TestGraceHoldsWhileStarting has requests that are never answered before the member has its partitions.
func TestGraceHoldsWhileStarting(t *testing.T) {
	for _, tt := range []struct {
		name string
		key  int16
		at   int32 // the request of that number is waited for
	}{
		{"connecting", anyRequest, 1},
		{"metadata", int16(kmsg.Metadata), 1},
		{"coordinator", int16(kmsg.FindCoordinator), 1},
		{"first join", int16(kmsg.JoinGroup), 1},
		{"sync", int16(kmsg.SyncGroup), 1},
		{"committed offsets", int16(kmsg.OffsetFetch), 1},
		{"list offsets", int16(kmsg.ListOffsets), 1},
		{"fetch", int16(kmsg.Fetch), 1},
	} {
		for _, grace := range gracePeriods {
			for _, instance := range []string{"", "pod-0"} {
				t.Run(fmt.Sprintf("%s/%s/%s", tt.name, grace, instance), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := newVirtualHarness(t, 2)
						r.produce(t, 0, numberedValues(0, 5)...)
						hits := r.hang(t, tt.key)
						opts := r.options(copyHandler)
						opts.Grace, opts.InstanceID, opts.LeaveOnExit = grace, instance, true
						run := r.start(t, opts)
						eventually(t, func() bool { return hits.Load() >= tt.at })
						require.NoError(t, stopInTime(t, run, grace))
					})
				})
			}
		}
	}
}

// TestGraceHoldsWhileRunning has requests that are never answered any more once the member works.
func TestGraceHoldsWhileRunning(t *testing.T) {
	for _, tt := range []struct {
		name    string
		key     int16
		commits bool // brokers still answer commits
	}{
		{"everything", anyRequest, false},
		{"fetch", int16(kmsg.Fetch), true},
		{"heartbeat", int16(kmsg.Heartbeat), true},
		{"commit", int16(kmsg.OffsetCommit), false},
		{"leave", int16(kmsg.LeaveGroup), true},
		{"metadata", int16(kmsg.Metadata), true},
		{"produce", int16(kmsg.Produce), false},
	} {
		for _, grace := range gracePeriods {
			t.Run(fmt.Sprintf("%s/%s", tt.name, grace), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newVirtualHarness(t, 1)
					var s handledValues
					opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
						s.add(batch)
						return copyHandler(ctx, batch, out)
					})
					opts.Grace, opts.CommitInterval = grace, time.Hour // the first and the last commit only
					run := r.start(t, opts)
					r.produce(t, 0, numberedValues(0, 5)...)
					eventually(t, func() bool { return s.len() == 5 })
					r.produce(t, 0, numberedValues(5, 5)...)
					eventually(t, func() bool { return s.len() == 10 })
					synctest.Wait()
					r.hang(t, tt.key)
					synctest.Wait()
					require.NoError(t, stopInTime(t, run, grace))
					if tt.commits {
						require.EqualValues(t, 10, r.cluster.GroupInfo(testGroup).Commits[inTopic][0].Offset, "what is done is committed")
					}
				})
			})
		}
	}
}

// TestGraceHoldsInEveryStateOfAPartition: what was done before is committed, however the rest of the partition waits.
func TestGraceHoldsInEveryStateOfAPartition(t *testing.T) {
	never := func(ctx context.Context, batch []Record[string], _ Producer) error {
		if batch[0].Offset < 5 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		name   string
		handle handlerFunc
		rest   []string
		outage bool                                       // of the dead-letter topic
		state  func(r *loopHarness, l *Loop[string]) bool // reached
	}{
		{"a handler that heeds its context", never, numberedValues(5, 5), false, func(_ *loopHarness, l *Loop[string]) bool { return l.Progress().Busy }},
		{"paused", never, numberedValues(5, 200), false, func(r *loopHarness, l *Loop[string]) bool {
			return isPaused(l.owned.Find(partitionID{Topic: inTopic, Partition: 0}))
		}},
		{"waits for the dead-letter topic", copyHandler, poisonValues(3), true, func(r *loopHarness, _ *Loop[string]) bool {
			return counterValue(r.metrics.Retries, "test", string(phaseDeadLetter)) > 0
		}},
		{"halted by poison", never, poisonValues(30), false, func(r *loopHarness, _ *Loop[string]) bool {
			return testutil.ToFloat64(r.metrics.Circuits.WithLabelValues("test", inTopic)) == 1
		}},
	} {
		for _, grace := range gracePeriods {
			t.Run(tt.name+"/"+grace.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newVirtualHarness(t, 1)
					opts := r.options(tt.handle)
					opts.Grace, opts.InFlightRecords = grace, 100
					opts.PoisonShare, opts.PoisonWindow = 0.5, 20
					run := r.start(t, opts)
					r.produce(t, 0, numberedValues(0, 5)...)
					r.awaitCommitted(t, map[int32]int64{0: 5})
					if tt.outage {
						r.deadLetterOutage()
					}
					r.produce(t, 0, tt.rest...)
					eventually(t, func() bool { return tt.state(r, run.loop) })
					require.NoError(t, stopInTime(t, run, grace))
					require.EqualValues(t, 5+len(r.read(t, dlqTopic)), r.committed(t)[0])
				})
			})
		}
	}
}

// TestGraceHoldsWithAHandlerThatNeverReturns: the error says so, and the group is left nevertheless.
func TestGraceHoldsWithAHandlerThatNeverReturns(t *testing.T) {
	for _, grace := range gracePeriods {
		t.Run(grace.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 1)
				leave := make(chan struct{})
				opts := r.options(func(context.Context, []Record[string], Producer) error { <-leave; return nil })
				opts.Grace = grace
				run := r.start(t, opts)
				r.produce(t, 0, "a")
				eventually(t, func() bool { return run.loop.Progress().Busy })
				require.ErrorContains(t, stopInTime(t, run, grace), "1 handlers did not return")
				require.Empty(t, r.cluster.GroupInfo(testGroup).Members)
				close(leave)
				run.loop.workers.Wait()
			})
		})
	}
}

func joinByHand(ctx context.Context, cl *kgo.Client, topic string) error {
	join := kmsg.NewPtrJoinGroupRequest()
	join.Group, join.ProtocolType = testGroup, "consumer"
	join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = 300_000, 300_000
	balancer := kgo.CooperativeStickyBalancer()
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = balancer.ProtocolName(), balancer.JoinGroupMetadata([]string{topic}, nil, -1)
	join.Protocols = append(join.Protocols, protocol)
	resp, err := join.RequestWith(ctx, cl) // answers with the id to join under
	if err != nil {
		return err
	}
	join.MemberID = resp.MemberID
	if resp, err = join.RequestWith(ctx, cl); err != nil {
		return err
	}
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Group, sync.MemberID, sync.Generation = testGroup, resp.MemberID, resp.Generation
	_, err = sync.RequestWith(ctx, cl)
	return err
}

// TestGraceHoldsWhileJoining: a dead member delays every join of the group. A member that is stopped meanwhile returns in
// time and leaves the group.
func TestGraceHoldsWhileJoining(t *testing.T) {
	for _, grace := range gracePeriods {
		t.Run(grace.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 2)
				cl, err := r.cfg.NewClient()
				require.NoError(t, err)
				defer cl.Close()
				require.NoError(t, joinByHand(t.Context(), cl, inTopic))
				opts := r.options(copyHandler)
				opts.Grace, opts.RebalanceTimeout = grace, 10*time.Minute
				run := r.start(t, opts)
				eventually(t, func() bool { return len(r.cluster.GroupInfo(testGroup).Members) == 2 })
				<-time.After(3 * time.Second)
				require.False(t, run.loop.Ready(), "it is still joining")
				require.NoError(t, stopInTime(t, run, grace))
				require.Len(t, r.cluster.GroupInfo(testGroup).Members, 1, "the dead one alone is left")
			})
		})
	}
}

// TestGraceHoldsWhileRebalancing: a member that works while the group waits five minutes for a dead one commits what it
// has done and leaves. The client waits for its join under a mutex, which virtual time takes for work: this is real time.
func TestGraceHoldsWhileRebalancing(t *testing.T) {
	r := newHarness(t, 2)
	var s handledValues
	opts := r.options(s.handle)
	opts.Grace, opts.CommitInterval = time.Second, time.Hour
	opts.SessionTimeout, opts.RebalanceTimeout = 5*time.Minute, 10*time.Minute
	run := r.start(t, opts)
	r.produce(t, 0, numberedValues(0, 5)...)
	eventually(t, func() bool { return s.len() == 5 })
	ctx, cancel := context.WithCancel(t.Context())
	cl, err := r.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, joinByHand(ctx, cl, outTopic)) // takes no partition of ours
	rejoins := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Observe: true, Count: -1, When: func(q kmsg.Request) bool {
		return q.(*kmsg.JoinGroupRequest).RebalanceTimeoutMillis == int32(opts.RebalanceTimeout.Milliseconds())
	}})
	joined := make(chan error, 1)
	go func() { joined <- joinByHand(ctx, cl, outTopic) }()
	defer func() { cancel(); require.ErrorIs(t, <-joined, context.Canceled) }()
	eventually(t, func() bool { return rejoins.Hits() == 1 }) // our own join waits, too
	r.produce(t, 0, numberedValues(5, 5)...)
	eventually(t, func() bool { return s.len() == 10 })
	require.Zero(t, r.committed(t)[0])
	require.NoError(t, run.stop())
	require.EqualValues(t, 10, r.committed(t)[0], "what is done is committed")
	require.Len(t, r.cluster.GroupInfo(testGroup).Members, 2, "we have left")
}
