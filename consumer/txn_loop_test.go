package consumer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
)

// requireOnce fails unless both outputs hold the values once each, as seen by readers with read_committed.
func (h *txnHarness) requireOnce(t *testing.T, values []string) {
	t.Helper()
	require.Equal(t, values, h.committedValues(t, outTopic))
	require.Equal(t, values, h.committedValues(t, copyTopic))
}

func TestEachRecordOnce(t *testing.T) {
	h := newTxnHarness(t, 3)
	for p := range 3 {
		h.produce(t, int32(p), numbered(1000*p, 700)...)
	}
	h.produce(t, 0, "poison 1", "poison 2")
	stop := start(t, h.options("a", flagAndCopy))
	h.awaitCommitted(t, 2102)
	require.NoError(t, stop())
	h.requireOnce(t, slices.Concat(numbered(0, 700), numbered(1000, 700), numbered(2000, 700)))
	require.Equal(t, []string{"poison 1", "poison 2"}, h.committedValues(t, dlqTopic))
	require.InDelta(t, 2100.0, testutil.ToFloat64(h.metrics.Processed.WithLabelValues("test", OutcomeDone)), 0)
	require.InDelta(t, 2.0, testutil.ToFloat64(h.metrics.Processed.WithLabelValues("test", OutcomeDeadLetter)), 0)
}

// Flag, copy, dead letter and offset are committed together or not at all: whichever write fails, readers see nothing.
func TestAllOrNone(t *testing.T) {
	for _, topic := range []string{outTopic, copyTopic, dlqTopic} {
		t.Run(topic, func(t *testing.T) {
			h := newTxnHarness(t, 1)
			h.produce(t, 0, "v1", "poison", "v2")
			denied := h.cluster.Fault(kfake.Fault{
				Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.TopicAuthorizationFailed, Count: -1,
			})
			stop := start(t, h.options("a", flagAndCopy))
			eventually(t, func() bool { return h.aborts(abortProduce) >= 2 })
			for _, written := range []string{outTopic, copyTopic, dlqTopic} {
				require.Empty(t, h.committedValues(t, written))
			}
			denied.Remove()
			h.awaitCommitted(t, 3)
			require.NoError(t, stop())
			h.requireOnce(t, []string{"v1", "v2"})
			require.Equal(t, []string{"poison"}, h.committedValues(t, dlqTopic))
		})
	}
}

func TestFailedHandler(t *testing.T) {
	h := newTxnHarness(t, 2)
	h.produce(t, 0, numbered(0, 50)...)
	h.produce(t, 1, numbered(50, 50)...)
	var calls atomic.Int32
	stop := start(t, h.options("a", func(ctx context.Context, batch []Record[string], out Producer) error {
		if err := flagAndCopy(ctx, batch, out); err != nil {
			return err
		}
		switch calls.Add(1) {
		case 1:
			return errors.New("not now")
		case 2:
			panic("not now either")
		}
		return nil
	}))
	h.awaitCommitted(t, 100)
	require.NoError(t, stop())
	h.requireOnce(t, numbered(0, 100))
}

// An output that is too large becomes a dead letter: whether its size is known before, or a broker refuses it.
func TestOversizedOutput(t *testing.T) {
	const large = 2000
	grow := func(_ context.Context, batch []Record[string], out Producer) error {
		for i := range batch {
			m := kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: batch[i].Raw}
			if strings.HasPrefix(batch[i].Value, "large") {
				m.Value = []byte(strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", large/36) + batch[i].Value)
			}
			out.Produce(m)
			out.Produce(kafka.Message{Topic: copyTopic, Partition: kafka.AnyPartition, Value: batch[i].Raw})
		}
		return nil
	}
	for _, known := range []bool{true, false} {
		t.Run(map[bool]string{true: "known limit", false: "refused by the broker"}[known], func(t *testing.T) {
			h := newTxnHarness(t, 1)
			h.produce(t, 0, "v1", "large 1", "v2", "large 2", "v3")
			opts := h.options("a", grow)
			if known {
				opts.Kafka.Limits = kafka.NewSizeLimits(h.cfg, map[string]int{outTopic: 100}, outTopic)
			} else {
				h.refuseLarge(t, outTopic, 130)
			}
			stop := start(t, opts)
			h.awaitCommitted(t, 5)
			require.NoError(t, stop())
			h.requireOnce(t, []string{"v1", "v2", "v3"})
			require.Equal(t, []string{"large 1", "large 2"}, h.committedValues(t, dlqTopic))
		})
	}
}

