package consumer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer/hold"
)

// pairCodec joins the records "docs K" and "answer K" of one letter K.
type pairCodec struct {
	textCodec

	docs map[string]bool
}

func (pairCodec) Split(string) Codec[string] { return pairCodec{docs: map[string]bool{}} }

func (c pairCodec) Decode(ctx context.Context, r *Raw, dst []string) ([]string, error) {
	kind, key, found := strings.Cut(string(r.Value), " ")
	if !found {
		return c.textCodec.Decode(ctx, r, dst)
	}
	r.Turn.Key = hold.Key{key[0]}
	switch {
	case kind == "docs":
		c.docs[key], r.Turn.Arrives = true, true
		if r.Turn.Open {
			r.Turn.Ask = hold.KeepUnmarked
		}
		return dst, nil
	case c.docs[key]:
		r.Turn.Settles = true
		return append(dst, "joined "+key), nil
	case r.Turn.Open:
		r.Turn.Ask = hold.WaitForKey
		return dst, nil
	}
	return append(dst, string(r.Turn.Ended)+" "+key), nil
}

// holdOptions are options of a loop that joins pairs and collects what was handled.
func (r *loopHarness) holdOptions(s *handledValues) Options[string] {
	opts := r.options(func(_ context.Context, batch []Record[string], _ Producer) error {
		s.add(batch)
		return nil
	})
	opts.Codec = pairCodec{}
	opts.Hold = map[string]hold.Limits{inTopic: {Wait: 10 * time.Second, Items: 100, Bytes: 1 << 20}}
	return opts
}

// sorted returns the values of a partition in order.
func (s *handledValues) sorted(partition int32) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.values[partition]))
}

// An answer before its documents waits for them, and the offset with it; the records between them do not. Documents are kept
// for the answer behind them.
func TestHeldRecordsJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		var s handledValues
		run := r.start(t, r.holdOptions(&s))
		r.produce(t, 0, "first", "answer a", "between", "docs b", "answer b", "poison")
		r.awaitCommitted(t, map[int32]int64{0: 1})
		eventually(t, func() bool { return s.len() == 3 })
		require.Equal(t, []string{"between", "first", "joined b"}, s.sorted(0))
		require.InDelta(t, 1, gaugeValue(t, r, "confab_held_records"), 0)
		<-time.After(5 * time.Second)
		require.EqualValues(t, 1, r.committed(t)[0], "the answer still waits")
		r.produce(t, 0, "docs a")
		r.awaitCommitted(t, map[int32]int64{0: 7})
		require.Equal(t, []string{"between", "first", "joined a", "joined b"}, s.sorted(0))
		require.InDelta(t, 0, gaugeValue(t, r, "confab_held_records"), 0)
		require.InDelta(t, 1, counterValue(r.metrics.Released, "test", inTopic, "arrived"), 0)
		require.Len(t, r.read(t, dlqTopic), 1, "poison does not wait")
		require.NoError(t, run.stop())
	})
}

// gaugeValue is the sum of a metric's series.
func gaugeValue(t *testing.T, r *loopHarness, name string) (sum float64) {
	t.Helper()
	families, err := r.registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// The limit ends without further records, to the second; and at once when the records themselves are later than it.
func TestHeldRecordsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		var s handledValues
		run := r.start(t, r.holdOptions(&s))
		r.produce(t, 0, "answer a", "docs c")
		start := time.Now()
		eventually(t, func() bool { return s.len() == 1 })
		require.Equal(t, []string{"time_limit a"}, s.sorted(0))
		require.InDelta(t, 10, time.Since(start).Seconds(), 0.5)
		r.awaitCommitted(t, map[int32]int64{0: 2})
		require.InDelta(t, 1, counterValue(r.metrics.Released, "test", inTopic, "time_limit"), 0)
		require.NoError(t, run.stop())

		r.produce(t, 0, "answer d")
		<-time.After(time.Hour)
		r.produce(t, 0, "between") // a group that is an hour behind
		opts := r.holdOptions(&s)
		opts.MaxBatch = 1
		run = r.start(t, opts)
		start = time.Now()
		r.awaitCommitted(t, map[int32]int64{0: 4})
		require.Less(t, time.Since(start), 5*time.Second)
		require.Contains(t, s.sorted(0), "time_limit d")
		require.NoError(t, run.stop())
	})
}

