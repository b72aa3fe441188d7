package console

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStageWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	count, end := NewStage(&out, "rows")
	for _, done := range []int{1, 9_999, 10_000, 10_000, 20_000, 15_000} {
		count(done)
	}
	end()
	require.Equal(t, "10000 rows\n20000 rows\n20000 rows, done\n", out.String())
}

func TestProgressWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, "rows", 3)
	in := strings.NewReader("abc")
	require.Same(t, in, p.Reader(in))
	_, err := io.ReadAll(p.Reader(in))
	require.NoError(t, err)
	p.Count(3)
	p.Stop()
	p.Stop()
	require.Empty(t, out.String())
}
