package datatest

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder records a skip or failure instead of ending the calling test.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// runRecorded runs f with a recorder on a separate goroutine, because a recorded end exits it.
func runRecorded(f func(t testing.TB)) *recorder {
	r, done := new(recorder), make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

// writeSets writes sets of two rows each and sets CONFAB_DATA to their directory.
func writeSets(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		var zipped strings.Builder
		w := gzip.NewWriter(&zipped)
		_, err := w.Write([]byte("{\"a\":1}\n{\"b\":2}\n"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, trainFile), []byte(zipped.String()), 0o600))
	}
	t.Setenv(variableDir, dir)
	t.Setenv(variableRequire, "")
}

func TestRows(t *testing.T) {
	writeSets(t, "two", "one")
	require.Equal(t, []string{"one", "two"}, Sets(t))
	require.Equal(t, []string{"one", "two"}, SetsIfAny(t))
	require.Equal(t, [][]byte{[]byte(`{"a":1}`), []byte(`{"b":2}`)}, Rows(t, "one"))
}

func TestMissingSetsSkipUnlessRequired(t *testing.T) {
	writeSets(t, "one")
	missingSet := func(t testing.TB) { Rows(t, "three") }
	require.Contains(t, runRecorded(missingSet).skipped, "set CONFAB_DATA")
	t.Setenv(variableRequire, "1")
	require.Contains(t, runRecorded(func(t testing.TB) { Files(t, "three/*") }).failed, "labelled rows of three/*")
	require.Len(t, Files(t, "*/*.gz"), 1)
	require.Contains(t, runRecorded(missingSet).failed, "REQUIRE_DATA=1 forbids the skip")

	writeSets(t)
	require.Contains(t, runRecorded(func(t testing.TB) { Sets(t) }).skipped, "set CONFAB_DATA")
	require.Empty(t, SetsIfAny(t))
	t.Setenv(variableRequire, "1")
	require.NotEmpty(t, runRecorded(func(t testing.TB) { Sets(t) }).failed)
	require.NotEmpty(t, runRecorded(func(t testing.TB) { SetsIfAny(t) }).failed)
}

func TestDefaultDirectory(t *testing.T) {
	t.Setenv(variableDir, "")
	wd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(wd, "..", "..", "..", "shared", "data"), dataDir(t))
}
