package files

import (
	"fmt"
	"os"
	"path/filepath"
)

// CheckWritable returns an error for a path whose directory is missing or that is a directory itself. Empty paths pass.
func CheckWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s cannot be written: create the folder %s first", path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s cannot be written: it is a folder; name a file in it", path)
		}
	}
	return nil
}
