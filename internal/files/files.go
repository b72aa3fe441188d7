// Package files reads user-named files up to a size limit, whole or as JSON Lines, and checks output paths.
package files

import (
	"fmt"
	"io"
	"os"
)

// Read returns the content of a file of at most limit bytes. A larger regular file is rejected before it is read. The error
// names the path, and for a file that is too large its size and the limit.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes, the limit is %d: is it the right file?", path, info.Size(), limit)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes, which is the limit: is it the right file?", path, limit)
	}
	return content, nil
}
