package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
	"confab/internal/logtest"
)

// followResult is a running follower whose deliveries go to a channel that holds all of them.
type followResult struct {
	records chan string
	end     func()
	logs    *logtest.Buffer
}

const caughtUp = "caught up"

func startFollowing(t *testing.T, c *embedded.Cluster, opts FollowOptions) *followResult {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &followResult{records: make(chan string, 1000), logs: &logtest.Buffer{}}
	opts.Config, opts.Topic = Config{SeedBrokers: c.Seeds()}, "t"
	opts.CaughtUp = func() { f.records <- caughtUp }
	opts.Logger = slog.New(slog.NewTextHandler(f.logs, nil))
	done := make(chan error, 1)
	go func() {
		done <- Follow(ctx, opts, func(r *FetchedRecord) { f.records <- fmt.Sprintf("%d:%s=%s", r.Partition, r.Key, r.Value) })
	}()
	f.end = func() {
		cancel()
		require.NoError(t, <-done)
	}
	t.Cleanup(cancel)
	return f
}

// next returns the next n deliveries, sorted, since the order between partitions is undefined.
func (f *followResult) next(t *testing.T, n int) []string {
	t.Helper()
	got := make([]string, n)
	for i := range got {
		select {
		case got[i] = <-f.records:
		case <-time.After(20 * time.Second):
			require.Fail(t, "nothing more came", "%v", got[:i])
		}
	}
	slices.Sort(got)
	return got
}

func produceTo(t *testing.T, p *Producer, partition int32, key, value string) {
	t.Helper()
	require.NoError(t, p.ProduceSync(t.Context(), Message{
		Topic: "t", Partition: partition, Key: []byte(key), Value: []byte(value),
	}))
}

func TestFollowCatchesUpAndGoesOn(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 3})
	p := newProducer(t, c)
	produceTo(t, p, 0, "a", "1")
	produceTo(t, p, 2, "b", "2")
	f := startFollowing(t, c, FollowOptions{})
	require.Equal(t, []string{"0:a=1", "2:b=2"}, f.next(t, 2))
	require.Equal(t, []string{caughtUp}, f.next(t, 1), "after what was there at the start")
	produceTo(t, p, 1, "c", "3")
	require.Equal(t, []string{"1:c=3"}, f.next(t, 1))
	f.end()
	require.Empty(t, f.records, "caught up once")
	require.Empty(t, f.logs.String())
}

func TestFollowSomePartitionsFromATime(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 2})
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	begin := time.UnixMilli(1_700_000_000_000)
	for i := range 6 {
		r := &kgo.Record{
			Topic: "t", Partition: int32(i % 2), Value: []byte(fmt.Sprint(i)), Timestamp: begin.Add(time.Duration(i) * time.Minute),
		}
		require.NoError(t, cl.ProduceSync(t.Context(), r).FirstErr())
	}
	f := startFollowing(t, c, FollowOptions{
		Partitions: []int32{0}, Start: Position{Kind: PositionTime, Time: begin.Add(2 * time.Minute)},
	})
	require.Equal(t, []string{"0:=2", "0:=4", caughtUp}, f.next(t, 3))
	f.end()
	empty := startFollowing(t, c, FollowOptions{Start: Position{Kind: PositionTime, Time: begin.Add(time.Hour)}})
	require.Equal(t, []string{caughtUp}, empty.next(t, 1), "there is nothing to catch up with")
	empty.end()
}

// TestFollowSeesCommittedRecordsOnly: the end may be a marker, which is no record but does count as reached.
func TestFollowSeesCommittedRecordsOnly(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.TransactionalID("tx"))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: []byte(fmt.Sprint(i))}).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	f := startFollowing(t, c, FollowOptions{})
	require.Equal(t, []string{"0:=0", caughtUp}, f.next(t, 2))
	f.end()
}

// TestFollowOutlivesFailures: brokers that refuse, at the start and later, are waited for; one line a spell.
func TestFollowOutlivesFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	c := startCluster(t, map[string]int32{"t": 1})
	p := newProducer(t, c)
	produceTo(t, p, 0, "a", "1")
	denied := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "t", Err: kerr.TopicAuthorizationFailed, Count: 2})
	f := startFollowing(t, c, FollowOptions{})
	require.Equal(t, []string{"0:a=1", caughtUp}, f.next(t, 2))
	require.Positive(t, denied.Hits())
	require.Equal(t, 1, strings.Count(f.logs.String(), "follow topic failed"), f.logs.String())

	refused := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "t", Err: kerr.TopicAuthorizationFailed, Count: 3})
	produceTo(t, p, 0, "b", "2")
	require.Equal(t, []string{"0:b=2"}, f.next(t, 1))
	require.Positive(t, refused.Hits())
	f.end()
}

func TestFollowWaitsForItsTopic(t *testing.T) {
	t.Parallel()
	c := startCluster(t, nil)
	f := startFollowing(t, c, FollowOptions{})
	require.Eventually(t, func() bool { return strings.Contains(f.logs.String(), "follow topic failed") }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, c.CreateTopic("t", 1, nil))
	produceTo(t, newProducer(t, c), 0, "a", "1")
	require.Contains(t, f.next(t, 2), "0:a=1", "wherever it was when the topic came")
	f.end()
}

func TestFollowRefusesNonsense(t *testing.T) {
	require.ErrorContains(t, Follow(t.Context(), FollowOptions{Config: Config{SeedBrokers: []string{"x:1"}}}, nil), "needs a topic")
	require.ErrorContains(t, Follow(t.Context(), FollowOptions{Topic: "t"}, nil), "no seed brokers")
}
