package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
)

func TestReplacement(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))

	r, err := files.StartReplacement(path)
	require.NoError(t, err)
	_, err = r.Write([]byte("new"))
	require.NoError(t, err)
	r.Discard()
	r.Discard()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))

	r, err = files.StartReplacement(path)
	require.NoError(t, err)
	_, err = r.Write([]byte("new"))
	require.NoError(t, err)
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(content), "until it is committed")
	require.NoError(t, r.Commit())
	r.Discard()
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")

	_, err = files.StartReplacement(filepath.Join(folder, "gone", "file"))
	require.ErrorContains(t, err, "write ")
}
