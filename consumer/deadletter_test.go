package consumer

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

func TestPoisonGoesToTheDeadLetterTopic(t *testing.T) {
	r := newHarness(t, 1)
	require.NoError(t, r.producer.ProduceSync(t.Context(),
		kafka.Message{Topic: inTopic, Value: []byte("good 1"), Key: []byte("k")},
		kafka.Message{Topic: inTopic, Value: []byte("poison!"), Key: []byte("k2"), Headers: []kafka.Header{
			{Key: "traceparent", Value: []byte("00-1")},
			{Key: deadletter.HeaderOrigin, Value: []byte("o")},
			{Key: deadletter.HeaderAttempt, Value: []byte("2")},
			{Key: deadletter.HeaderReason, Value: []byte("old")},
		}},
		kafka.Message{Topic: inTopic, Value: nil, Key: []byte("k3")},
		kafka.Message{Topic: inTopic, Value: []byte(strings.Repeat("x", 2000)), Key: []byte("k4")},
		kafka.Message{Topic: inTopic, Value: []byte("good 2"), Key: []byte("k5")},
	))
	var s handledValues
	opts := r.options(s.handle)
	opts.MaxValueBytes = 1000
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 5})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"good 1", "good 2"}, s.of(0))

	letters := r.read(t, dlqTopic)
	require.Len(t, letters, 2)
	require.Equal(t, "poison!", string(letters[0].Value))
	require.Equal(t, "k2", string(letters[0].Key))
	want := [][2]string{
		{"traceparent", "00-1"},
		{"confab-origin", "o"},
		{"__connect.errors.topic", inTopic},
		{"__connect.errors.partition", "0"},
		{"__connect.errors.offset", "1"},
		{"__connect.errors.connector.name", testGroup},
		{"__connect.errors.stage", "decode"},
		{"__connect.errors.class.name", "confab"},
		{"__connect.errors.exception.class.name", "*errors.errorString"},
		{"__connect.errors.exception.message", "bad_text: at byte 0"},
		{"confab-stage", "decode"},
		{"confab-reason", "bad_text"},
		{"confab-attempt", "3"},
	}
	require.Empty(t, cmp.Diff(want, headerPairs(letters[0].Headers)))
	require.Len(t, letters[1].Value, 2000, "a value that fits the topic is kept whole")
	require.Contains(t, headerPairs(letters[1].Headers), [2]string{"confab-reason", ReasonTooLarge})
	require.InDelta(t, 1, counterValue(r.metrics.Processed, "test", OutcomeTombstone), 0)
	require.InDelta(t, 2, counterValue(r.metrics.Processed, "test", OutcomeDeadLetter), 0)
	require.InDelta(t, 5, counterValue(r.metrics.Interactions, "test"), 0)
}

func headerPairs(hs []kafka.Header) [][2]string {
	var out [][2]string
	for _, h := range hs {
		out = append(out, [2]string{h.Key, string(h.Value)})
	}
	return out
}

func TestPartitionWaitsWhileTheDeadLetterTopicIsDown(t *testing.T) {
	r := newHarness(t, 2)
	down := r.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: dlqTopic, Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	r.produce(t, 0, "good", "poison 1", "poison 2")
	r.produce(t, 0, "after")
	var s handledValues
	opts := r.options(s.handle)
	opts.MaxBatch = 3
	run := r.start(t, opts)
	require.NoError(t, down.Wait(t.Context(), 3))
	r.produce(t, 1, "other") // the other partition goes on
	r.awaitCommitted(t, map[int32]int64{1: 1})
	require.Zero(t, r.committed(t)[0])
	require.NotContains(t, s.of(0), "after")

	down.Remove()
	r.awaitCommitted(t, map[int32]int64{0: 4})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"good", "after"}, s.of(0), "the handled part of the batch is not handled again")
	require.Len(t, r.read(t, dlqTopic), 2, "a letter that is durable is not written again")
	require.Positive(t, counterValue(r.metrics.Retries, "test", string(phaseDeadLetter)))
}

func TestCodecPanicIsPoison(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a", "boom", "c")
	var s handledValues
	opts := r.options(s.handle)
	opts.Codec = panicCodec{}
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 3})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"a", "c"}, s.of(0))
	letters := r.read(t, dlqTopic)
	require.Len(t, letters, 1)
	require.Contains(t, headerPairs(letters[0].Headers), [2]string{"confab-reason", ReasonPanic})
	for _, h := range letters[0].Headers {
		require.NotContains(t, string(h.Value), "secret", "a panic's value may quote the record")
	}
	require.InDelta(t, 1, counterValue(r.metrics.Panics, "test", "codec"), 0)
}

type panicCodec struct{ textCodec }

func (c panicCodec) Decode(ctx context.Context, r *Raw, dst []string) ([]string, error) {
	if string(r.Value) == "boom" {
		panic("secret")
	}
	return c.textCodec.Decode(ctx, r, dst)
}

// TestTransientDecodeErrorWaits: a codec may need a registry that is down; nothing becomes a dead letter for that.
func TestTransientDecodeErrorWaits(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a", "b", "c")
	var s handledValues
	opts := r.options(s.handle)
	opts.Codec = &flakyCodec{left: 4}
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 3})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"a", "b", "c"}, s.of(0))
	require.Empty(t, r.read(t, dlqTopic))
	require.InDelta(t, 4, counterValue(r.metrics.Retries, "test", string(phaseDecode)), 0)
}

type flakyCodec struct {
	textCodec
	left int
}

func (c *flakyCodec) Decode(ctx context.Context, r *Raw, dst []string) ([]string, error) {
	if string(r.Value) == "b" && c.left > 0 {
		c.left--
		return append(dst, "half done"), context.DeadlineExceeded
	}
	return c.textCodec.Decode(ctx, r, dst)
}
