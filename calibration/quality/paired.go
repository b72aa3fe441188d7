package quality

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/calibration/measure"
)

// RowKey names a labelled row in files of single rows.
type RowKey struct{ Dataset, ID string }

// EarlierRow is what an earlier run said about a row: its label, and the score of each detector that could measure it, the
// risk included.
type EarlierRow struct {
	Positive bool
	Scores   map[string]float64
}

// Difference compares the ranking of one scorer with that of an earlier run, on the rows of a slice that both have.
type Difference struct {
	Dataset, Slice, Detector string
	OnlySlice                bool // the slice is the whole data set
	Rows                     int
	Before, Now              float64 // AUROC over all of the rows; those without a score rank lowest
	Change                   Figure  // Now - Before, with the interval over resamples of whole groups
}

// ComparePaired compares the rows with those of an earlier run. Both runs are weighted by the same resamples, so what all
// answers of a group have in common does not widen the interval.
func ComparePaired(rows []measure.Row, earlier map[RowKey]EarlierRow, o Options) ([]Difference, error) {
	shared, err := sharedRows(rows, earlier)
	if err != nil {
		return nil, err
	}
	cuts, err := sliceRows(shared, o.By, o.Mixes)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	var all []Difference
	for _, c := range cuts {
		for _, s := range o.scorers(c.rows) {
			before := rowScorer{name: s.name, of: func(r *measure.Row) (float64, bool, bool) {
				score, ok := earlier[RowKey{r.Dataset, r.ID}].Scores[s.name]
				return score, false, ok
			}}
			if d, ok := o.difference(c, &s, &before); ok {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// sharedRows are the rows that the earlier run has too.
func sharedRows(rows []measure.Row, earlier map[RowKey]EarlierRow) ([]measure.Row, error) {
	var shared []measure.Row
	for i := range rows {
		was, known := earlier[RowKey{rows[i].Dataset, rows[i].ID}]
		if !known || rows[i].ID == "" {
			continue
		}
		if was.Positive != rows[i].Positive {
			return nil, fmt.Errorf("judge: row %q of %s has another label in the earlier run: compare runs over the same labels", rows[i].ID, rows[i].Dataset)
		}
		shared = append(shared, rows[i])
	}
	if len(shared) == 0 {
		return nil, errors.New("judge: no row has the id of one of the earlier run: compare runs over the same labels, whose interactions have ids")
	}
	return shared, nil
}

// difference is undefined where one of the runs has no score, or the rows have one label.
func (o *Options) difference(c *rowSlice, now, before *rowScorer) (Difference, bool) {
	a, b := before.series(c), now.series(c)
	if len(a.items) == 0 || len(b.items) == 0 {
		return Difference{}, false
	}
	change := func(d rowWeights) float64 { return b.figures(d)[AUROCAll] - a.figures(d)[AUROCAll] }
	d := Difference{
		Dataset: c.dataset, Slice: c.slice, OnlySlice: c.onlySlice, Detector: now.name, Rows: len(c.rows),
		Before: a.figures(rowWeights{})[AUROCAll], Now: b.figures(rowWeights{})[AUROCAll], Change: undefined(),
	}
	if d.Change.Value = d.Now - d.Before; !d.Change.Defined() {
		return d, false
	}
	var drawn []float64
	resampleGroups(c.groups, o.Resamples, o.Seed, func(w rowWeights) {
		if x := change(w); !math.IsNaN(x) {
			drawn = append(drawn, x)
		}
	})
	if slices.Sort(drawn); len(drawn) > 0 && 2*len(drawn) >= o.Resamples {
		d.Change.Low, d.Change.High = percentile(drawn, 0.025), percentile(drawn, 0.975)
	}
	return d, true
}
