package labelled

import (
	"context"
	"fmt"
	"os"

	"confab/calibration/measure"
	"confab/detectors/confidence"
	"confab/internal/worker/recordshape"
	"confab/schemas"
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

// LearnBaselines reads the files once to learn which token uncertainty is usual for their answers. Faulty rows are for the
// second reader to report.
func LearnBaselines(ctx context.Context, paths ...string) (*confidence.Live, error) {
	labels, err := OpenLabels(paths...)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	live := confidence.NewFileLive()
	_, err = measure.EachRow(ctx, labels, func(_ int, row *schemas.Labelled) error {
		live.LearnAnswer(&row.Interaction)
		return nil
	})
	live.Freeze()
	return live, err
}

func checkShape(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = recordshape.NewRecords(f, json.MaxLabelledBytes, path, nil); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
