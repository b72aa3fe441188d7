package consumer

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/retry"
)

var stormFlag = flag.Duration("storm", 2*time.Second, "length of the rebalance storm")

const (
	stormMembers    = 8
	stormPartitions = 12
	stormEach       = 10 // records of a partition in one tick
	stormTick       = 100 * time.Millisecond
)

// TestRebalanceStorm has eight members join and leave every 200 to 800 ms while records keep coming, and now and then
// the coordinator forgets one of them. Every record of every partition must be copied. `make storm` lasts a minute.
//
// It runs in real time: the client holds locks while it waits for its group, which stops the virtual clock.
func TestRebalanceStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for _, static := range []bool{false, true} {
		t.Run(fmt.Sprintf("static=%v", static), func(t *testing.T) {
			t.Parallel()
			s := &rebalanceStorm{rig: newHarness(t, stormPartitions), static: static, length: *stormFlag, seed: rand.Uint64()}
			s.run(t)
		})
	}
}

// rebalanceStorm is one run: what was produced and what happened to the members.
type rebalanceStorm struct {
	rig    *loopHarness
	static bool
	length time.Duration
	seed   uint64

	mu       sync.Mutex
	joins    int
	failures []error
}

// run waits for the end of the storm and compares, at lag 0, the coordinates of all produced records with those that were
// copied.
func (s *rebalanceStorm) run(t *testing.T) {
	quiet, stop := context.WithCancel(context.Background())
	var members sync.WaitGroup
	for slot := range stormMembers {
		members.Go(func() { s.member(quiet, slot) })
	}
	produced := s.produce(t)
	want := make(map[int32]int64)
	for p := range int32(stormPartitions) {
		want[p] = int64(produced)
	}
	s.rig.awaitCommitted(t, want)
	stop()
	members.Wait()
	require.Empty(t, s.failures)

	copied := make(map[string]int)
	for _, r := range s.rig.read(t, outTopic) {
		copied[string(r.Value)]++
	}
	_, reasons := s.rig.letterReasons(t)
	t.Logf("%d dead letters %v", len(reasons), reasons)
	missing, duplicate := 0, 0
	for p := range stormPartitions {
		for at := range produced {
			n := copied[coordinate(int32(p), int64(at))]
			duplicate += max(0, n-1)
			if n == 0 {
				missing++
			}
		}
	}
	moved := counterValue(s.rig.metrics.Rebalances, "test", "assigned")
	lost := counterValue(s.rig.metrics.Rebalances, "test", "lost")
	t.Logf("%d events, %d members joined %d times, %.0f assignments, %.0f times forgotten in %s, static %v, seed %d; "+
		"missing %d, duplicate %d, unaccounted %d; at_least_once; in to out; tier A", produced*stormPartitions,
		stormMembers, s.joins, moved, lost, s.length, s.static, s.seed, missing, duplicate,
		len(copied)+missing-produced*stormPartitions)
	require.Zero(t, missing)
	require.Len(t, copied, produced*stormPartitions, "something was copied that was never produced")
	require.Greater(t, s.joins, 2*stormMembers, "that was no storm")
	require.Greater(t, moved, float64(2*stormMembers), "that was no storm")
}

// member joins and leaves until the storm is over, and then stays until quiet ends.
func (s *rebalanceStorm) member(quiet context.Context, slot int) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(slot)))
	for end := time.Now().Add(s.length); ; {
		ctx, cancel := context.WithTimeout(quiet, randomDuration(rng, 200, 800))
		last := time.Now().After(end)
		if last {
			ctx = quiet
		}
		err := s.join(ctx, rng, slot)
		cancel()
		if err != nil || last {
			s.recordFailure(err)
			return
		}
		_ = retry.Sleep(quiet, randomDuration(rng, 200, 800))
	}
}

func (s *rebalanceStorm) join(ctx context.Context, rng *rand.Rand, slot int) error {
	var mu sync.Mutex // handlers of several partitions draw from one source
	opts := s.rig.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		mu.Lock()
		slow := randomDuration(rng, 0, 20)
		mu.Unlock()
		_ = retry.Sleep(ctx, slow)
		for i := range batch {
			out.Produce(kafka.Message{
				Topic: outTopic, Partition: kafka.AnyPartition,
				Value: []byte(coordinate(batch[i].Partition, batch[i].Offset)),
			})
		}
		return nil
	})
	opts.MaxBatch, opts.InFlightRecords = 20, 100
	if s.static {
		opts.InstanceID = fmt.Sprint("pod-", slot)
	}
	l, err := New(opts)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.joins++
	s.mu.Unlock()
	return l.Run(ctx)
}

func (s *rebalanceStorm) recordFailure(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failures = append(s.failures, err)
	}
}

// produce writes to every partition as long as the storm lasts and returns how many records each got.
func (s *rebalanceStorm) produce(t *testing.T) (each int) {
	tick := time.NewTicker(stormTick)
	defer tick.Stop()
	for end := time.Now().Add(s.length); time.Now().Before(end); <-tick.C {
		for p := range int32(stormPartitions) {
			s.rig.produce(t, p, numberedValues(each, stormEach)...)
		}
		each += stormEach
		if each%(10*stormEach) == 0 {
			s.rig.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID})
		}
	}
	return each
}

func coordinate(partition int32, offset int64) string { return fmt.Sprintf("%d:%d", partition, offset) }

func randomDuration(rng *rand.Rand, from, to int) time.Duration {
	return time.Duration(from+rng.IntN(to-from+1)) * time.Millisecond
}
