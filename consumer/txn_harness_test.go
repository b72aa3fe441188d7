package consumer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/embedded"
)

const copyTopic = "copies"

// txnHarness is a cluster, and what loops need to run on it.
type txnHarness struct {
	cluster  *embedded.Cluster
	cfg      kafka.Config
	producer *kafka.Producer
	metrics  *Metrics
	lie      *liar
}

func newTxnHarness(t testing.TB, partitions int32) *txnHarness {
	t.Helper()
	cluster, err := embedded.Start(embedded.Options{
		Brokers: 2, Topics: map[string]int32{inTopic: partitions, outTopic: 2, copyTopic: 1, dlqTopic: 1},
	})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	h := &txnHarness{cluster: cluster, lie: &liar{}, metrics: NewMetrics(prometheus.NewRegistry())}
	h.cfg = kafka.Config{SeedBrokers: cluster.Seeds(), FetchMaxWait: 50 * time.Millisecond, Dial: h.lie.dial}
	h.producer, err = kafka.NewProducer(h.cfg)
	require.NoError(t, err)
	t.Cleanup(h.producer.Close)
	return h
}

func (h *txnHarness) options(slot string, handle handlerFunc) Options[string] {
	return Options[string]{
		Kafka: h.cfg, Producer: h.producer, DeadLetter: deadletter.NewWriter(deadletter.Options{Topic: dlqTopic, Name: testGroup}),
		Codec: textCodec{}, Handler: handle, CrashDeaths: 2,
		Role: "test", Group: testGroup, InstanceID: slot, Topics: []string{inTopic}, StartOffset: StartEarliest,
		SessionTimeout: 6 * time.Second, RebalanceTimeout: 6 * time.Second, Heartbeat: 50 * time.Millisecond,
		RetryInitial: time.Millisecond, RetryMax: 5 * time.Millisecond, Grace: 10 * time.Second,
		Metrics: h.metrics, Logger: slog.New(slog.DiscardHandler),
	}
}

// start runs a loop until the returned function is called, which returns Run's answer.
func start(t testing.TB, opts Options[string]) (stop func() error) {
	t.Helper()
	l, err := NewTransactionLoop(testGroup+"-"+opts.InstanceID, opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = l.Run(ctx)
	}()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case <-done:
			return err
		case <-time.After(30 * time.Second):
			t.Error("the loop did not return")
			return errors.New("stuck")
		}
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

func (h *txnHarness) produce(t testing.TB, partition int32, values ...string) {
	t.Helper()
	ms := make([]kafka.Message, 0, len(values))
	for _, v := range values {
		ms = append(ms, kafka.Message{Topic: inTopic, Partition: partition, Key: []byte(v), Value: []byte(v)})
	}
	require.NoError(t, h.producer.ProduceSync(t.Context(), ms...))
}

func numbered(first, n int) (values []string) {
	for i := range n {
		values = append(values, fmt.Sprintf("v%06d", first+i))
	}
	return values
}

// committedValues are the values of a topic that readers with read_committed see, sorted.
func (h *txnHarness) committedValues(t testing.TB, topic string) (values []string) {
	t.Helper()
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: h.cfg, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		values = append(values, string(r.Value))
		return nil
	}))
	slices.Sort(values)
	return values
}

// refuseLarge makes the broker refuse batches of the topic that are larger than so many bytes.
func (h *txnHarness) refuseLarge(t testing.TB, topic string, bytes int) {
	t.Helper()
	admin, err := kafka.NewAdmin(h.cfg)
	require.NoError(t, err)
	defer admin.Close()
	ids, err := admin.TopicIDs(t.Context(), topic)
	require.NoError(t, err)
	h.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.MessageTooLarge, Count: -1, When: func(q kmsg.Request) bool {
			for _, written := range q.(*kmsg.ProduceRequest).Topics {
				if written.Topic != topic && written.TopicID != ids[topic] {
					continue
				}
				if slices.ContainsFunc(written.Partitions, func(p kmsg.ProduceRequestTopicPartition) bool { return len(p.Records) > bytes }) {
					return true
				}
			}
			return false
		},
	})
}

// awaitCommitted returns when the group has committed n offsets of the input topic in all.
func (h *txnHarness) awaitCommitted(t testing.TB, n int64) {
	t.Helper()
	cl, err := h.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	eventually(t, func() bool {
		offsets, err := kadm.NewClient(cl).FetchOffsets(kadm.RequireStable(t.Context()), testGroup)
		if errors.Is(err, kerr.GroupIDNotFound) {
			return false
		}
		require.NoError(t, err)
		var sum int64
		offsets.Each(func(o kadm.OffsetResponse) {
			if o.Topic == inTopic {
				sum += o.At
			}
		})
		return sum == n
	})
}

func (h *txnHarness) aborts(reason string) float64 {
	return testutil.ToFloat64(h.metrics.Aborts.WithLabelValues(reason))
}

// flagAndCopy writes every value to two topics.
func flagAndCopy(_ context.Context, batch []Record[string], out Producer) error {
	for i := range batch {
		for _, topic := range []string{outTopic, copyTopic} {
			out.Produce(kafka.Message{Topic: topic, Partition: kafka.AnyPartition, Key: batch[i].Key, Value: batch[i].Raw})
		}
	}
	return nil
}

// liar replaces the answer to an end of a transaction, which the broker has ended.
type liar struct {
	answer atomic.Pointer[kerr.Error] // of the next EndTxn; nil: the broker's own
}

func (l *liar) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lyingConn{Conn: conn, liar: l}, nil
}

type lyingConn struct {
	net.Conn
	liar *liar
	id   atomic.Pointer[[4]byte] // correlation id of the last EndTxn
	rest []byte                  // of an answer
}

func (c *lyingConn) Write(b []byte) (int, error) {
	if len(b) >= 12 && kmsg.Key(binary.BigEndian.Uint16(b[4:])) == kmsg.EndTxn {
		id := [4]byte(b[8:12])
		c.id.Store(&id)
	}
	return c.Conn.Write(b)
}

// Read hands whole answers on.
func (c *lyingConn) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		answer := make([]byte, 4)
		if _, err := io.ReadFull(c.Conn, answer); err != nil {
			return 0, err
		}
		answer = append(answer, make([]byte, binary.BigEndian.Uint32(answer))...)
		if _, err := io.ReadFull(c.Conn, answer[4:]); err != nil {
			return 0, err
		}
		c.rest = c.liar.change(answer, c.id.Load())
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// change replaces the error code of the answer with the correlation id: after length, id, tags and throttle time.
func (l *liar) change(b []byte, id *[4]byte) []byte {
	if id == nil || [4]byte(b[4:8]) != *id {
		return b
	}
	if answer := l.answer.Swap(nil); answer != nil {
		binary.BigEndian.PutUint16(b[13:], uint16(answer.Code))
	}
	return b
}
