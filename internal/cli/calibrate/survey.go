package calibrate

import (
	"context"
	"errors"
	"io"

	"confab/calibration/measure"
	"confab/schemas"
)

// labelSurvey is a first pass over the labels: their fingerprint.
type labelSurvey struct{ hashes measure.RowHashes }

// surveyLabels reads the files. Faulty rows only count for the fingerprint; they are reported when they are measured.
func surveyLabels(ctx context.Context, paths []string) (*labelSurvey, error) {
	s := &labelSurvey{}
	if len(paths) == 0 { // feedback alone
		return s, nil
	}
	labels, err := measure.OpenLabels(paths...)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	labels.Line = s.hashes.Add
	var row schemas.Labelled
	for ctx.Err() == nil {
		err := labels.Next(&row)
		if _, faulty := errors.AsType[*measure.LabelError](err); faulty {
			continue
		}
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}
