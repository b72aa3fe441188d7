package fit

import (
	"context"
	"fmt"
	"math"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/detectors/standard"
	"confab/internal/model"
	"confab/schemas"
)

// CrossValidate measures how a model and a calibration fitted on such rows perform on unseen rows: each fold is
// measured and judged by what [Learn] and thresholds.Calibrate make of the other folds. It returns the rows and the
// calibration to judge them by, in which each fold is a tenant with its own thresholds; Fused is the log-odds of the
// risk under the fold's calibration.
func CrossValidate(ctx context.Context, rows []schemas.Labelled, o Options, c thresholds.Options) ([]measure.Row, *calibration.Calibration, error) {
	o.setDefaults()
	folds := Folds(rows, o.Folds, o.Seed^outerSeed)
	all := make([]measure.Row, len(rows))
	joint := calibration.File{
		Format: calibration.Format, ID: "cross-validated", CreatedBy: c.CreatedBy,
		Risk: []calibration.RiskMap{{Method: calibration.Platt, A: 1, N: len(rows)}},
	}
	for f := range o.Folds {
		train, _ := splitByFold(rows, folds, -1-f)
		test, index := splitByFold(rows, folds, f)
		part := o
		part.Progress = func(done, total int) { o.Progress(f*total+done, o.Folds*total) }
		measured, file, err := validateFold(ctx, train, test, part, c)
		if err != nil {
			return nil, nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
		tenant := fmt.Sprintf("fold %d", f+1)
		for k, i := range index {
			all[i], all[i].Tenant, all[i].Fold = measured[k], tenant, f+1
		}
		for _, t := range file.Thresholds {
			t.Tenant = tenant
			joint.Thresholds = append(joint.Thresholds, t)
		}
	}
	judge, err := calibration.New(joint)
	return all, judge, err
}

// outerSeed makes the outer folds differ from the inner ones.
const outerSeed = 0x0f01d5

// validateFold fits on train and measures test; Fused is the logit of the risk.
func validateFold(ctx context.Context, train, test []schemas.Labelled, o Options, c thresholds.Options) ([]measure.Row, calibration.File, error) {
	l, err := Learn(ctx, train, o)
	if err != nil {
		return nil, calibration.File{}, err
	}
	c.ByModel = false // in data sets of several models' answers the model predicts the label
	c.Baselines, c.Fingerprint = l.Baselines, "cross-validation"
	file, _, err := thresholds.Calibrate(l.Rows, c)
	if err != nil {
		return nil, calibration.File{}, err
	}
	unseen := &learnRun{ctx: ctx, Options: o}
	m := &standard.Model{Grounding: l.Grounding, Fusion: l.Fusion}
	measured, err := unseen.measure(m, file, test)
	if err != nil {
		return nil, calibration.File{}, err
	}
	judge, err := calibration.New(file)
	if err != nil {
		return nil, calibration.File{}, err
	}
	minRisk, _ := judge.AlertRisk()
	for i := range measured {
		r := &measured[i]
		r.MinRisk = minRisk
		logOdds := math.NaN()
		if p, ok := r.Risk(judge); ok {
			logOdds = model.Logit(p)
		}
		r.Fused, r.Parts = logOdds, nil
	}
	return measured, file, nil
}
