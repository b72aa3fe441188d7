package hashtable

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTableEqualsMap compares the table with the map that it was made of, also for hashes with equal high bits.
func TestTableEqualsMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 20), rapid.Custom(func(t *rapid.T) uint64 {
			return ^uint64(0) - rapid.Uint64Range(0, 20).Draw(t, "from the end")
		}))
		values := rapid.MapOfN(hashes, rapid.Int(), 0, 40).Draw(t, "values")
		table := New(values)
		for _, h := range rapid.SliceOf(hashes).Draw(t, "others") {
			want, known := values[h]
			got, ok := table.Find(h)
			require.Equal(t, known, ok)
			require.Equal(t, want, got)
		}
		for h, want := range values {
			require.Equal(t, want, table.Get(h))
		}
	})
}

// TestSetEqualsMap does the same for sets.
func TestSetEqualsMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.OneOf(rapid.Uint64Min(1), rapid.Uint64Range(1, 20), rapid.Custom(func(t *rapid.T) uint64 {
			return ^uint64(0) - rapid.Uint64Range(0, 20).Draw(t, "from the end")
		}))
		list := rapid.SliceOfN(hashes, 0, 40).Draw(t, "hashes")
		set := NewSet(list)
		require.False(t, set.Has(0))
		for _, h := range list {
			require.True(t, set.Has(h))
		}
		for _, h := range rapid.SliceOf(hashes).Draw(t, "others") {
			require.Equal(t, slices.Contains(list, h), set.Has(h))
		}
	})
}
