package calibration

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// Encode writes the file as YAML that Load reads back.
func Encode(w io.Writer, f File) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("calibration: encode: %w", err)
	}
	if err := enc.Close(); err != nil {
		return fmt.Errorf("calibration: encode: %w", err)
	}
	return nil
}

// Save validates the file and replaces path with it atomically. The directory must exist.
func Save(path string, f File) error {
	if _, err := New(f); err != nil {
		return err
	}
	var content bytes.Buffer
	if err := Encode(&content, f); err != nil {
		return err
	}
	return Replace(path, content.Bytes())
}

// Replace writes the content to path atomically. The directory must exist.
func Replace(path string, content []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // best effort: the error above is the one to report
		}
	}()
	if err := writeAndClose(tmp, content); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

func writeAndClose(f *os.File, content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
