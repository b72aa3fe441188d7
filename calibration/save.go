package calibration

import (
	"bytes"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"confab/internal/files"
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

// Save validates the file and replaces path with it atomically, with one that Load reads. The directory must exist.
func Save(path string, f File) error {
	if _, err := New(f); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := Encode(&text, f); err != nil {
		return err
	}
	if text.Len() > MaxBytes {
		return fmt.Errorf("calibration: %s was not written: it would have %d bytes, the limit is %d: remove thresholds of single tenants or operations", path, text.Len(), MaxBytes)
	}
	_, err := files.WriteShared(path, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	})
	return err
}
