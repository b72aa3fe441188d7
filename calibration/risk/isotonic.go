package risk

import (
	"slices"

	"confab/calibration"
)

// isotonicBins bounds the points of a map: rows are grouped to a hundredth each, and to ten at least, before they are
// pooled, so that no step rests on a handful of rows.
const (
	isotonicBins = 100
	minBinRows   = 10
)

// isotonicBlock is a stretch of neighboring rows that share a probability.
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
// information", 1955) and draws straight lines between the blocks' middles. Two imagined rows keep the ends honest: a bad
// one with the lowest log-odds and a good one with the highest, so that no answer is ever certainly good or bad, and an
// end is the less extreme the fewer rows it rests on. rows ascend by log-odds.
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
	one := total / float64(len(rows)) // an imagined row weighs what a row weighs on average
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
	m.Points = slices.CompactFunc(m.Points, func(a, b [2]float64) bool { return a[0] == b[0] }) // alike once rounded
	return m
}

// binRows groups neighboring rows; rows of one log-odds stay together.
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
