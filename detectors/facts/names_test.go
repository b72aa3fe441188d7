package facts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestWithoutOpening compares with the general function.
func TestWithoutOpening(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"a", ".", " ", "\t", "\n", `"`, "'", "(", "*", "_", "#", "\u201c", "\u201d", "\u2022", "\x9c", "\x80\x9c", "\xe2", "É",
		})).Draw(t, "parts"), "")
		require.Equal(t, strings.TrimRight(s, " \t\"'(*_#\u201c"), withoutOpening(s))
	})
}
