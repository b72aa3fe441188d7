package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/embedded"
)

const (
	inTopic   = "in"
	outTopic  = "out"
	dlqTopic  = "dlq"
	testGroup = "confab-test"
)

// loopHarness is a cluster with the topics in, out and dlq, and what a loop needs to run on it.
type loopHarness struct {
	cluster  *embedded.Cluster
	cfg      kafka.Config
	producer *kafka.Producer
	registry *prometheus.Registry
	metrics  *Metrics
	down     atomic.Bool // no broker can be reached
}

func newHarness(t testing.TB, partitions int32) *loopHarness {
	t.Helper()
	return buildHarness(t, partitions, nil)
}

// newVirtualHarness is a harness without a network, for virtual time.
func newVirtualHarness(t testing.TB, partitions int32, extra ...kfake.Opt) *loopHarness {
	t.Helper()
	return buildHarness(t, partitions, new(kfake.VirtualNetwork), extra...)
}

func buildHarness(t testing.TB, partitions int32, network *kfake.VirtualNetwork, extra ...kfake.Opt) *loopHarness {
	t.Helper()
	opts := embedded.Options{Brokers: 2, Topics: map[string]int32{inTopic: partitions, outTopic: 1, dlqTopic: 1}}
	r := &loopHarness{cfg: kafka.Config{FetchMaxWait: 50 * time.Millisecond}}
	if network != nil {
		r.cfg.FetchMaxWait = time.Second // fewer fetches in virtual minutes
		opts.Listen = network.Listen
		r.cfg.Dial = func(ctx context.Context, kind, addr string) (net.Conn, error) {
			if r.down.Load() {
				return nil, &net.OpError{Op: "dial", Net: kind, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			}
			return network.DialContext(ctx, kind, addr)
		}
		opts.Extra = append(extra, kfake.Ports(1, 2))
	}
	cluster, err := embedded.Start(opts)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	r.cluster, r.cfg.SeedBrokers = cluster, cluster.Seeds()
	r.producer, err = kafka.NewProducer(r.cfg)
	require.NoError(t, err)
	t.Cleanup(r.producer.Close)
	r.registry = prometheus.NewRegistry()
	r.metrics = NewMetrics(r.registry)
	return r
}

// options returns options with short timeouts. A value decodes into its text, except that text with the prefix "poison"
// is poison.
func (r *loopHarness) options(h handlerFunc) Options[string] {
	return Options[string]{
		Kafka: r.cfg, Producer: r.producer,
		DeadLetter: deadletter.NewWriter(deadletter.Options{Producer: r.producer, Topic: dlqTopic, Name: testGroup}),
		Codec:      textCodec{}, Handler: h,
		CrashDeaths: 2,
		Role:        "test", Group: testGroup, Topics: []string{inTopic}, StartOffset: StartEarliest,
		SessionTimeout: 6 * time.Second, RebalanceTimeout: 6 * time.Second, Heartbeat: 50 * time.Millisecond,
		RevokeWait: 2 * time.Second, CommitInterval: time.Millisecond,
		RetryInitial: time.Millisecond, RetryMax: 5 * time.Millisecond, Grace: 10 * time.Second,
		Metrics: r.metrics, Logger: slog.New(slog.DiscardHandler),
	}
}

// runningLoop is a loop that runs.
type runningLoop struct {
	t    testing.TB
	loop *Loop[string]
	quit context.CancelFunc
	done chan struct{}
	err  error
}

func (r *loopHarness) start(t testing.TB, opts Options[string]) *runningLoop {
	t.Helper()
	l, err := New(opts)
	require.NoError(t, err)
	return r.startLoop(t, l)
}

func (r *loopHarness) startLoop(t testing.TB, l *Loop[string]) *runningLoop {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	run := &runningLoop{t: t, loop: l, quit: cancel, done: make(chan struct{})}
	go func() {
		defer close(run.done)
		run.err = l.Run(ctx)
	}()
	t.Cleanup(func() { _ = run.stop() })
	return run
}

// stop ends the loop and returns Run's answer.
func (run *runningLoop) stop() error {
	run.quit()
	return run.wait()
}

// wait waits until Run has returned.
func (run *runningLoop) wait() error {
	select {
	case <-run.done:
		return run.err
	case <-time.After(30 * time.Second):
		run.t.Error("the loop did not return")
		return errors.New("stuck")
	}
}

func (r *loopHarness) produce(t testing.TB, partition int32, values ...string) {
	t.Helper()
	ms := make([]kafka.Message, 0, len(values))
	for _, v := range values {
		ms = append(ms, kafka.Message{Topic: inTopic, Partition: partition, Key: []byte("key"), Value: []byte(v)})
	}
	require.NoError(t, r.producer.ProduceSync(t.Context(), ms...))
}

// renewProducer opens a producer that knows the partitions of now.
func (r *loopHarness) renewProducer(t testing.TB) {
	t.Helper()
	producer, err := kafka.NewProducer(r.cfg)
	require.NoError(t, err)
	t.Cleanup(producer.Close)
	r.producer = producer
}

// numberedValues are n values first, first+1 and so on.
func numberedValues(first, n int) []string {
	values := make([]string, 0, n)
	for i := range n {
		values = append(values, fmt.Sprintf("v%06d", first+i))
	}
	return values
}

// read returns all records of a topic.
func (r *loopHarness) read(t testing.TB, topic string) []kafka.FetchedRecord {
	t.Helper()
	var all []kafka.FetchedRecord
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: r.cfg, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

// committed are the group's offsets by partition of the input topic.
func (r *loopHarness) committed(t testing.TB) map[int32]int64 {
	t.Helper()
	cl, err := r.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	found := make(map[int32]int64)
	offsets, err := kadm.NewClient(cl).FetchOffsets(context.Background(), testGroup)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return found
	}
	require.NoError(t, err)
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == inTopic {
			found[o.Partition] = o.At
		}
	})
	return found
}