// A dead letter that the broker refuses as too large is written with digests in place of its value.
func TestOversizedLetter(t *testing.T) {
	h := newTxnHarness(t, 1)
	h.produce(t, 0, "v1", "poison "+strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 100), "v2")
	h.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: dlqTopic, Err: kerr.MessageTooLarge, Count: 2, // with other records, and alone
	})
	stop := start(t, h.options("a", flagAndCopy))
	h.awaitCommitted(t, 3)
	require.NoError(t, stop())
	h.requireOnce(t, []string{"v1", "v2"})
	letters := h.committedValues(t, dlqTopic)
	require.Len(t, letters, 1)
	require.Contains(t, letters[0], "value_sha256")
}

// Members join and leave while records are processed: no batch is committed twice.
func TestRebalance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for _, protocol := range []string{"classic", "consumer"} {
		t.Run(protocol, func(t *testing.T) { rebalance(t, protocol == "consumer") })
	}
}

func rebalance(t *testing.T, serverSide bool) {
	h := newTxnHarness(t, 4)
	var stops []func() error
	for round := range 6 {
		for p := range 4 {
			h.produce(t, int32(p), numbered(10000*p+200*round, 200)...)
		}
		opts := h.options("slot-"+string(rune('a'+round)), flagAndCopy)
		opts.LeaveOnExit, opts.MaxBatch, opts.ServerSide = true, 50, serverSide
		stops = append(stops, start(t, opts))
		if round >= 2 {
			require.NoError(t, stops[round-2]())
		}
	}
	h.awaitCommitted(t, 4*6*200)
	for _, stop := range stops {
		require.NoError(t, stop())
	}
	h.requireOnce(t, slices.Concat(numbered(0, 1200), numbered(10000, 1200), numbered(20000, 1200), numbered(30000, 1200)))
}

// The result of the end of a transaction is unknown: the loop opens a new session and neither loses nor repeats a record,
// whether the broker had committed the transaction or not.
func TestUnknownEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		harm func(h *txnHarness)
	}{
		{"refused", func(h *txnHarness) {
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.InvalidTxnState})
		}},
		{"not applied", func(h *txnHarness) {
			h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.UnknownServerError})
		}},
		{"applied, refused", func(h *txnHarness) { h.lie.answer.Store(kerr.InvalidTxnState) }},
		{"applied, unknown error", func(h *txnHarness) { h.lie.answer.Store(kerr.UnknownServerError) }},
		{"applied, retried", func(h *txnHarness) { h.lie.answer.Store(kerr.ConcurrentTransactions) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newTxnHarness(t, 2)
			stop := start(t, h.options("a", flagAndCopy))
			h.produce(t, 0, numbered(0, 10)...)
			h.awaitCommitted(t, 10)
			tt.harm(h)
			h.produce(t, 1, numbered(10, 100)...)
			h.awaitCommitted(t, 110)
			h.produce(t, 0, numbered(110, 10)...)
			h.awaitCommitted(t, 120)
			require.NoError(t, stop())
			h.requireOnce(t, numbered(0, 120))
			require.Nil(t, h.lie.answer.Load())
		})
	}
}

// Another producer with the transactional id fences the session in the middle of a batch. Readers see each record once.
func TestFenced(t *testing.T) {
	h := newTxnHarness(t, 1)
	var fences atomic.Int32
	fence := func() error {
		cl, err := h.cfg.NewClient(kgo.TransactionalID(testGroup + "-a"))
		if err != nil {
			return err
		}
		defer cl.Close()
		_, _, err = cl.ProducerID(context.Background())
		return err
	}
	stop := start(t, h.options("a", func(ctx context.Context, batch []Record[string], out Producer) error {
		if fences.Add(1) <= 2 {
			if err := fence(); err != nil {
				return err
			}
		}
		return flagAndCopy(ctx, batch, out)
	}))
	h.produce(t, 0, numbered(0, 100)...)
	h.awaitCommitted(t, 100)
	require.NoError(t, stop())
	h.requireOnce(t, numbered(0, 100))
	require.NotZero(t, h.aborts(abortFenced)+testutil.ToFloat64(h.metrics.Unknown))
}

// Two processes with one id take it from each other: the loop ends with an error that says so.
func TestSharedID(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	h := newTxnHarness(t, 1)
	h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.ProducerFenced, Count: -1})
	h.produce(t, 0, "v1")
	l, err := NewTransactionLoop(testGroup+"-a", h.options("a", flagAndCopy))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.ErrorContains(t, l.Run(ctx), "give every process its own kafka.instance_id")
}

