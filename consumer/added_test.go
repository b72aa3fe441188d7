package consumer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
)

// addPartitions raises the number of partitions of the input topic, and writes five records to each new one. The producer is a new
// one, which knows them.
func (r *loopHarness) addPartitions(t *testing.T, from, to int32) {
	t.Helper()
	cl, err := r.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	resp, err := kadm.NewClient(cl).UpdatePartitions(t.Context(), int(to), inTopic)
	require.NoError(t, err)
	require.NoError(t, resp.Error())
	r.renewProducer(t)
	for p := from; p < to; p++ {
		r.produce(t, p, numberedValues(100*int(p), 5)...)
	}
}

// A group that starts at the end reads partitions that are added from their beginning, within 30 seconds, by each way of assignment,
// and also if it was restarted before it saw them.
func TestAddedPartitions(t *testing.T) {
	for _, serverSide := range []bool{false, true} {
		for _, tt := range []struct {
			name    string
			restart bool
		}{{"while it runs", false}, {"before a restart", true}} {
			name := tt.name + ", assigned by members"
			if serverSide {
				name = tt.name + ", assigned by brokers"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newVirtualHarness(t, 1)
					r.produce(t, 0, numberedValues(0, 7)...)
					var s handledValues
					opts := r.options(s.handle)
					opts.StartOffset, opts.ServerSide = StartLatest, serverSide
					run := r.start(t, opts)
					r.awaitCommitted(t, map[int32]int64{0: 7})
					r.produce(t, 0, "new")
					r.awaitCommitted(t, map[int32]int64{0: 8})
					r.addPartitions(t, 1, 3)
					began := time.Now()
					if tt.restart {
						require.NoError(t, run.stop())
						run = r.start(t, opts)
					}
					for s.len() < 11 && time.Since(began) < 10*time.Minute {
						sleepVirtual(100 * time.Millisecond)
					}
					t.Log("seconds until new partitions are read:", time.Since(began).Seconds())
					require.Less(t, time.Since(began), 30*time.Second)
					require.NoError(t, run.stop())
					require.Equal(t, numberedValues(100, 5), s.of(1))
					require.Equal(t, numberedValues(200, 5), s.of(2))
					require.Equal(t, []string{"new"}, s.of(0), "what was there before the group began is not read")
				})
			})
		}
	}
}

// The members of a new group all start at the end, also one whose partitions come to it after another has committed.
func TestNewGroupStartsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 4)
		for p := range int32(4) {
			r.produce(t, p, numberedValues(0, 7)...)
		}
		var s handledValues
		opts := r.options(s.handle)
		opts.StartOffset = StartLatest
		one, two := r.start(t, opts), r.start(t, opts)
		r.awaitCommitted(t, map[int32]int64{0: 7, 1: 7, 2: 7, 3: 7})
		require.NoError(t, one.stop())
		three := r.start(t, opts)
		r.produce(t, 3, "new")
		r.awaitCommitted(t, map[int32]int64{3: 8})
		require.NoError(t, two.stop())
		require.NoError(t, three.stop())
		require.Equal(t, 1, s.len())
	})
}
