package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder records failures. Its Fatalf returns, so that the test needs no second goroutine.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func setUpdate(t *testing.T, on bool) {
	t.Helper()
	before := *update
	*update = on
	t.Cleanup(func() { *update = before })
}

func TestEqual(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "x.golden")
	r := &recorder{}
	setUpdate(t, false)
	Equal(r, file, "one\n")
	require.NotEmpty(t, r.failures, "missing")
	require.Contains(t, r.failures[0], "run the test with -update to write it")

	r.failures = nil
	*update = true
	Equal(r, file, "one\n")
	require.Empty(t, r.failures)

	*update = false
	Equal(r, file, []byte("one\n"))
	require.Empty(t, r.failures)
	Equal(r, file, "two\n")
	require.Len(t, r.failures, 1)
	require.Contains(t, r.failures[0], "-golden +got")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "one\n", string(raw), "a comparison writes nothing")
}

func TestKeep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept")
	creates := func(text string) func() ([]byte, error) {
		return func() ([]byte, error) { return []byte(text), nil }
	}
	r := &recorder{}
	setUpdate(t, false)
	Keep(r, file, creates("one"))
	require.Len(t, r.failures, 1, "missing")
	require.NoFileExists(t, file)

	r.failures = nil
	*update = true
	Keep(r, file, func() ([]byte, error) { return nil, os.ErrInvalid })
	require.Len(t, r.failures, 1)
	require.NoFileExists(t, file)

	r.failures = nil
	require.Equal(t, "one", string(Keep(r, file, creates("one"))))
	require.Equal(t, "one", string(Keep(r, file, creates("two"))), "never rewritten")
	require.Empty(t, r.failures)
}