func (r *loopHarness) awaitCommitted(t testing.TB, want map[int32]int64) {
	t.Helper()
	eventually(t, func() bool {
		got := r.committed(t)
		for p, at := range want {
			if got[p] != at {
				return false
			}
		}
		return true
	})
}

// counterValue is the value of one series of a counter, chosen by its labels.
func counterValue(c *prometheus.CounterVec, labels ...string) float64 {
	return testutil.ToFloat64(c.WithLabelValues(labels...))
}

// eventually polls cond on the test's own goroutine.
func eventually(t testing.TB, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(30 * time.Second); !cond(); <-tick.C {
		require.True(t, time.Now().Before(limit), "the condition never came true")
	}
}

// textCodec decodes a value into itself.
type textCodec struct{}

func (textCodec) Decode(_ context.Context, r *Raw, dst []string) ([]string, error) {
	v := string(r.Value)
	if len(v) >= 6 && v[:6] == "poison" {
		return dst, &PoisonError{Stage: StageDecode, Reason: "bad_text", Err: errors.New("at byte 0")}
	}
	return append(dst, v), nil
}

func (textCodec) Release(string) {}

type handlerFunc func(ctx context.Context, batch []Record[string], out Producer) error

func (f handlerFunc) Handle(ctx context.Context, batch []Record[string], out Producer) error {
	return f(ctx, batch, out)
}

// handledValues collects the values of handled batches, in order, by partition.
type handledValues struct {
	mu     sync.Mutex
	values map[int32][]string
	total  int
}

func (s *handledValues) add(batch []Record[string]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = make(map[int32][]string)
	}
	for i := range batch {
		s.values[batch[i].Partition] = append(s.values[batch[i].Partition], batch[i].Value)
		s.total++
	}
}

func (s *handledValues) handle(_ context.Context, batch []Record[string], _ Producer) error {
	s.add(batch)
	return nil
}

func (s *handledValues) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

func (s *handledValues) of(partition int32) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.values[partition]...)
}

// copyHandler writes every value to the out topic.
func copyHandler(_ context.Context, batch []Record[string], out Producer) error {
	for i := range batch {
		batch[i].Outcome = "copied"
		out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: batch[i].Raw})
	}
	return nil
}
