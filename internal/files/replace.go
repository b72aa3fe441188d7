package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Replacement is a file that is written next to its path and takes its place on Commit. It is not safe for concurrent
// use.
type Replacement struct {
	path string
	file *os.File
	w    *bufio.Writer
}

// StartReplacement begins to replace the file at path; the folder must exist. The caller ends it by Commit or Discard.
func StartReplacement(path string) (*Replacement, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &Replacement{path: path, file: f, w: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Write implements io.Writer.
func (r *Replacement) Write(p []byte) (int, error) { return r.w.Write(p) }

// Commit makes what was written the content of the path, atomically. After an error the path is unchanged.
func (r *Replacement) Commit() error {
	err := r.w.Flush()
	if err == nil {
		err = r.file.Chmod(0o644)
	}
	if err == nil {
		err = r.file.Sync()
	}
	err = errors.Join(err, r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		_ = os.Remove(r.file.Name()) // best effort: the error above is the one to report
		return fmt.Errorf("write %s: %w", r.path, err)
	}
	r.file = nil
	return nil
}

// Discard leaves the path as it was. After Commit it has no effect.
func (r *Replacement) Discard() {
	if r.file == nil {
		return
	}
	_ = r.file.Close()           // nothing of it is kept
	_ = os.Remove(r.file.Name()) // best effort
	r.file = nil
}
