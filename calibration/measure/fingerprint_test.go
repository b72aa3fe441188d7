package measure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func printed(rows ...string) *RowHashes {
	p := new(RowHashes)
	for _, r := range rows {
		p.Add([]byte(r))
	}
	return p
}

func TestFingerprintKnowsRowsNotTheirOrder(t *testing.T) {
	t.Parallel()
	want := printed("a", "b", "c").Fingerprint()
	require.Len(t, want, 16)
	require.Equal(t, want, printed("c\n", " a", "b\r\n").Fingerprint())
	for _, other := range []*RowHashes{printed(), printed("a", "b"), printed("a", "b", "c", "c"), printed("ab", "c"), printed("a", "b", "d")} {
		require.NotEqual(t, want, other.Fingerprint())
	}
	// sha256(sha256("a")), by hand with sha256sum.
	require.Equal(t, "bf5d3affb73efd2e", printed("a").Fingerprint())
}

func TestFingerprintCountsRepeats(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, printed("a", "b").Repeated())
	require.Equal(t, 3, printed("a", "b", "a ", "a", "b").Repeated())
}
