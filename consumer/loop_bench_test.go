package consumer

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
)

// BenchmarkLoop measures fetching, the queue, the tracker and commits, with a handler that does nothing. BenchmarkFetch
// measures the client alone.
func BenchmarkLoop(b *testing.B) {
	for _, size := range []int{700, 7000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			r := newHarness(b, 4)
			produceRecords(b, r, size)
			var handled atomic.Int64
			done := make(chan struct{})
			opts := r.options(nil)
			opts.CommitInterval = 0
			loop := Options[[]byte]{
				Kafka: opts.Kafka, Producer: opts.Producer, DeadLetter: opts.DeadLetter, Codec: bytesCodec{},
				Handler: countingHandler{&handled, int64(b.N), done}, Role: "bench", Group: "bench", Topics: opts.Topics,
				StartOffset: StartEarliest, Metrics: opts.Metrics,
			}
			l, err := New(loop)
			require.NoError(b, err)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.ResetTimer()
			go func() { ended <- l.Run(ctx) }()
			<-done
			b.StopTimer()
			cancel()
			require.NoError(b, <-ended)
		})
	}
}

// BenchmarkFetch is the floor: the client without a loop.
func BenchmarkFetch(b *testing.B) {
	for _, size := range []int{700, 7000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			r := newHarness(b, 4)
			produceRecords(b, r, size)
			cl, err := r.cfg.NewClient(kgo.ConsumeTopics(inTopic), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()))
			require.NoError(b, err)
			defer cl.Close()
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; {
				n += cl.PollRecords(context.Background(), maxPoll).NumRecords()
			}
		})
	}
}

func produceRecords(b *testing.B, r *loopHarness, size int) {
	b.Helper()
	value := []byte(strings.Repeat("a plain sentence of some words. ", size/32+1)[:size])
	for left := b.N; left > 0; {
		n := min(left, 10_000)
		ms := make([]kafka.Message, n)
		for i := range ms {
			ms[i] = kafka.Message{Topic: inTopic, Partition: int32(i % 4), Value: value}
		}
		require.NoError(b, r.producer.ProduceSync(context.Background(), ms...))
		left -= n
	}
}

type bytesCodec struct{}

func (bytesCodec) Decode(_ context.Context, r *Raw, dst [][]byte) ([][]byte, error) {
	return append(dst, r.Value), nil
}

func (bytesCodec) Release([]byte) {}

type countingHandler struct {
	n    *atomic.Int64
	want int64
	done chan struct{}
}

func (c countingHandler) Handle(_ context.Context, batch []Record[[]byte], _ Producer) error {
	if n := int64(len(batch)); c.n.Add(n) >= c.want && c.n.Load()-n < c.want {
		close(c.done)
	}
	return nil
}

// BenchmarkBatch is the loop's own work on one batch, without a client: its allocations per record are to be 0.
func BenchmarkBatch(b *testing.B) {
	r := newHarness(b, 1)
	opts := r.options(nil)
	l, err := New(Options[[]byte]{
		Kafka: opts.Kafka, Producer: opts.Producer, DeadLetter: opts.DeadLetter, Codec: bytesCodec{},
		Handler: countingHandler{new(atomic.Int64), -1, nil}, Role: "bench", Group: "bench", Topics: opts.Topics,
		StartOffset: StartEarliest, Metrics: opts.Metrics,
	})
	require.NoError(b, err)
	cl, err := r.cfg.NewClient()
	require.NoError(b, err)
	defer cl.Close()
	p := newPartition(l, cl, partitionID{Topic: inTopic, Partition: 0})
	records := make([]*kgo.Record, 500)
	for i := range records {
		records[i] = &kgo.Record{Topic: inTopic, Offset: int64(i), Value: []byte("value")}
	}
	var items []queueItem
	b.ReportAllocs()
	for b.Loop() {
		p.Enqueue(records)
		items = p.Next(items[:0])
		p.process(items)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/record")
}
