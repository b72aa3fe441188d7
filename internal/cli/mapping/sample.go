package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"confab/internal/files"
	"confab/internal/worker/recordshape"
	schemasjson "confab/schemas/json"
)

// Bounds of a sample.
const (
	maxRecords     = 200
	maxSampleBytes = 8 << 20
)

// readSample reads the first records of a file that are objects. lines counts those that it looked at; hint says what the first of the
// others is.
func readSample(r io.Reader, name string) (records [][]byte, lines int, hint string, err error) {
	in, err := recordshape.NewRecords(r, schemasjson.MaxLabelledBytes, name, nil)
	if err != nil {
		return nil, 0, "", fmt.Errorf("%s: %w", name, err)
	}
	size := 0
	for len(records) < maxRecords && lines < 10*maxRecords && size < maxSampleBytes {
		line, err := in.Next()
		if errors.Is(err, io.EOF) || err != nil && len(records) > 0 && !errors.Is(err, files.ErrNotUTF8) {
			break
		}
		if err != nil {
			return nil, 0, "", fmt.Errorf("%s: %w", name, err)
		}
		lines, size = lines+1, size+len(line)
		parts, _ := schemasjson.Values(slices.Clone(line))
		if records = append(records, parts...); len(parts) == 0 {
			hint = cmp.Or(hint, recordshape.Line(line, name))
		}
	}
	return records[:min(len(records), maxRecords)], lines, hint, nil
}
