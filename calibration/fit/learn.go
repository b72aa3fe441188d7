package fit

import (
	"context"
	"fmt"
	"time"

	"confab/calibration"
	"confab/calibration/baseline"
	"confab/calibration/measure"
	"confab/detectors"
	"confab/detectors/grounding"
	"confab/detectors/standard"
	"confab/internal/model"
	"confab/schemas"
)

// Learned is the result of Learn.
type Learned struct {
	Grounding *grounding.Model
	Fusion    *model.Trees
	Baselines []calibration.Baseline
	// Rows are the rows measured by models that were fitted without them and their groups: thresholds and risk maps are
	// fitted on these.
	Rows []measure.Row
	// Plain are the rows measured without a learned model.
	Plain []measure.Row
}

// Learn fits the grounding model, the baselines of confidence and the fusion: once on all rows for the model file, and
// once per fold without its rows to measure these. Scores of rows that a model was trained on are too good to choose
// thresholds on (Wolpert, "Stacked generalization", 1992).
func Learn(ctx context.Context, rows []schemas.Labelled, o Options) (*Learned, error) {
	o.setDefaults()
	l := &learnRun{ctx: ctx, Options: o, rows: rows, steps: 2*o.Folds + 2}
	var err error
	if l.plain, err = l.measure(nil, calibration.File{}, rows); err != nil {
		return nil, err
	}
	if err = l.crossFit(); err != nil {
		return nil, err
	}
	out := &Learned{Rows: l.measured, Plain: l.plain}
	if out.Grounding, err = Grounding(rows, l.withoutProgress()); err != nil {
		return nil, err
	}
	l.reportStep()
	out.Baselines, _ = baseline.Fit(l.plain, 0)
	if out.Fusion, err = Fusion(l.measured, l.withoutProgress()); err != nil {
		return nil, err
	}
	l.reportStep()
	return out, l.crossFuse()
}

type learnRun struct {
	Options
	ctx      context.Context
	rows     []schemas.Labelled
	plain    []measure.Row // measured without a learned model
	measured []measure.Row // measured by models fitted without them
	folds    []int
	steps    int
	done     int
}

func (l *learnRun) reportStep() {
	l.done++
	l.Progress(l.done, l.steps)
}

// withoutProgress are the options of a nested fit.
func (l *learnRun) withoutProgress() Options {
	o := l.Options
	o.Progress = nil
	return o
}

// crossFit measures each fold by models fitted on the others.
func (l *learnRun) crossFit() error {
	o := l.Options
	o.Progress = func(int, int) { l.reportStep() }
	models, folds, err := CrossFit(l.rows, o)
	if err != nil {
		return err
	}
	l.folds, l.measured = folds, make([]measure.Row, len(l.rows))
	for f, grounding := range models {
		inside, index := splitByFold(l.rows, folds, f)
		others, _ := splitByFold(l.plain, folds, -1-f)
		baselines, _ := baseline.Fit(others, 0)
		measured, err := l.measure(&standard.Model{Grounding: grounding}, calibration.File{Baselines: baselines}, inside)
		if err != nil {
			return err
		}
		for k, i := range index {
			l.measured[i] = measured[k]
		}
	}
	return nil
}

// crossFuse sets the log-odds of each fold by a fusion fitted on the others.
func (l *learnRun) crossFuse() error {
	for f := range l.Folds {
		others, _ := splitByFold(l.measured, l.folds, -1-f)
		trees, err := Fusion(others, l.withoutProgress())
		if err != nil {
			return err
		}
		for i := range l.measured {
			if r := &l.measured[i]; l.folds[i] == f {
				r.FuseWith(trees.LogOdds)
			}
		}
		l.reportStep()
	}
	return nil
}

// splitByFold returns the rows of a fold, or for -1-f those of all other folds, and their indexes.
func splitByFold[T any](rows []T, folds []int, fold int) (part []T, index []int) {
	for i := range rows {
		if folds[i] == fold || fold < 0 && folds[i] != -1-fold {
			part, index = append(part, rows[i]), append(index, i)
		}
	}
	return part, index
}

// measure measures the rows with the standard detectors, a model and the baselines of f.
func (l *learnRun) measure(m *standard.Model, f calibration.File, rows []schemas.Labelled) ([]measure.Row, error) {
	f.Format, f.ID, f.CreatedBy = calibration.Format, "none", "fit"
	c, err := calibration.New(f)
	if err != nil {
		return nil, err
	}
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Baselines: c, Model: m}), Fusion: m.Fuser(), Thresholds: c,
		Now: func() time.Time { return time.Time{} }, Redact: func(s string) string { return s },
	})
	if err != nil {
		return nil, err
	}
	measured, problems, err := measure.Rows(l.ctx, suite, &measure.MemoryLabels{Rows: rows}, measure.Options{Workers: l.Workers})
	if err != nil {
		return nil, err
	}
	if len(measured) != len(rows) {
		return nil, fmt.Errorf("fit: of %d rows %d can be measured; repeated rows and rows without a label or a text teach nothing: %v", len(rows), len(measured), problems)
	}
	return measured, nil
}
