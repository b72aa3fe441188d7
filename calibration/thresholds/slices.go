package thresholds

import (
	"cmp"
	"slices"

	"confab/calibration/roc"
)

// Slice is the result of the file's thresholds on one task of one data set.
type Slice struct {
	Detector      string // empty for the rule "two or more"
	Dataset, Task string

	roc.Candidate
	Rows, Positives int // measured by the detector; for the rule, all
	AUROC           float64
}

// slices has one entry per detector and task that it could measure, and one per task for the rule.
func (c *calibrationRun) slices(fired firedMatrix) []Slice {
	strata := map[[2]string][]int{}
	var names [][2]string
	for i := range c.rows {
		name := [2]string{c.rows[i].Dataset, c.rows[i].Task}
		if strata[name] == nil {
			names = append(names, name)
		}
		strata[name] = append(strata[name], i)
	}
	slices.SortFunc(names, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var out []Slice
	for d, detector := range c.detectors {
		for _, name := range names {
			able := slices.DeleteFunc(slices.Clone(strata[name]), func(i int) bool { return !c.measured(d, i) })
			if len(able) == 0 {
				continue
			}
			s := c.slice(able, func(i int) bool { return fired[i][d] })
			s.Detector, s.Dataset, s.Task = detector, name[0], name[1]
			s.AUROC = roc.AUROC(c.weightedRows(able, func(i int) float64 { return c.scores[d][i] }))
			out = append(out, s)
		}
	}
	for _, name := range names {
		s := c.slice(strata[name], func(i int) bool { return countFired(fired[i]) >= 2 })
		s.Dataset, s.Task = name[0], name[1]
		out = append(out, s)
	}
	return out
}

func (c *calibrationRun) slice(index []int, fires func(i int) bool) Slice {
	s := Slice{Rows: len(index)}
	for _, i := range index {
		s.Positives += boolInt(c.rows[i].Positive)
	}
	s.Candidate = roc.At(c.weightedRows(index, func(i int) float64 { return float64(boolInt(fires(i))) }), 1)
	s.Threshold = 0
	return s
}
