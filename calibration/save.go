package calibration

import (
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

// Save validates the file and replaces path with it atomically. The directory must exist.
func Save(path string, f File) error {
	if _, err := New(f); err != nil {
		return err
	}
	_, err := files.WriteShared(path, func(w io.Writer) error { return Encode(w, f) })
	return err
}
