package calibrate

import (
	"context"
	"errors"
	"io"

	"confab/calibration/measure"
	"confab/detectors/confidence"
	"confab/schemas"
)

// labelSurvey is a first pass over the labels: their fingerprint, and the token uncertainties for the baselines.
type labelSurvey struct {
	hashes measure.RowHashes
	rows   []measure.Row // with token probabilities; other fields are empty
}

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
		s.add(&row)
	}
	return nil, ctx.Err()
}

// add keeps the token uncertainty of the answer.
func (s *labelSurvey) add(row *schemas.Labelled) {
	in := &row.Interaction
	if !row.Labelled || in.Logprobs.Rows() == 0 {
		return
	}
	s.rows = append(s.rows, measure.Row{
		Model: measure.SharedName(in.Model), Operation: measure.SharedName(in.Operation), Temperature: in.Temperature, Positive: row.Label == 1,
		Uncertainty: confidence.MeasureUncertainty(in.Logprobs),
	})
}
