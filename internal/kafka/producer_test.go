package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

func startCluster(t testing.TB, topics map[string]int32) *embedded.Cluster {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: topics})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func newProducer(t testing.TB, c *embedded.Cluster) *Producer {
	t.Helper()
	p, err := NewProducer(Config{SeedBrokers: c.Seeds()})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// readAll is what the topics hold.
func readAll(t testing.TB, c *embedded.Cluster, topics ...string) []FetchedRecord {
	t.Helper()
	var all []FetchedRecord
	require.NoError(t, Read(t.Context(), ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}, Topics: topics, StopAtEnd: true}, func(r *FetchedRecord) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

func TestProducePartition(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 8})
	p := newProducer(t, c)
	var ms []Message
	for i := range 8 {
		ms = append(ms, Message{Topic: "t", Partition: int32(i), Key: []byte("same"), Value: []byte(fmt.Sprint(i))})
	}
	for range 5 {
		ms = append(ms, Message{Topic: "t", Partition: AnyPartition, Key: []byte("key-7"), Value: []byte("by key")})
	}
	require.NoError(t, p.ProduceSync(t.Context(), ms...))
	byKey := make(map[int32]int)
	for _, r := range readAll(t, c, "t") {
		if string(r.Value) == "by key" {
			byKey[r.Partition]++
			continue
		}
		require.Equal(t, fmt.Sprint(r.Partition), string(r.Value))
	}
	require.Equal(t, map[int32]int{3: 5}, byKey, "murmur2 as in every Kafka client: toPositive(murmur2(key)) mod partitions")
	require.Error(t, p.ProduceSync(t.Context(), Message{Topic: "t", Partition: 99}))
}

func TestProduceErrorsHaveClasses(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1, "small": 1})
	p := newProducer(t, c)
	big := make([]byte, DefaultMaxMessageBytes+1)
	require.ErrorIs(t, p.ProduceSync(t.Context(), Message{Topic: "t", Value: big}), ErrTooLarge)

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "small", Err: kerr.MessageTooLarge})
	err := p.ProduceSync(t.Context(), Message{Topic: "small", Value: []byte("v")})
	require.ErrorIs(t, err, ErrTooLarge, "the broker's own limit is the same class")
	require.ErrorIs(t, err, kerr.MessageTooLarge)

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: kerr.TopicAuthorizationFailed})
	err = p.ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")})
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
	require.NotErrorIs(t, err, ErrTooLarge)
	require.NoError(t, p.ProduceSync(t.Context()), "nothing to do")
}

// TestProduceWaitsOutFaults: what a broker may heal is retried until it does.
func TestProduceWaitsOutFaults(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	p := newProducer(t, c)
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: kerr.NotEnoughReplicas, Count: -1})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	p.Produce(Message{Topic: "t", Value: []byte("v")}, func(err error) { done <- err })
	require.NoError(t, fault.Wait(ctx, 2))
	cancel()
	require.ErrorIs(t, p.ProduceSync(ctx, Message{Topic: "t", Value: []byte("w")}), context.Canceled)
	require.False(t, p.Healthy(0), "something is pending")
	require.True(t, p.Healthy(time.Hour))
	fault.Remove()
	require.NoError(t, <-done)
	require.Eventually(t, func() bool { return p.Healthy(0) }, 10*time.Second, time.Millisecond)
	require.True(t, p.Healthy(0), "idle is healthy")
	require.Len(t, readAll(t, c, "t"), 2, "a record whose waiter has gone is written all the same, once")
}

func TestCloseFailsWhatIsPending(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	p := newProducer(t, c)
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicas, Count: -1})
	done := make(chan error, 1)
	p.Produce(Message{Topic: "t", Value: []byte("v")}, func(err error) { done <- err })
	require.NoError(t, fault.Wait(t.Context(), 1))
	p.Close()
	require.ErrorIs(t, <-done, ErrClosed)
}

// TestHealthyIgnoresTheWallClock: what is pending is timed by the monotonic clock alone.
func TestHealthyIgnoresTheWallClock(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	p := newProducer(t, c)
	require.Contains(t, p.opened.String(), " m=", "with the monotonic clock's reading")
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicas, Count: -1})
	done := make(chan error, 1)
	p.Produce(Message{Topic: "t", Value: []byte("v")}, func(err error) { done <- err })
	require.NoError(t, fault.Wait(t.Context(), 1))
	require.Less(t, time.Duration(p.oldest.Load()), time.Hour, "after opened, not after the epoch")
	require.True(t, p.Healthy(time.Hour))
	fault.Remove()
	require.NoError(t, <-done)
	require.True(t, p.Healthy(0))
}
