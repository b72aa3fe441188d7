package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("12345"), 0o600))
	got, err := files.Read(path, 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(got))
	_, err = files.Read(path, 4)
	require.EqualError(t, err, path+": 5 bytes, the limit is 4: is it the right file?")
	_, err = files.Read(path+"-missing", 4)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = files.Read(t.TempDir(), 4)
	require.Error(t, err, "a directory")
}

// TestReadRejectsBySize uses a sparse terabyte, which is not read.
func TestReadRejectsBySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40))
	require.NoError(t, f.Close())
	_, err = files.Read(path, 1<<20)
	require.ErrorContains(t, err, "1099511627776 bytes, the limit is 1048576")
}

// TestReadCountsBytesOfDevice reads a file without a size.
func TestReadCountsBytesOfDevice(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no /dev/zero here")
	}
	_, err := files.Read("/dev/zero", 1000)
	require.EqualError(t, err, "/dev/zero: more than 1000 bytes, which is the limit: is it the right file?")
}
