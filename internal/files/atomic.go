package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteAtomic writes a file that only its owner can read and returns its size. The file appears whole at path, or not at
// all: it is written next to path and renamed.
func WriteAtomic(path string, write func(w io.Writer) error) (size int64, err error) {
	return replace(path, 0o600, write)
}

// WriteShared does the same for a file that everyone can read.
func WriteShared(path string, write func(w io.Writer) error) (size int64, err error) {
	return replace(path, 0o644, write)
}

func replace(path string, mode os.FileMode, write func(w io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriterSize(f, 64<<10)
	err = write(buffered)
	if err == nil {
		err = errors.Join(buffered.Flush(), f.Chmod(mode), f.Sync())
	}
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("%s: %w", path, err), os.Remove(f.Name()))
	}
	return size, nil
}
