package labelled

import (
	"fmt"
	"os"

	"confab/calibration/measure"
	"confab/internal/files"
	"confab/internal/worker/fileshape"
	"confab/schemas/json"
)

// OpenLabels opens files of labelled rows as measure.OpenLabels does. The error of a file that is not JSON Lines says what it
// looks like.
func OpenLabels(files ...string) (*measure.LabelFiles, error) {
	labels, err := measure.OpenLabels(files...)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if err := checkShape(path); err != nil {
			labels.Close()
			return nil, fmt.Errorf("read labels: %w", err)
		}
	}
	return labels, nil
}

func checkShape(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := files.NewLines(f, json.MaxLabelledBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return shapeError(lines, path)
}

// shapeError is the error of a file whose first bytes are not those of JSON Lines.
func shapeError(lines *files.Lines, path string) error {
	if what := fileshape.File(lines.Head(), path); what != "" {
		return fmt.Errorf("%s: %s", path, what)
	}
	return nil
}
