package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"confab/calibration/measure"
	"confab/internal/files"
	"confab/internal/tablefile"
	"confab/schemas"
)

// RowOptions say what is written about single rows.
type RowOptions struct {
	File  string                // a table with a line for each row; empty for none
	Stamp func(f *schemas.Flag) // sets alert and recommendation
}

// writeRows writes the table, atomically.
func (o *Options) writeRows(rows []measure.Row) error {
	if o.Rows.File == "" {
		return nil
	}
	_, err := files.WriteAtomic(o.Rows.File, func(w io.Writer) error {
		names := detectorsOf(rows)
		table, err := tablefile.NewWriter(w, rowColumns(names))
		if err != nil {
			return err
		}
		for i := range rows {
			err = errors.Join(err, table.Write(o.rowValues(rows, i, names)...))
		}
		if err := errors.Join(err, table.Flush()); err != nil {
			return fmt.Errorf("write the rows: %w", err)
		}
		return nil
	})
	return err
}

// detectorsOf are the names of all detectors of the rows, in order of first use.
func detectorsOf(rows []measure.Row) (names []string) {
	for i := range rows {
		for _, s := range rows[i].Signals {
			if !slices.Contains(names, s.Detector) {
				names = append(names, s.Detector)
			}
		}
	}
	return names
}

// rowColumns are the names of the columns: those of every answer, then score, outcome and threshold of each detector.
func rowColumns(detectors []string) []string {
	columns := []string{
		"id", "dataset", "task", "group", "operation", "model", "label", "weight", "words",
		"log_odds", "risk", "fired", "fired_by", "alert", "recommendation",
	}
	for _, d := range detectors {
		columns = append(columns, d+"_score", d+"_outcome", d+"_threshold")
	}
	return columns
}

// rowValues judges a row as the tables do. What it lacks, a threshold, a risk or a score, is an empty cell.
func (o *Options) rowValues(rows []measure.Row, i int, names []string) []any {
	r, judge := &rows[i], o.Quality.Calibration
	f := schemas.Flag{Tenant: r.Tenant, Operation: r.Operation}
	var rules []any
	for _, name := range names {
		score, threshold, outcome := math.NaN(), math.NaN(), ""
		if k := slices.IndexFunc(r.Signals, func(s measure.Signal) bool { return s.Detector == name }); k >= 0 {
			score, threshold, outcome = o.rule(r, k)
		}
		if outcome == string(schemas.Fired) {
			f.Fired = append(f.Fired, name)
		}
		rules = append(rules, score, outcome, threshold)
	}
	risk := math.NaN()
	if p, known := r.Risk(judge); known {
		risk, f.Risk = p, &p
	}
	o.Rows.Stamp(&f)
	label := 0
	if r.Positive {
		label = 1
	}
	return append([]any{
		cmp.Or(r.ID, fmt.Sprintf("row %d", i+1)), r.Dataset, r.Task, r.Group, r.Operation, r.Model, label, cmp.Or(r.Weight, 1), r.Words,
		r.Fused, risk, len(f.Fired), strings.Join(f.Fired, " "), f.Alert, string(f.Recommendation),
	}, rules...)
}

// rule is the result of the row's k-th rule.
func (o *Options) rule(r *measure.Row, k int) (score, threshold float64, outcome string) {
	s := &r.Signals[k]
	score, threshold, outcome = math.NaN(), math.NaN(), string(s.Outcome)
	at, armed := o.Quality.Calibration.Threshold(s.Detector, r.Tenant, r.Operation, r.Model)
	if armed {
		threshold = at
	}
	if !s.HasScore {
		return score, threshold, outcome
	}
	switch {
	case r.FiredBy(o.Quality.Calibration, k):
		outcome = string(schemas.Fired)
	case armed:
		outcome = string(schemas.Clear)
	default:
		outcome = string(schemas.Skipped)
	}
	return s.Score, threshold, outcome
}
