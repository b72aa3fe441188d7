package thresholds

import (
	"slices"

	"confab/calibration"
)

// Rows are binned before they are pooled: one hundredth of them each, but at least ten.
const (
	isotonicBins = 100
	minBinRows   = 10
)

// isotonicBlock is a range of neighboring rows with one probability.
type isotonicBlock struct {
	rows   int
	weight float64
	x, y   float64 // weighted sums
	p      float64 // y by weight
}

func (b isotonicBlock) with(o isotonicBlock) isotonicBlock {
	b.rows, b.weight, b.x, b.y = b.rows+o.rows, b.weight+o.weight, b.x+o.x, b.y+o.y
	b.p = b.y / b.weight
	return b
}

// fitIsotonic pools adjacent violators (Ayer et al., "An empirical distribution function for sampling with incomplete
// information", 1955) and interpolates between the means of the blocks. A bad row is added at the lowest log-odds and a
// good one at the highest, so that no probability is 0 or 1. rows ascend by log-odds.
func fitIsotonic(rows []riskRow) calibration.RiskMap {
	bins := binRows(rows)
	m := calibration.RiskMap{Method: calibration.Isotonic}
	if len(bins) == 0 {
		m.Points = [][2]float64{{0, 0.5}}
		return m
	}
	total := 0.0
	for _, b := range bins {
		total += b.weight
	}
	one := total / float64(len(rows)) // mean weight of a row
	first, last := &bins[0], &bins[len(bins)-1]
	imagine := func(b *isotonicBlock, y float64) {
		b.x, b.y, b.weight = b.x*(b.weight+one)/b.weight, b.y+y*one, b.weight+one
		b.p = b.y / b.weight
	}
	imagine(first, 1)
	imagine(last, 0)
	var pooled []isotonicBlock
	for _, b := range bins {
		pooled = append(pooled, b)
		for n := len(pooled); n > 1 && pooled[n-2].p >= pooled[n-1].p; n = len(pooled) {
			pooled[n-2] = pooled[n-2].with(pooled[n-1])
			pooled = pooled[:n-1]
		}
	}
	for _, b := range pooled {
		m.Points = append(m.Points, [2]float64{round4(b.x / b.weight), round4(b.p)})
	}
	m.Points = slices.CompactFunc(m.Points, func(a, b [2]float64) bool { return a[0] == b[0] }) // equal after rounding
	return m
}

// binRows groups neighboring rows; rows with equal log-odds stay together.
func binRows(rows []riskRow) []isotonicBlock {
	size := max(minBinRows, len(rows)/isotonicBins)
	var bins []isotonicBlock
	var open isotonicBlock
	for i, r := range rows {
		y := r.weight * r.label()
		open = open.with(isotonicBlock{rows: 1, weight: r.weight, x: r.weight * r.x, y: y})
		last := i+1 == len(rows)
		if last || open.rows >= size && rows[i+1].x != r.x {
			if last && open.rows < size && len(bins) > 0 {
				open, bins = bins[len(bins)-1].with(open), bins[:len(bins)-1]
			}
			bins = append(bins, open)
			open = isotonicBlock{}
		}
	}
	return bins
}
