package files

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesAreBounded(t *testing.T) {
	l, err := NewLines(strings.NewReader("short\n"+strings.Repeat("x", 1_000_000)+"\nend"), 1000)
	require.NoError(t, err)
	line, err := l.Next()
	require.NoError(t, err)
	require.Equal(t, "short", string(line))
	_, err = l.Next()
	require.ErrorIs(t, err, ErrTooLong)
	require.LessOrEqual(t, cap(l.buf), 4096, "the long line was not kept")
	line, err = l.Next()
	require.NoError(t, err)
	require.Equal(t, "end", string(line))
	require.Equal(t, 3, l.Number())
	_, err = l.Next()
	require.ErrorIs(t, err, io.EOF)
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nb"), 3)
	f.Add([]byte("\x1f\x8b garbage"), 10)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = 1 + max(0, limit)%1000
		l, err := NewLines(bytes.NewReader(data), limit)
		if err != nil {
			return
		}
		for range len(data) + 2 {
			line, err := l.Next()
			if errors.Is(err, ErrTooLong) {
				continue
			}
			if err != nil {
				return
			}
			if len(line) > limit+1 || len(bytes.TrimSpace(line)) == 0 {
				t.Fatalf("line of %d bytes under a limit of %d", len(line), limit)
			}
		}
		t.Fatal("more lines than bytes")
	})
}

func TestHeadAndByteOrderMark(t *testing.T) {
	l, err := NewLines(strings.NewReader("\xef\xbb\xbf{\"a\":1}\nb\n"), 1000)
	require.NoError(t, err)
	require.Equal(t, "{\"a\":1}\nb\n", string(l.Head()))
	line, err := l.Next()
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(line))
	for _, short := range []string{"", "\xef", "\xef\xbb"} {
		l, err := NewLines(strings.NewReader(short), 1000)
		require.NoError(t, err)
		require.Equal(t, short, string(l.Head()))
	}
}
