package evaluate

import (
	"context"

	"confab/calibration/fit"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/calibration/thresholds"
	"confab/internal/cli/labelled"
)

// CrossOptions configure a cross-validation of model and calibration.
type CrossOptions struct {
	Fit    fit.Options
	Choose thresholds.Options
}

// crossValidate judges every row by a model and a calibration fitted on other groups.
func (o *Options) crossValidate(ctx context.Context, stage Progress, judge *quality.Options) ([]measure.Row, measure.RowErrors, error) {
	labels, problems, err := measure.ReadLabels(o.Labels)
	if err != nil {
		return nil, problems, err
	}
	if err := labelled.CheckRows(labels); err != nil {
		return nil, problems, err
	}
	count, end := stage("steps")
	defer end()
	fitting := o.Cross.Fit
	fitting.Progress = func(done, _ int) { count(done) }
	rows, judged, err := fit.CrossValidate(ctx, labels, fitting, o.Cross.Choose)
	judge.Calibration = judged
	return rows, problems, err
}
