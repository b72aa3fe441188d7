package consumer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
)

func TestOrderPerPartition(t *testing.T) {
	r := newHarness(t, 4)
	want := make(map[int32][]string)
	for p := range int32(4) {
		want[p] = numberedValues(int(p)*1000, 700)
		r.produce(t, p, want[p]...)
	}
	var s handledValues
	opts := r.options(s.handle)
	opts.MaxBatch = 64
	run := r.start(t, opts)
	eventually(t, func() bool { return s.len() == 2800 })
	r.awaitCommitted(t, map[int32]int64{0: 700, 1: 700, 2: 700, 3: 700})
	require.NoError(t, run.stop())
	for p, values := range want {
		require.Equal(t, values, s.of(p))
	}
	require.InDelta(t, 2800, counterValue(r.metrics.Fetched, "test", inTopic), 0)
	require.InDelta(t, 2800, counterValue(r.metrics.Interactions, "test"), 0)
	require.InDelta(t, 2800, counterValue(r.metrics.Processed, "test", OutcomeDone), 0)
}

func TestFailedBatchIsOfferedAgain(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, numberedValues(0, 10)...)
	var (
		s     handledValues
		tries atomic.Int32
	)
	opts := r.options(func(_ context.Context, batch []Record[string], _ Producer) error {
		for i := range batch {
			assert.Empty(t, batch[i].Outcome, "an outcome of a failed attempt is left over")
			batch[i].Outcome = "handled"
		}
		switch tries.Add(1) {
		case 1, 2, 3:
			return errors.New("the world is bad")
		case 4:
			panic("handler bug")
		}
		s.add(batch)
		return nil
	})
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 10})
	require.NoError(t, run.stop())
	require.Equal(t, numberedValues(0, 10), s.of(0))
	require.InDelta(t, 4, counterValue(r.metrics.Retries, "test", string(phaseHandle)), 0)
	require.InDelta(t, 1, counterValue(r.metrics.Panics, "test", "handler"), 0)
	require.InDelta(t, 10, counterValue(r.metrics.Processed, "test", "handled"), 0)
	require.InDelta(t, 10, counterValue(r.metrics.Interactions, "test"), 0, "a repeat is counted once")
}

// TestCommitNeverPassesUnfinishedWork looks at every commit request that reaches the broker.
func TestCommitNeverPassesUnfinishedWork(t *testing.T) {
	r := newHarness(t, 1)
	var finished, worst atomic.Int64
	commits := r.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.OffsetCommit}, Observe: true, Count: -1, When: func(req kmsg.Request) bool {
			for _, topic := range req.(*kmsg.OffsetCommitRequest).Topics {
				for _, p := range topic.Partitions {
					worst.Store(max(worst.Load(), p.Offset-finished.Load()))
				}
			}
			return true
		},
	})
	var failed sync.Map
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		if _, again := failed.LoadOrStore(batch[0].Offset, true); !again {
			return errors.New("not now")
		}
		// Only the loop knows when this batch is done; at this point at most all of it is.
		finished.Store(batch[len(batch)-1].Offset + 1)
		return copyHandler(ctx, batch, out)
	})
	opts.MaxBatch = 5
	r.start(t, opts)
	for i := range 20 {
		r.produce(t, 0, numberedValues(10*i, 10)...)
	}
	r.awaitCommitted(t, map[int32]int64{0: 200})
	require.LessOrEqual(t, worst.Load(), int64(0), "an offset was committed before its work was done")
	require.Positive(t, commits.Hits())
	require.Len(t, r.read(t, outTopic), 200)
}

func TestOutputRefusedIsNotCommitted(t *testing.T) {
	r := newHarness(t, 1)
	refuse := r.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: outTopic, Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	r.produce(t, 0, numberedValues(0, 20)...)
	run := r.start(t, r.options(copyHandler))
	require.NoError(t, refuse.Wait(t.Context(), 5))
	require.Zero(t, r.committed(t)[0])
	require.Zero(t, counterValue(r.metrics.Interactions, "test"))
	eventually(t, func() bool { return run.loop.owned.StuckFor() > 0 })

	refuse.Remove()
	r.awaitCommitted(t, map[int32]int64{0: 20})
	require.NoError(t, run.stop())
	require.Positive(t, counterValue(r.metrics.Retries, "test", string(phasePublish)))
	written := make(map[string]bool)
	for _, rec := range r.read(t, outTopic) {
		written[string(rec.Value)] = true // more than once when only a part of the batch had been refused
	}
	require.Len(t, written, 20)
	require.InDelta(t, 20, counterValue(r.metrics.Processed, "test", "copied"), 0)
}

func TestOutputTooLargeIsDeadLetter(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a", "big", "c")
	run := r.start(t, r.options(func(_ context.Context, batch []Record[string], out Producer) error {
		for i := range batch {
			size := 10
			if batch[i].Value == "big" {
				size = 2 << 20
			}
			out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: make([]byte, size)})
		}
		return nil
	}))
	r.awaitCommitted(t, map[int32]int64{0: 3})
	require.NoError(t, run.stop())
	letters := r.read(t, dlqTopic)
	require.Len(t, letters, 1)
	require.Equal(t, "big", string(letters[0].Value))
	require.InDelta(t, 1, counterValue(r.metrics.Letters, StagePublish, ReasonTooLarge), 0)
	require.InDelta(t, 1, counterValue(r.metrics.Processed, "test", OutcomeDeadLetter), 0)
	require.InDelta(t, 3, counterValue(r.metrics.Interactions, "test"), 0)
}

