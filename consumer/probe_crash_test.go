package consumer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// probeOptions are patient options whose circuit opens at 11 poison records of 20 and probes 5 minutes later.
func probeOptions(r *loopHarness, h handlerFunc) Options[string] {
	opts := longRunOptions(r, h)
	opts.PoisonShare, opts.PoisonWindow, opts.PoisonProbe = 0.5, 20, 5*time.Minute
	opts.RetryInitial, opts.RetryMax = 10*time.Second, time.Minute
	return opts
}

func (r *loopHarness) circuitOpen() bool {
	return testutil.ToFloat64(r.metrics.Circuits.WithLabelValues("test", inTopic)) == 1
}

// deadLetterOutage makes the dead-letter topic refuse everything until the returned fault is removed.
func (r *loopHarness) deadLetterOutage() *kfake.FaultHandle {
	return r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: dlqTopic, Err: kerr.InvalidRequiredAcks, Count: -1})
}

// revokePartition takes partition 0 away from the loop as a rebalance does.
func revokePartition(t *testing.T, run *runningLoop) {
	t.Helper()
	p := run.loop.owned.All()[0]
	run.loop.onRevoked(t.Context(), p.Client, map[string][]int32{inTopic: {0}})
	<-p.Idle
}

// TestRevokeDuringAProbe: a halted partition is given back as any other. The records of the probe in work are the last
// ones, whether it passes or not, and the next owner goes on behind what is done.
func TestRevokeDuringAProbe(t *testing.T) {
	const bad, good = 11, 100 // the first probe has 9 good records and fails; the second passes
	for name, tt := range map[string]struct {
		until   time.Duration // the revoke, from the start
		blocked string        // the handler waits with this record in work until the partition is halted
		outage  bool          // of the dead-letter topic
		done    int64
	}{
		"while it waits for the first":    {until: time.Minute, done: 0},
		"while it waits for the second":   {until: 6 * time.Minute, done: 20},
		"a probe that fails":              {until: 6 * time.Minute, blocked: "v000000", done: 20},
		"a probe that passes":             {until: 16 * time.Minute, blocked: "v000009", done: 40},
		"a probe without dead letters":    {until: 6 * time.Minute, outage: true, done: 0},
		"after a probe that has passed":   {until: 16 * time.Minute, done: bad + good},
		"after it, with a record in work": {until: 16 * time.Minute, blocked: "v000029", done: bad + good},
	} {
		for range 8 { // what a select chooses is random
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newVirtualHarness(t, 1)
					r.produce(t, 0, append(poisonValues(bad), numberedValues(0, good)...)...)
					var s handledValues
					halted := make(chan struct{})
					opts := probeOptions(r, func(ctx context.Context, batch []Record[string], out Producer) error {
						if batch[0].Value == tt.blocked {
							<-halted
						}
						return s.handle(ctx, batch, out)
					})
					run := r.start(t, opts)
					eventually(t, r.circuitOpen)
					if tt.outage {
						defer r.deadLetterOutage().Remove()
					}
					<-time.After(tt.until)
					p := run.loop.owned.All()[0]
					go func() { <-p.Stop; close(halted) }()
					revokePartition(t, run)
					require.Equal(t, tt.done, max(0, r.committed(t)[0]))
					require.Empty(t, r.metadata(t), "given back")
					require.False(t, r.circuitOpen())
					if tt.done > 0 {
						require.Equal(t, numberedValues(0, int(tt.done)-bad), s.of(0), "nothing was begun that is not done")
					}
					require.NoError(t, run.stop())
				})
			})
		}
	}
}

// TestProbeDuringADeadLetterOutage: the probe waits for the topic as any batch does. It counts once it is durable, and
// the time to the next one begins then.
func TestProbeDuringADeadLetterOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, append(poisonValues(50), numberedValues(0, 10)...)...)
		var s handledValues
		run := r.start(t, probeOptions(r, s.handle))
		eventually(t, r.circuitOpen)
		outage := r.deadLetterOutage()
		<-time.After(time.Hour)
		require.Positive(t, counterValue(r.metrics.Retries, "test", string(phaseDeadLetter)))
		require.Zero(t, counterValue(r.metrics.Probes, inTopic, probeFailed), "it has not ended")
		require.True(t, r.circuitOpen())
		require.False(t, run.loop.Progress().Busy, "no restart heals it")
		require.LessOrEqual(t, r.committed(t)[0], int64(0))
		outage.Remove()
		<-time.After(9 * time.Minute)
		require.InDelta(t, 1, counterValue(r.metrics.Probes, inTopic, probeFailed), 0)
		require.Equal(t, int64(20), r.committed(t)[0])
		<-time.After(2 * time.Minute) // the second after 10 minutes
		require.Equal(t, int64(40), r.committed(t)[0])
		<-time.After(20 * time.Minute) // 10 poison records of 20 pass
		require.Equal(t, int64(60), r.committed(t)[0])
		require.False(t, r.circuitOpen())
		require.NoError(t, run.stop())
		require.Len(t, r.read(t, dlqTopic), 50, "each once")
		require.Equal(t, numberedValues(0, 10), s.of(0))
	})
}

