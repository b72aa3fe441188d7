package files

import (
	"fmt"
	"os"
	"path/filepath"
)

// CheckWritable finds out before the work whether its result will have a place.
func CheckWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s cannot be written: there is no folder %s, make it first", path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s cannot be written: it is a folder, name a file in it", path)
		}
	}
	return nil
}
