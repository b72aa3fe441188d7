package thresholds

import (
	"cmp"
	"fmt"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// DiffOptions configure Compare.
type DiffOptions struct {
	BaseRate float64 // as in Options
	Policy   AlertPolicy
}

// Diff is what changes when one calibration replaces another, on the same labelled rows with the same scores.
type Diff struct {
	OldID, NewID   string
	BadShare       float64 // assumed
	BaseRateStated bool    // else it is that of the labels
	Weighted       bool    // labels stand for more than one answer
	Changes        []Change
	Old, New       RuleFigures // alerts, each with its own risks and minimum
	Notes          []string
}

// Change is the change of one threshold.
type Change struct {
	calibration.ThresholdKey

	Old, New       Limit
	Before, After  roc.Candidate // on the rows of the key, without thresholds
	SharesFired    [2]float64
	Measured, Rows int // rows of the key: measured by the detector, and all
}

// Limit is a threshold under one key.
type Limit struct {
	At     float64
	Armed  bool
	Listed bool // the file has the key; else a coarser one applies
}

// Compare reports what changes on the rows when next replaces old. The rows must have been measured with the baselines
// of next; a note says where those of old differ.
func Compare(rows []measure.Row, old, next *calibration.Calibration, o DiffOptions) (Diff, error) {
	c, err := newRun(rows, Options{BaseRate: o.BaseRate, MinRows: 1, Folds: 1, Policy: o.Policy}.withDefaults())
	if err != nil {
		return Diff{}, err
	}
	before, after := c.firedUnder(old.Thresholds()), c.firedUnder(next.Thresholds())
	d := Diff{
		OldID: old.ID(), NewID: next.ID(), BaseRateStated: o.BaseRate > 0, Weighted: c.isWeighted(), BadShare: c.badShare(),
		Old: c.alertFigures(old), New: c.alertFigures(next), Notes: differences(old.File(), next.File()),
	}
	keys := map[calibration.ThresholdKey]bool{}
	for _, f := range []*calibration.Calibration{old, next} {
		for key := range f.Thresholds().Keys() {
			keys[key] = true
		}
	}
	for key := range keys {
		if ch, ok := c.compareKey(key, before, after); ok {
			ch.Old, ch.New = limitAt(old.Thresholds(), key), limitAt(next.Thresholds(), key)
			d.Changes = append(d.Changes, ch)
		}
	}
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(c.position(a.Detector), c.position(b.Detector)), compareKeys(a.ThresholdKey, b.ThresholdKey))
	})
	return d, nil
}

func limitAt(table calibration.ThresholdTable, key calibration.ThresholdKey) Limit {
	at, armed := table.Threshold(key.Detector, key.Tenant, key.Operation, key.Model)
	return Limit{At: at, Armed: armed, Listed: table.Has(key)}
}

// compareKey compares the rows of the key; false without rows.
func (c *calibrationRun) compareKey(key calibration.ThresholdKey, before, after firedMatrix) (Change, bool) {
	ch := Change{ThresholdKey: key}
	d := c.position(key.Detector)
	if d < 0 {
		return ch, false
	}
	var index []int
	for i := range c.rows {
		r := &c.rows[i]
		if !keyMatches(key.Tenant, r.Tenant) || !keyMatches(key.Operation, r.Operation) || !keyMatches(key.Model, r.Model) {
			continue
		}
		index = append(index, i)
		ch.Measured += boolInt(c.measured(d, i))
	}
	ch.Rows = len(index)
	for side, fired := range []firedMatrix{before, after} {
		scored := c.weightedRows(index, func(i int) float64 { return float64(boolInt(fired[i][d])) })
		found, all, hit := roc.At(scored, 1), 0.0, 0.0
		for _, s := range scored {
			all += s.EffectiveWeight()
			hit += s.EffectiveWeight() * s.Score
		}
		found.Threshold = 0
		ch.SharesFired[side] = roc.Ratio(hit, all)
		if side == 0 {
			ch.Before = found
		} else {
			ch.After = found
		}
	}
	return ch, ch.Rows > 0
}

// differences lists what makes two files hard to compare, with remedies.
func differences(old, next calibration.File) []string {
	var notes []string
	if old.Data.Fingerprint != "" && old.Data.Fingerprint != next.Data.Fingerprint {
		notes = append(notes, fmt.Sprintf("%s was fitted on other labels (fingerprint %s, %d rows) than these (%s, %d rows): "+
			"give the labels of both files with --labels to judge them on the same ground", old.ID, old.Data.Fingerprint, old.Data.Rows, next.Data.Fingerprint, next.Data.Rows))
	}
	if !slices.Equal(old.Baselines, next.Baselines) {
		notes = append(notes, fmt.Sprintf("the baselines of confidence differ: its scores here are those of the new ones, and what %s would make of them is an estimate", old.ID))
	}
	return notes
}
