package consumer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

// listCodec decodes a record of several values, separated by bars. A value with the prefix "poison" is rejected alone, and one
// with the prefix "none" has no value.
type listCodec struct{ textCodec }

func (listCodec) Decode(_ context.Context, r *Raw, dst []string) ([]string, error) {
	for i, v := range strings.Split(string(r.Value), "|") {
		switch {
		case strings.HasPrefix(v, "poison"):
			r.Rejected = append(r.Rejected, Part{Index: i, Value: []byte(v), Err: &PoisonError{Stage: StageDecode, Reason: "bad_text", Err: errors.New("bad")}})
		case !strings.HasPrefix(v, "none"):
			dst, r.Indexes = append(dst, v), append(r.Indexes, i)
		}
	}
	return dst, nil
}

// Every part of a record has one outcome, and the record is done when all have one.
func TestPartsOfARecord(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a|poison 1|none|b|poison 2", "none", "c")
	var handled []string
	var indexes []int
	opts := r.options(func(_ context.Context, batch []Record[string], out Producer) error {
		for i := range batch {
			handled, indexes = append(handled, batch[i].Value), append(indexes, batch[i].Index)
		}
		return nil
	})
	opts.Codec = listCodec{}
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 3})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"a", "b", "c"}, handled)
	require.Equal(t, []int{0, 3, 0}, indexes)
	letters := r.read(t, dlqTopic)
	require.Len(t, letters, 2)
	for i, want := range []struct{ value, index string }{{"poison 1", "1"}, {"poison 2", "4"}} {
		require.Equal(t, want.value, string(letters[i].Value))
		require.Contains(t, headerPairs(letters[i].Headers), [2]string{deadletter.HeaderIndex, want.index})
		require.Contains(t, headerPairs(letters[i].Headers), [2]string{"__connect.errors.offset", "0"})
	}
	require.InDelta(t, 5, counterValue(r.metrics.Interactions, "test"), 0)
}

// One value whose output is too large to write becomes a dead letter, not its neighbours.
func TestOutputOfAPartTooLarge(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a|big|b|poison", "c")
	opts := r.options(func(_ context.Context, batch []Record[string], out Producer) error {
		for i := range batch {
			value := []byte(batch[i].Value)
			if batch[i].Value == "big" {
				value = make([]byte, 2<<20)
			}
			out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: value})
		}
		return nil
	})
	opts.Codec = listCodec{}
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 2})
	require.NoError(t, run.stop())
	seen := map[string]bool{}
	for _, out := range r.read(t, outTopic) {
		seen[string(out.Value)] = true
	}
	require.Equal(t, map[string]bool{"a": true, "b": true, "c": true}, seen)
	letters := r.read(t, dlqTopic)
	require.Len(t, letters, 2)
	require.Equal(t, "a|big|b|poison", string(letters[1].Value))
	require.Contains(t, headerPairs(letters[1].Headers), [2]string{deadletter.HeaderIndex, "1"})
	require.Contains(t, headerPairs(letters[1].Headers), [2]string{"confab-reason", ReasonTooLarge})
	require.InDelta(t, 5, counterValue(r.metrics.Interactions, "test"), 0)
}

// A record of which most parts are rejected counts as poison, one with a few does not.
func TestPartsAndTheCircuit(t *testing.T) {
	for name, tt := range map[string]struct {
		value string
		open  bool
	}{"few": {"a|b|poison", false}, "most": {"a|poison|poison", true}} {
		t.Run(name, func(t *testing.T) {
			r := newHarness(t, 1)
			values := make([]string, 40)
			for i := range values {
				values[i] = tt.value
			}
			r.produce(t, 0, values...)
			opts := r.options(func(context.Context, []Record[string], Producer) error { return nil })
			opts.Codec, opts.PoisonShare, opts.PoisonWindow = listCodec{}, 0.5, 20
			run := r.start(t, opts)
			if tt.open {
				open := r.metrics.Circuits.WithLabelValues("test", inTopic)
				eventually(t, func() bool { return testutil.ToFloat64(open) == 1 })
			} else {
				r.awaitCommitted(t, map[int32]int64{0: 40})
			}
			require.NoError(t, run.stop())
		})
	}
}
