package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
)

func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	write := func(text string, fault error) error {
		_, err := files.WriteAtomic(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fault)
		})
		return err
	}
	require.NoError(t, write("one", nil))
	fault := errors.New("no more rows")
	require.ErrorIs(t, write("half of two", fault), fault)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one", string(got), "a failed write leaves the old file")
	size, err := files.WriteAtomic(path, func(w io.Writer) error { _, err := io.WriteString(w, "three"); return err })
	require.NoError(t, err)
	require.EqualValues(t, 5, size)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
	info, err := entries[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = files.WriteAtomic(filepath.Join(dir, "missing", "x"), func(io.Writer) error { return nil })
	require.ErrorIs(t, err, os.ErrNotExist)
}
