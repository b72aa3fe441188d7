package ops

import (
	"context"

	"confab/calibration"
	"confab/calibration/fit"
	"confab/calibration/quality"
)

// CrossOptions say how Evaluate cross-validates: model and calibration are fitted on some folds and judged on the others.
type CrossOptions struct {
	Fit    fit.Options
	Choose calibration.Options
}

// cross judges every row by a model and a calibration that were fitted on other groups.
func (o *EvaluateOptions) cross(ctx context.Context, stage Progress, judge *quality.Options) ([]calibration.Row, calibration.Problems, error) {
	labels, problems, err := calibration.Gather(o.Labels)
	if err != nil {
		return nil, problems, err
	}
	if err := enough(labels); err != nil {
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
