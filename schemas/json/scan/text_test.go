package scan

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Text is read sixteen bytes at a time: every byte is found at every place.
func TestPlainRunLength(t *testing.T) {
	for size := range 40 {
		for at := range size {
			for c := range 256 {
				b := bytes.Repeat([]byte("ab~ "), 10)[:size]
				b[at], b[size-1] = byte(c), '"'
				want := bytes.IndexFunc(b, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' })
				n, ascii := plainRunLength(b)
				require.Equal(t, want, n, "%q", b)
				require.False(t, ascii && c > 0x7f && at < n, "%q", b)
			}
		}
	}
	n, ascii := plainRunLength([]byte("no end"))
	require.Equal(t, 6, n)
	require.True(t, ascii)
}
