package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/logtest"
)

const stormSize = 10_000

func poisonValues(n int) []string {
	values := make([]string, 0, n)
	for i := range n {
		values = append(values, fmt.Sprintf("poison%06d", i))
	}
	return values
}

// TestPoisonStormHaltsThePartition: ten thousand records of poison do not drain into the dead-letter topic; the other
// partition goes on, and a restart with the circuit off takes everything, once.
func TestPoisonStormHaltsThePartition(t *testing.T) {
	r := newHarness(t, 2)
	r.produce(t, 0, numberedValues(0, 100)...)
	r.produce(t, 0, poisonValues(stormSize)...)
	r.produce(t, 1, numberedValues(0, 50)...)
	var (
		s   handledValues
		log logtest.Buffer
	)
	opts := r.options(s.handle)
	opts.PoisonShare, opts.Logger = 0.5, slog.New(slog.NewTextHandler(&log, nil))
	run := r.start(t, opts)
	open := r.metrics.Circuits.WithLabelValues("test", inTopic)
	eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
	r.produce(t, 1, numberedValues(50, 50)...)
	r.awaitCommitted(t, map[int32]int64{1: 100})
	require.False(t, run.loop.Progress().Busy, "a halted partition is not stuck: a restart alone heals nothing")
	eventually(t, func() bool { return log.Count("set kafka.poison_circuit: false") == 1 })
	require.NoError(t, run.stop())
	require.Zero(t, testutil.ToFloat64(open))

	letters := r.read(t, dlqTopic)
	require.LessOrEqual(t, len(letters), 500, "what more than half of a window may hold")
	require.Equal(t, int64(100+len(letters)), r.committed(t)[0], "what is not done is not committed")

	opts.PoisonShare = 0
	run = r.start(t, opts)
	start := time.Now()
	r.awaitCommitted(t, map[int32]int64{0: 100 + stormSize})
	t.Logf("circuit off: %.0f dead letters a second", float64(stormSize-len(letters))/time.Since(start).Seconds())
	require.NoError(t, run.stop())
	found := make(map[string]int)
	for _, l := range r.read(t, dlqTopic) {
		found[string(l.Value)]++
	}
	for _, v := range poisonValues(stormSize) {
		require.Equal(t, 1, found[v], v)
	}
	require.Equal(t, numberedValues(0, 100), s.of(0), "good records are handled once")
}

// TestPoisonStormSaysSoOnceAMinute runs in virtual time.
func TestPoisonStormSaysSoOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, poisonValues(100)...)
		var log logtest.Buffer
		opts := r.options(copyHandler)
		opts.PoisonShare, opts.PoisonWindow, opts.Logger = 0.5, 20, slog.New(slog.NewTextHandler(&log, nil))
		run := r.start(t, opts)
		eventually(t, func() bool { return log.Count("partition halted") == 1 })
		<-time.After(10*time.Minute + time.Second)
		require.Equal(t, 11, log.Count("partition halted"))
		require.Greater(t, run.loop.owned.StuckFor(), 10*time.Minute)
		require.NoError(t, run.stop())
		require.Zero(t, r.committed(t)[0])
	})
}

// TestIsolatedRecordsCountOnce: a batch that is taken apart is decoded again, and its poison is no more than before.
func TestIsolatedRecordsCountOnce(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, append(poisonValues(6), "big", "c", "d", "e", "f")...)
	opts := r.options(func(_ context.Context, batch []Record[string], out Producer) error {
		for i := range batch {
			size := 10
			if batch[i].Value == "big" {
				size = 2 << 20
			}
			out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: make([]byte, size)})
		}
		return nil
	})
	opts.PoisonShare, opts.PoisonWindow = 0.5, 14
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 11})
	require.NoError(t, run.stop())
	require.Len(t, r.read(t, dlqTopic), 7)
}

// TestRestartOfAHaltedPartition: the next process begins behind what is done, with an empty window.
func TestRestartOfAHaltedPartition(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, poisonValues(200)...)
	opts := r.options(copyHandler)
	opts.PoisonShare, opts.PoisonWindow, opts.MaxBatch = 0.5, 40, 10
	open := r.metrics.Circuits.WithLabelValues("test", inTopic)
	for _, want := range []int64{20, 40} { // two batches before it opens
		run := r.start(t, opts)
		eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
		require.NoError(t, run.stop())
		require.Zero(t, testutil.ToFloat64(open))
		require.Equal(t, want, r.committed(t)[0])
		require.Len(t, r.read(t, dlqTopic), int(want), "each once")
	}
}

// deadLetterOutage makes the dead-letter topic refuse everything until the returned fault is removed.
func (r *loopHarness) deadLetterOutage() *kfake.FaultHandle {
	return r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: dlqTopic, Err: kerr.InvalidRequiredAcks, Count: -1})
}
