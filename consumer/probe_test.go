package consumer

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/logtest"
)

// TestHaltedPartitionProbes has far more poison than the circuit lets through: a probe of 20 records after 5, 10, 20, 40
// and 60 minutes each, until the good records begin. Nothing is skipped and nothing is done twice.
func TestHaltedPartitionProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		const halted, bad = 500, 620
		r.produce(t, 0, poisonValues(bad)...)
		r.produce(t, 0, numberedValues(0, 1000)...)
		var (
			s   handledValues
			log logtest.Buffer
		)
		opts := longRunOptions(r, s.handle)
		opts.PoisonShare, opts.PoisonProbe, opts.Logger = 0.5, 5*time.Minute, slog.New(slog.NewTextHandler(&log, nil))
		run := r.start(t, opts)
		open := r.metrics.Circuits.WithLabelValues("test", inTopic)
		eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
		start, done := time.Now(), r.committed(t)[0]
		require.LessOrEqual(t, done, int64(halted))
		for i, minutes := range []int{5, 15, 35, 75, 135, 195} {
			next := start.Add(time.Duration(minutes) * time.Minute)
			<-time.After(time.Until(next) - 10*time.Second)
			require.Equal(t, done+int64(20*i), max(done, r.committed(t)[0]), "nothing more before the probe")
			require.Equal(t, "ok", readiness(run), "no restart heals it")
			require.False(t, run.loop.Progress().Busy)
			<-time.After(20 * time.Second)
			if done+int64(20*i) < bad-10 {
				require.Equal(t, done+int64(20*(i+1)), r.committed(t)[0], "a probe of 20 records")
				require.InDelta(t, i+1, counterValue(r.metrics.Probes, inTopic, probeFailed), 0)
				require.InDelta(t, 1, testutil.ToFloat64(open), 0)
			}
		}
		for r.committed(t)[0] != bad+1000 {
			require.Less(t, time.Since(start), 10*time.Hour)
			<-time.After(time.Minute)
		}
		require.Zero(t, testutil.ToFloat64(open))
		require.InDelta(t, 1, counterValue(r.metrics.Probes, inTopic, probePassed), 0)
		require.Equal(t, 1, log.Count("partition resumed"))
		require.NoError(t, run.stop())
		require.Len(t, r.read(t, dlqTopic), bad)
		require.Equal(t, numberedValues(0, 1000), s.of(0))
	})
}

// longRunOptions are options for hours of virtual time: a heartbeat or a fetch costs real time.
func longRunOptions(r *loopHarness, h handlerFunc) Options[string] {
	opts := r.options(h)
	opts.Kafka.FetchMaxWait, opts.Heartbeat, opts.SessionTimeout = 20*time.Second, time.Minute, 5*time.Minute
	return opts
}

func readiness(run *runningLoop) string {
	if run.loop.Ready() {
		return "ok"
	}
	return "not ready"
}

// TestProbeWaitsForEnoughRecords: one good record does not close the circuit.
func TestProbeWaitsForEnoughRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, poisonValues(11)...)
		opts := longRunOptions(r, copyHandler)
		opts.PoisonShare, opts.PoisonWindow, opts.PoisonProbe = 0.5, 20, 5*time.Minute
		run := r.start(t, opts)
		open := r.metrics.Circuits.WithLabelValues("test", inTopic)
		eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
		<-time.After(16 * time.Minute) // the batch of 11 fails the first probe
		r.awaitCommitted(t, map[int32]int64{0: 11})
		for i := range 19 {
			r.produce(t, 0, numberedValues(i, 1)...)
			<-time.After(time.Minute)
			r.awaitCommitted(t, map[int32]int64{0: int64(12 + i)})
			require.InDelta(t, 1, testutil.ToFloat64(open), 0, "%d good records", i+1)
		}
		r.produce(t, 0, numberedValues(19, 1)...)
		r.awaitCommitted(t, map[int32]int64{0: 31})
		eventually(t, func() bool { return testutil.ToFloat64(open) == 0 })
		require.NoError(t, run.stop())
		require.InDelta(t, 1, counterValue(r.metrics.Probes, inTopic, probeFailed), 0)
		require.InDelta(t, 1, counterValue(r.metrics.Probes, inTopic, probePassed), 0)
	})
}

// TestRestartOfAHaltedPartition: the next process begins with the record behind the last probe and an empty window.
func TestRestartOfAHaltedPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, poisonValues(200)...)
		opts := longRunOptions(r, copyHandler)
		opts.PoisonShare, opts.PoisonWindow, opts.PoisonProbe, opts.MaxBatch = 0.5, 40, 5*time.Minute, 10
		open := r.metrics.Circuits.WithLabelValues("test", inTopic)
		for _, want := range []int64{20 + 20, 40 + 20 + 20} { // two batches before it opens, then one probe
			run := r.start(t, opts)
			eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
			<-time.After(6 * time.Minute)
			require.NoError(t, run.stop())
			require.Zero(t, testutil.ToFloat64(open))
			require.Equal(t, want, r.committed(t)[0])
			require.Len(t, r.read(t, dlqTopic), int(want), "each once")
		}
	})
}
