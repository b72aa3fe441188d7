package consumer

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/deadletter"
)

func TestDataLoss(t *testing.T) {
	begin := func(t *testing.T, policy OnDataLoss) (*loopHarness, Options[string], *handledValues) {
		r := newHarness(t, 1)
		var s handledValues
		opts := r.options(s.handle)
		opts.OnDataLoss = policy
		return r, opts, &s
	}
	t.Run("before the start, halt", func(t *testing.T) {
		r, opts, s := begin(t, HaltOnDataLoss)
		r.expireCommitted(t, opts)
		run := r.start(t, opts)
		<-run.done
		require.ErrorIs(t, run.err, ErrDataLoss)
		require.ErrorContains(t, run.err, "topic in partition 0 is to be read from offset 5 but holds 8 to 10")
		require.ErrorContains(t, run.err, "kafka.on_data_loss: earliest")
		require.Equal(t, 5, s.len())
		require.Equal(t, int64(5), r.committed(t)[0])
	})
	t.Run("before the start, earliest", func(t *testing.T) {
		r, opts, s := begin(t, EarliestOnLoss)
		r.expireCommitted(t, opts)
		run := r.start(t, opts)
		r.awaitCommitted(t, map[int32]int64{0: 10})
		require.NoError(t, run.stop())
		require.Equal(t, slices.Concat(numberedValues(0, 5), numberedValues(8, 2)), s.of(0))
		require.InDelta(t, 3, counterValue(r.metrics.Lost, inTopic), 0)
	})
	for _, policy := range []OnDataLoss{HaltOnDataLoss, EarliestOnLoss} {
		t.Run("while reading, "+string(policy), func(t *testing.T) {
			r, opts, s := begin(t, policy)
			r.produce(t, 0, numberedValues(0, 10)...)
			run := r.start(t, opts)
			r.awaitCommitted(t, map[int32]int64{0: 10})
			away := r.cluster.Fault(kfake.Fault{
				Keys: []kmsg.Key{kmsg.Fetch}, Topic: inTopic, Err: kerr.OffsetNotAvailable, Count: -1,
			})
			require.NoError(t, away.Wait(t.Context(), 1))
			r.produce(t, 0, numberedValues(10, 10)...)
			require.NoError(t, r.cluster.DeleteRecords(inTopic, 0, 16))
			away.Remove()
			if policy == HaltOnDataLoss {
				<-run.done
				require.ErrorIs(t, run.err, ErrDataLoss)
				require.ErrorContains(t, run.err, "from offset 10 but holds 16 to 20")
				return
			}
			r.awaitCommitted(t, map[int32]int64{0: 20})
			require.NoError(t, run.stop())
			require.Equal(t, slices.Concat(numberedValues(0, 10), numberedValues(16, 4)), s.of(0))
			require.InDelta(t, 6, counterValue(r.metrics.Lost, inTopic), 0)
		})
	}
}

// expireCommitted commits offset 5 of ten records and deletes the first eight.
func (r *loopHarness) expireCommitted(t *testing.T, opts Options[string]) {
	r.produce(t, 0, numberedValues(0, 5)...)
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 5})
	require.NoError(t, run.stop())
	r.produce(t, 0, numberedValues(5, 5)...)
	require.NoError(t, r.cluster.DeleteRecords(inTopic, 0, 8))
}

// TestLatestIsPinned: what arrives after a group first joined at the end is never skipped, not even by a restart before
// the first record was done.
func TestLatestIsPinned(t *testing.T) {
	r := newHarness(t, 2)
	r.produce(t, 0, numberedValues(0, 7)...)
	var s handledValues
	opts := r.options(s.handle)
	opts.StartOffset = StartLatest
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 7, 1: 0})
	require.NoError(t, run.stop())
	r.produce(t, 0, "while it was away")
	run = r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 8})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"while it was away"}, s.of(0))
}

// TestBatchThatCannotBeUnpacked: a bomb is skipped with a stub in the dead-letter topic, and the next record goes on.
func TestBatchThatCannotBeUnpacked(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"zstd": kgo.ZstdCompression(), "gzip": kgo.GzipCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			r := newHarness(t, 1)
			r.produce(t, 0, "before")
			bomber, err := r.cfg.NewClient(kgo.ProducerBatchMaxBytes(80<<20), kgo.BrokerMaxWriteBytes(100<<20),
				kgo.ProducerBatchCompression(codec))
			require.NoError(t, err)
			t.Cleanup(bomber.Close)
			bomb := &kgo.Record{Topic: inTopic, Value: make([]byte, 65<<20)}
			require.NoError(t, bomber.ProduceSync(t.Context(), bomb).FirstErr())
			r.produce(t, 0, "after")
			var s handledValues
			run := r.start(t, r.options(s.handle))
			r.awaitCommitted(t, map[int32]int64{0: 3})
			require.NoError(t, run.stop())
			require.Equal(t, []string{"before", "after"}, s.of(0))
			letters := r.read(t, dlqTopic)
			require.Len(t, letters, 1)
			require.JSONEq(t, `{"topic": "in", "partition": 0, "offset": 1}`, string(letters[0].Value))
			require.Contains(t, headerPairs(letters[0].Headers), [2]string{deadletter.HeaderErrorOffset, "1"})
		})
	}
}