// TestBackpressure holds the handler and looks at how far ahead of it the loop reads.
func TestBackpressure(t *testing.T) {
	tests := []struct {
		name    string
		records int
		bytes   int
		most    int
	}{
		{"by records", 100, 1 << 30, 100*8/10 + 1 + maxPoll},
		{"by bytes", 1 << 20, 100 << 10, 80 + 1 + maxPoll},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newHarness(t, 2)
			values := make([]string, 2000)
			for i := range values {
				values[i] = fmt.Sprintf("%06d", i) + strings.Repeat("x", 1018)
			}
			r.produce(t, 0, values...)
			var s handledValues
			gate := make(chan struct{})
			opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
				if batch[0].Partition == 0 {
					<-gate
				}
				return s.handle(ctx, batch, out)
			})
			opts.InFlightRecords, opts.InFlightBytes, opts.MaxBatch = tt.records, tt.bytes, 10
			run := r.start(t, opts)
			id := partitionID{Topic: inTopic, Partition: 0}
			eventually(t, func() bool {
				p := run.loop.owned.Find(id)
				return p != nil && isPaused(p)
			})
			r.produce(t, 1, "other") // passes: one partition's wait is not another's
			eventually(t, func() bool { return len(s.of(1)) == 1 })
			require.LessOrEqual(t, heldRecords(run.loop.owned.Find(id)), tt.most)
			close(gate)
			eventually(t, func() bool { return s.len() == 2001 })
			require.Equal(t, values, s.of(0), "nothing is lost or reordered by pausing")
			require.False(t, isPaused(run.loop.owned.Find(id)))
			require.NoError(t, run.stop())
		})
	}
}

func isPaused(p *partition[string]) bool {
	_, paused := p.Load()
	return paused
}

func heldRecords(p *partition[string]) int {
	n, _ := p.Load()
	return n
}

func TestReadyAndProgress(t *testing.T) {
	r := newHarness(t, 1)
	began, finish := make(chan struct{}), make(chan struct{})
	run := r.start(t, r.options(func(context.Context, []Record[string], Producer) error {
		close(began)
		<-finish
		return nil
	}))
	eventually(t, run.loop.Ready)
	require.Equal(t, Progress{}, run.loop.Progress())
	r.produce(t, 0, "a")
	<-began
	pr := run.loop.Progress()
	require.True(t, pr.Busy)
	require.False(t, pr.Since.IsZero())
	close(finish)
	eventually(t, func() bool { return !run.loop.Progress().Busy })
	require.NoError(t, run.stop())
	require.False(t, run.loop.Ready())
}

func TestMissingTopic(t *testing.T) {
	r := newHarness(t, 1)
	opts := r.options(copyHandler)
	opts.Topics = []string{inTopic, "absent", "gone"}
	run := r.start(t, opts)
	<-run.done
	require.ErrorContains(t, run.err, "topic absent does not exist: create it, for example with `confab topics apply`")
	require.ErrorContains(t, run.err, "topic gone does not exist")
}

func TestOptionsAreValidated(t *testing.T) {
	_, err := New(Options[string]{})
	for _, want := range []string{
		"no seed brokers", "no role", "no group", "no topics", "no producer", "no codec", "no metrics",
		"start_offset must be earliest or latest",
	} {
		require.ErrorContains(t, err, want)
	}
}

// TestSmoke moves 20,000 records with outputs through small batches and caps.
func TestSmoke(t *testing.T) {
	r := newHarness(t, 3)
	const n = 20_000
	for p := range int32(3) {
		r.produce(t, p, numberedValues(0, n/3+1)...)
	}
	opts := r.options(copyHandler)
	opts.MaxBatch, opts.InFlightRecords = 50, 300
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: n/3 + 1, 1: n/3 + 1, 2: n/3 + 1})
	require.NoError(t, run.stop())
	require.Len(t, r.read(t, outTopic), 3*(n/3+1))
}

// countingCodec counts the records that it decodes.
type countingCodec struct {
	textCodec
	decoded *atomic.Int32
}

func (c countingCodec) Decode(ctx context.Context, r *Raw, dst []string) ([]string, error) {
	c.decoded.Add(1)
	return c.textCodec.Decode(ctx, r, dst)
}

// A batch that is handled again is not decoded again.
func TestRetryDecodesNothingAgain(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a", "poison", "b")
	var decoded, tries atomic.Int32
	var s handledValues
	opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
		if tries.Add(1) < 4 {
			out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: []byte("of a failed attempt")})
			return errors.New("not now")
		}
		return s.handle(ctx, batch, out)
	})
	opts.Codec = countingCodec{decoded: &decoded}
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 3})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"a", "b"}, s.of(0))
	require.EqualValues(t, 3, decoded.Load())
	require.Empty(t, r.read(t, outTopic))
	require.Len(t, r.read(t, dlqTopic), 1)
}