// A halted partition commits nothing, while others continue.
func TestCircuit(t *testing.T) {
	h := newTxnHarness(t, 2)
	var poison []string
	for range 30 {
		poison = append(poison, "poison")
	}
	h.produce(t, 0, poison...)
	h.produce(t, 1, numbered(0, 40)...)
	opts := h.options("a", flagAndCopy)
	opts.PoisonShare, opts.PoisonWindow = 0.5, 20
	stop := start(t, opts)
	h.awaitCommitted(t, 40)
	eventually(t, func() bool { return testutil.ToFloat64(h.metrics.Circuits.WithLabelValues("test", inTopic)) == 1 })
	h.produce(t, 0, numbered(40, 60)...)
	h.produce(t, 1, numbered(100, 10)...)
	h.awaitCommitted(t, 50)
	require.NoError(t, stop())
	require.Empty(t, h.committedValues(t, dlqTopic))
	require.InDelta(t, 0.0, testutil.ToFloat64(h.metrics.Circuits.WithLabelValues("test", inTopic)), 0)

	opts = h.options("a", flagAndCopy)
	stop = start(t, opts)
	h.awaitCommitted(t, 140)
	require.NoError(t, stop())
	h.requireOnce(t, numbered(0, 110))
	require.Len(t, h.committedValues(t, dlqTopic), 30)
}

// The crash guard reads the note of an owner that ended, and leaves its own: open while it works, none after an orderly end.
func TestCrashSuspect(t *testing.T) {
	h := newTxnHarness(t, 1)
	h.produce(t, 0, numbered(0, 5)...)
	h.produce(t, 0, "crash")
	h.produce(t, 0, numbered(5, 5)...)
	cl, err := h.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	admin := kadm.NewClient(cl)
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{
		Topic: inTopic, At: 2, LeaderEpoch: -1, Metadata: `{"confab":1,"owner":"ended","at":1,"record":5,"attempts":{"5":2},"until":8,"size":64}`,
	})
	require.NoError(t, admin.CommitAllOffsets(t.Context(), testGroup, offsets))
	var batches atomic.Int32
	stop := start(t, h.options("a", func(ctx context.Context, batch []Record[string], out Producer) error {
		batches.Add(1)
		return flagAndCopy(ctx, batch, out)
	}))
	h.awaitCommitted(t, 11)
	note := func() string {
		all, err := admin.FetchOffsets(t.Context(), testGroup)
		require.NoError(t, err)
		at, _ := all.Lookup(inTopic, 0)
		return at.Metadata
	}
	require.Contains(t, note(), `"owner"`)
	require.NoError(t, stop())
	require.Empty(t, note())
	h.requireOnce(t, numbered(2, 8))
	require.Equal(t, []string{"crash"}, h.committedValues(t, dlqTopic))
	require.GreaterOrEqual(t, batches.Load(), int32(6), "the records of the small batch of the owner are handled alone")
}

func TestOptions(t *testing.T) {
	h := newTxnHarness(t, 1)
	opts := h.options("a", flagAndCopy)
	opts.InstanceID = ""
	_, err := NewTransactionLoop(testGroup, opts)
	require.ErrorContains(t, err, "exactly_once needs kafka.instance_id")
}

// A new group at the end commits where it starts in all its partitions. After a restart it reads a partition that was added in
// between from its beginning, and nothing else again.
func TestAddedPartition(t *testing.T) {
	h := newTxnHarness(t, 2)
	h.produce(t, 0, "old")
	h.produce(t, 1, "old")
	opts := h.options("a", flagAndCopy)
	opts.StartOffset = StartLatest
	stop := start(t, opts)
	h.awaitCommitted(t, 2)
	h.produce(t, 0, "new")
	h.awaitCommitted(t, 3)
	require.NoError(t, stop())

	cl, err := h.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	resp, err := kadm.NewClient(cl).UpdatePartitions(t.Context(), 3, inTopic)
	require.NoError(t, err)
	require.NoError(t, resp.Error())
	h.producer, err = kafka.NewProducer(h.cfg)
	require.NoError(t, err)
	defer h.producer.Close()
	h.produce(t, 2, "added 1", "added 2")
	stop = start(t, opts)
	h.awaitCommitted(t, 5)
	require.NoError(t, stop())
	h.requireOnce(t, []string{"added 1", "added 2", "new"})
}
