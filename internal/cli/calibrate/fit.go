package calibrate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration"
	"confab/calibration/fit"
	"confab/calibration/measure"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/detectors/grounding"
	"confab/detectors/standard"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/files"
	"confab/schemas"
)

// FitOptions configure Fit.
type FitOptions struct {
	Files    []string // labelled rows
	Out      string   // the model file
	Seed     uint64
	Folds    int
	Workers  int
	Now      time.Time
	Version  string   // of this program
	Sets     []string // data sets that grounding learns from; empty: all
	Lenient  bool     // leaves faulty rows out instead of failing
	Progress func(done, total int)
	Done     func() // called at the end of the fit; may be nil
}

// Fit learns a model from labelled rows and writes it atomically. The AUROC gain over the unlearned measures, on rows
// of groups that it was not fitted on, goes to w; row errors go to errw.
func Fit(ctx context.Context, w, errw io.Writer, o FitOptions) error {
	if err := files.CheckWritable(o.Out); err != nil {
		return err
	}
	if o.Folds < 2 || o.Folds > 20 {
		return fmt.Errorf("%w: %d folds: choose 2 to 20", thresholds.ErrLabels, o.Folds)
	}
	l, m, err := o.learn(ctx, errw)
	if err != nil {
		return err
	}
	if err := writeModel(o.Out, m); err != nil {
		return err
	}
	return printFit(w, l, m, o.Out)
}

func (o *FitOptions) learn(ctx context.Context, errw io.Writer) (*fit.Learned, *standard.Model, error) {
	s, err := surveyLabels(ctx, o.Files, 1)
	if err != nil {
		return nil, nil, err
	}
	rows, err := o.read(errw)
	if err != nil {
		return nil, nil, err
	}
	l, err := fit.Learn(ctx, rows, o.fit())
	if o.Done != nil {
		o.Done()
	}
	if err != nil {
		return nil, nil, err
	}
	return l, &standard.Model{
		Format: standard.ModelFormat, ID: o.Now.UTC().Format(time.DateOnly) + "-" + s.hashes.Fingerprint()[:8], CreatedBy: "confab fit " + o.Version,
		Data:      standard.ModelData{Fingerprint: s.hashes.Fingerprint(), Rows: len(rows), Positives: labelled.CountPositive(rows), Seed: o.Seed},
		Grounding: l.Grounding, Fusion: l.Fusion,
	}, nil
}

func (o *FitOptions) fit() fit.Options {
	return fit.Options{Seed: o.Seed, Folds: o.Folds, Workers: o.Workers, Sets: o.Sets, Progress: o.Progress}
}

// read returns the usable rows. A row error fails unless Lenient is set.
func (o *FitOptions) read(errw io.Writer) ([]schemas.Labelled, error) {
	labels, err := labelled.OpenLabels(o.Files...)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	rows, problems, err := measure.ReadLabels(labels)
	if err != nil {
		return nil, err
	}
	for _, message := range problems.Messages() {
		fmt.Fprintf(errw, "labels: %s\n", message)
	}
	if hasFaults(&problems) && !o.Lenient {
		return nil, ErrFaultyLabels
	}
	return rows, labelled.CheckRows(rows)
}

// writeModel writes the model to path after checking that it loads.
func writeModel(path string, m *standard.Model) error {
	var content bytes.Buffer
	e := json.NewEncoder(&content)
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	if _, err := standard.LoadModel(bytes.NewReader(content.Bytes())); err != nil {
		return fmt.Errorf("the fitted model does not load: %w", err)
	}
	return calibration.Replace(path, content.Bytes())
}

// printFit prints the AUROC with and without the learned model.
func printFit(w io.Writer, l *fit.Learned, m *standard.Model, out string) error {
	keys := map[[2]string][]int{}
	for i := range l.Rows {
		r := &l.Rows[i]
		keys[[2]string{r.Dataset, r.Task}] = append(keys[[2]string{r.Dataset, r.Task}], i)
		keys[[2]string{r.Dataset, ""}] = append(keys[[2]string{r.Dataset, ""}], i)
	}
	order := make([][2]string, 0, len(keys))
	for k, index := range keys {
		if k[1] != "" && len(index) == len(keys[[2]string{k[0], ""}]) {
			continue // the only task of its data set
		}
		order = append(order, k)
	}
	slices.SortFunc(order, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	t := console.NewTable(table.Row{"DATA SET", "TASK", "ROWS", "BAD", "PLAIN GROUNDING", "LEARNED", "FUSED"})
	for _, k := range order {
		f := fitFigures(l, keys[k])
		t.AppendRow(table.Row{k[0], k[1], len(keys[k]), f.bad, formatAUROC(f.plain), formatAUROC(f.learned), formatAUROC(f.fused)})
	}
	return console.Printf(w, "model %s: %d rows, %d of them bad\nAUROC on groups that were not fitted on, over the rows that could be measured:\n%s\nwrote %s\n",
		m.ID, m.Data.Rows, m.Data.Positives, console.FitTable(t, console.Columns(w))+"\n", out)
}

type fitScores struct {
	bad                   int
	plain, learned, fused []roc.Scored
}

func fitFigures(l *fit.Learned, index []int) (f fitScores) {
	for _, i := range index {
		r := &l.Rows[i]
		if r.Positive {
			f.bad++
		}
		if s, ok := groundingScore(&l.Plain[i]); ok {
			f.plain = append(f.plain, roc.Scored{Score: s, Positive: r.Positive})
		}
		if s, ok := groundingScore(r); ok {
			f.learned = append(f.learned, roc.Scored{Score: s, Positive: r.Positive})
		}
		if !math.IsNaN(r.Fused) && r.Measurable != "" {
			f.fused = append(f.fused, roc.Scored{Score: r.Fused, Positive: r.Positive})
		}
	}
	return f
}

func groundingScore(r *measure.Row) (float64, bool) {
	for i := range r.Signals {
		if s := &r.Signals[i]; s.Detector == grounding.Name && s.HasScore {
			return s.Score, true
		}
	}
	return 0, false
}

func formatAUROC(rows []roc.Scored) string {
	a := roc.AUROC(rows)
	if math.IsNaN(a) {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", a), "0")
}