// TestProbeOneRecordAtATime: crashes while the partition is halted count against no record. The third owner works on
// records one at a time, and a probe counts them as one of 20.
func TestProbeOneRecordAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, append(poisonValues(40), numberedValues(0, 50)...)...)
		var s handledValues
		for _, done := range []int64{0, 0, 10} { // the first two work on one batch, the third on ten records before it halts
			m, run := r.startKillable(t, probeOptions(r, s.handle))
			eventually(t, r.circuitOpen)
			<-time.After(time.Minute)
			note, ok := readOwnerNote(r.metadata(t))
			require.True(t, ok)
			require.Equal(t, run.loop.id, note.Owner)
			require.Empty(t, note.Attempts, "no record is in work while the partition is halted")
			require.Equal(t, done, r.committed(t)[0])
			m.kill()
			_ = run.stop()
		}
		run := r.start(t, probeOptions(r, func(ctx context.Context, batch []Record[string], out Producer) error {
			if batch[0].Offset < 64 { // the small batch of the owner before
				require.Len(t, batch, 1)
			}
			return s.handle(ctx, batch, out)
		}))
		eventually(t, r.circuitOpen)
		start := time.Now()
		for _, tt := range []struct {
			after        time.Duration
			done         int64
			failed, pass float64
		}{
			{time.Minute, 20, 0, 0},
			{6 * time.Minute, 31, 1, 0},       // 11 poison records decide
			{16 * time.Minute, 31 + 59, 1, 1}, // 9 poison records of 20 pass, and the rest goes on
		} {
			<-time.After(time.Until(start.Add(tt.after)))
			require.Equal(t, tt.done, r.committed(t)[0], "after %s", tt.after)
			require.InDelta(t, tt.failed, counterValue(r.metrics.Probes, inTopic, probeFailed), 0)
			require.InDelta(t, tt.pass, counterValue(r.metrics.Probes, inTopic, probePassed), 0)
			require.Equal(t, tt.pass == 0, r.circuitOpen())
		}
		require.NoError(t, run.stop())
		require.Empty(t, r.metadata(t), "given back")
		require.InDelta(t, 3, counterValue(r.metrics.Unclean, "test"), 0)
		values, reasons := r.letterReasons(t)
		require.Equal(t, poisonValues(40), values, "each once")
		require.NotContains(t, reasons, ReasonCrashSuspect)
		require.Equal(t, numberedValues(0, 50), s.of(0))
	})
}

// TestProbedRecordThatEndsItsProcess: the record ends two processes in a probe of 20 records, one in a probe of single
// records, and one while it is worked on alone. Then it is a dead letter.
func TestProbedRecordThatEndsItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, append(append(append(poisonValues(15), numberedValues(0, 3)...), "killer"), numberedValues(3, 5)...)...)
		var s handledValues
		halts := []bool{true, true, true, false, false}
		for i, halt := range halts {
			died, born := make(chan struct{}), make(chan struct{})
			var m *killableProcess
			opts := probeOptions(r, func(ctx context.Context, batch []Record[string], out Producer) error {
				<-born
				for i := range batch {
					if batch[i].Begin(); batch[i].Value == "killer" {
						m.kill()
						close(died)
						<-ctx.Done()
						return ctx.Err()
					}
				}
				return s.handle(ctx, batch, out)
			})
			var run *runningLoop
			m, run = r.startKillable(t, opts)
			close(born)
			if halt {
				eventually(t, r.circuitOpen)
			}
			select {
			case <-died:
				require.Less(t, i, 4)
			case <-time.After(20 * time.Minute):
				require.Equal(t, 4, i, "it ends no more process")
			}
			require.Equal(t, halt, r.circuitOpen(), "process %d", i)
			_ = run.stop()
		}
		require.Equal(t, int64(24), r.committed(t)[0])
		require.Empty(t, r.metadata(t))
		values, reasons := r.letterReasons(t)
		require.Equal(t, append(poisonValues(15), "killer"), values, "each once")
		require.Equal(t, ReasonCrashSuspect, reasons[15])
		require.Equal(t, numberedValues(0, 8), s.of(0))
	})
}
