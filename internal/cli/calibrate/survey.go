package calibrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"confab/calibration/measure"
	"confab/detectors/confidence"
	"confab/internal/files"
	"confab/schemas"
	"confab/schemas/json"
)

// labelSurvey is a first pass over the labels: their fingerprint, and the token uncertainties for the baselines.
type labelSurvey struct {
	hashes measure.RowHashes
	rows   []measure.Row // with token probabilities; other fields are empty
	row    schemas.Labelled
}

// surveyLabels reads the files line by line. Faulty rows only count for the fingerprint; they are reported when they
// are measured.
func surveyLabels(ctx context.Context, files []string) (*labelSurvey, error) {
	s := &labelSurvey{}
	for _, file := range files {
		if err := s.file(ctx, file); err != nil {
			return nil, fmt.Errorf("read labels: %w", err)
		}
	}
	return s, nil
}

func (s *labelSurvey) file(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := files.NewLines(f, json.MaxLabelledBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, files.ErrTooLong):
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		s.hashes.Add(line)
		s.add(line)
	}
	return ctx.Err()
}

// add keeps the token uncertainty of the answer.
func (s *labelSurvey) add(line []byte) {
	if err := json.DecodeLabelled(line, &s.row); err != nil || !s.row.Labelled {
		return
	}
	in := &s.row.Interaction
	if in.Logprobs.Rows() == 0 {
		return
	}
	s.rows = append(s.rows, measure.Row{
		Model: measure.SharedName(in.Model), Operation: measure.SharedName(in.Operation), Temperature: in.Temperature, Positive: s.row.Label == 1,
		Uncertainty: confidence.MeasureUncertainty(in.Logprobs),
	})
}
