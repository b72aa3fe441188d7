package measure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func hashRows(rows ...string) *RowHashes {
	p := new(RowHashes)
	for _, r := range rows {
		p.Add([]byte(r))
	}
	return p
}

func TestFingerprintIgnoresOrder(t *testing.T) {
	t.Parallel()
	want := hashRows("a", "b", "c").Fingerprint()
	require.Len(t, want, 16)
	require.Equal(t, want, hashRows("c\n", " a", "b\r\n").Fingerprint())
	for _, other := range []*RowHashes{hashRows(), hashRows("a", "b"), hashRows("a", "b", "c", "c"), hashRows("ab", "c"), hashRows("a", "b", "d")} {
		require.NotEqual(t, want, other.Fingerprint())
	}
	// sha256(sha256("a")), by hand with sha256sum.
	require.Equal(t, "bf5d3affb73efd2e", hashRows("a").Fingerprint())
}