// The buffer's limits end the wait of the oldest.
func TestHeldRecordsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		var s handledValues
		opts := r.holdOptions(&s)
		opts.Hold[inTopic] = hold.Limits{Wait: 10 * time.Second, Items: 2, Bytes: 1 << 20}
		run := r.start(t, opts)
		r.produce(t, 0, "answer a", "answer b", "answer c")
		eventually(t, func() bool { return s.len() == 1 })
		require.Equal(t, []string{"buffer_full a"}, s.sorted(0))
		r.produce(t, 0, "docs c", "docs b")
		r.awaitCommitted(t, map[int32]int64{0: 5})
		require.Equal(t, []string{"buffer_full a", "joined b", "joined c"}, s.sorted(0))
		require.NoError(t, run.stop())
	})
}

// What waits at a stop or a crash is read again, and so are documents whose answer has not come.
func TestHeldRecordsAreReadAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for name, crash := range map[string]bool{"stop": false, "crash": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 1)
				var before, after handledValues
				process, run := r.startKillable(t, r.holdOptions(&before))
				r.produce(t, 0, "first", "docs a", "answer b", "between")
				r.awaitCommitted(t, map[int32]int64{0: 1})
				eventually(t, func() bool { return before.len() == 2 })
				if crash {
					process.kill()
				}
				run.quit()
				<-run.done
				require.Equal(t, []string{"between", "first"}, before.sorted(0), "nothing was evaluated without its documents")
				require.EqualValues(t, 1, r.committed(t)[0])
				r.produce(t, 0, "answer a", "docs b")
				next := r.start(t, r.holdOptions(&after))
				r.awaitCommitted(t, map[int32]int64{0: 6})
				require.Equal(t, []string{"between", "joined a", "joined b"}, after.sorted(0))
				require.NoError(t, next.stop())
			})
		})
	}
}

// A partition that moves takes its held records along: the old owner forgets them, the new one reads them again.
func TestHeldRecordsMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 2)
		var old, other handledValues
		opts := r.holdOptions(&old)
		opts.Hold[inTopic] = hold.Limits{Wait: 10 * time.Minute, Items: 100, Bytes: 1 << 20}
		one := r.start(t, opts)
		r.produce(t, 0, "first", "answer a")
		r.produce(t, 1, "first", "answer b")
		r.awaitCommitted(t, map[int32]int64{0: 1, 1: 1})
		eventually(t, func() bool { return gaugeValue(t, r, "confab_held_records") == 2 })
		opts.Handler = handlerFunc(func(_ context.Context, batch []Record[string], _ Producer) error {
			other.add(batch)
			return nil
		})
		two := r.start(t, opts)
		eventually(t, func() bool { return len(one.loop.owned.All()) == 1 && len(two.loop.owned.All()) == 1 })
		r.produce(t, 0, "docs a")
		r.produce(t, 1, "docs b")
		r.awaitCommitted(t, map[int32]int64{0: 3, 1: 3})
		moved := two.loop.owned.All()[0].ID.Partition
		stayed := 1 - moved
		joined := []string{"joined a", "joined b"}
		require.Equal(t, []string{"first", joined[stayed]}, old.sorted(stayed))
		require.Equal(t, []string{"first"}, old.sorted(moved))
		require.Equal(t, []string{joined[moved]}, other.sorted(moved), "nothing before the watermark, once what waited")
		require.NoError(t, one.stop())
		require.NoError(t, two.stop())
		require.InDelta(t, 0, gaugeValue(t, r, "confab_held_records"), 0)
	})
}

// Records are held for a codec that asks for it only.
func TestHeldRecordsNeedASplitter(t *testing.T) {
	r := newHarness(t, 1)
	opts := r.holdOptions(&handledValues{})
	opts.Codec = textCodec{}
	_, err := New(opts)
	require.ErrorContains(t, err, "the codec is no Splitter")
}

// Where records wait, a crashed owner may have been far behind the committed offset.
func TestHeldRecordsAreGuardedFarAhead(t *testing.T) {
	r := newHarness(t, 1)
	var s handledValues
	note := fmt.Sprintf(`{"confab":1,"owner":"ended","at":%d}`, time.Now().Add(-time.Hour).UnixMilli())
	for _, opts := range []Options[string]{r.holdOptions(&s), r.options(s.handle)} {
		l, err := New(opts)
		require.NoError(t, err)
		p := newPartition(l, nil, partitionID{Topic: inTopic})
		require.True(t, p.TakeOver(note, 0))
		require.True(t, p.crash.careful(defaultWindow-1))
		require.Equal(t, len(opts.Hold) > 0, p.crash.careful(maxBehind-1))
	}
}
