package consumer

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTrackerAgainstModel compares the ring with a plain list over random pushes, completions in any order, repeated
// completions and anchors, with gaps and steps back between offsets.
func TestTrackerAgainstModel(t *testing.T) {
	type entry struct {
		offset int64
		done   bool
	}
	rapid.Check(t, func(t *rapid.T) {
		var (
			tr    offsetTracker
			model []entry
			next  int64
		)
		check := func() {
			want, has, open := int64(0), false, len(model)
			for _, e := range model {
				if !e.done {
					break
				}
				want, has = e.offset+1, true
				open--
			}
			mark, ok := tr.watermark()
			require.Equal(t, has, ok)
			if ok {
				require.Equal(t, want, mark.Offset)
			}
			require.EqualValues(t, open, tr.tail-tr.head)
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				next += rapid.Int64Range(1, 5).Draw(t, "gap")
				require.EqualValues(t, len(model), tr.push(next, 0))
				model = append(model, entry{offset: next})
			},
			"anchor": func(t *rapid.T) {
				next = rapid.Int64Range(0, next+10).Draw(t, "to")
				tr.anchor(next)
				model = append(model, entry{offset: next - 1, done: true})
			},
			"done": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				from := rapid.IntRange(0, len(model)-1).Draw(t, "from")
				to := min(len(model), from+rapid.IntRange(1, 200).Draw(t, "n"))
				tr.done(uint64(from), uint64(to))
				for i := from; i < to; i++ {
					model[i].done = true
				}
			},
			"": func(*rapid.T) { check() },
		})
	})
}

func TestTrackerGrowsWhileItsHeadWraps(t *testing.T) {
	var tr offsetTracker
	for i := range uint64(1000) {
		require.Equal(t, i, tr.push(int64(i), 7))
		if i%3 == 2 { // two open records are left behind each time
			tr.done(i/3, i/3+1)
		}
	}
	mark, ok := tr.watermark()
	require.True(t, ok)
	require.Equal(t, int64(333), mark.Offset)
	require.Equal(t, int32(7), mark.Epoch)
	tr.done(0, 1000)
	mark, _ = tr.watermark()
	require.Equal(t, int64(1000), mark.Offset)
	require.Equal(t, tr.head, tr.tail)
}
