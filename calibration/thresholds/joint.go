package thresholds

import (
	"math"

	"confab/calibration"
	"confab/calibration/roc"
)

// rule is the file's section on "two or more", with the agreement of detectors by pairs.
func (c *calibrationRun) rule(fired firedMatrix) *calibration.Rule {
	r := &calibration.Rule{Pairs: c.pairs(fired)}
	var effective float64
	r.Rows, effective, r.JointRate, r.Independence = c.joint(fired)
	_, high := roc.Wilson(r.JointRate, effective)
	if r.Rows > 0 {
		r.JointHigh = roundFigure(high)
	}
	r.JointRate, r.Independence = roundFigure(r.JointRate), roundFigure(r.Independence)
	return r
}

// joint returns how often two or more detectors fired on good rows that two or more could check, and how often
// independent detectors with the same rates would. effective is Kish's number of these rows.
func (c *calibrationRun) joint(fired firedMatrix) (rows int, effective, measured, independent float64) {
	rate, checked := make([]float64, len(c.detectors)), make([]float64, len(c.detectors))
	var fine []int
	total, squares := 0.0, 0.0
	for i := range c.rows {
		able := c.measurable(i)
		if c.rows[i].Positive || countFired(able) < 2 {
			continue
		}
		fine = append(fine, i)
		w := c.weights[i]
		total += w
		squares += w * w
		for d := range c.detectors {
			checked[d] += w * float64(boolInt(able[d]))
			rate[d] += w * float64(boolInt(fired[i][d]))
		}
		measured += w * float64(boolInt(countFired(fired[i]) >= 2))
	}
	for d := range rate {
		rate[d] = roc.Ratio(rate[d], checked[d])
	}
	for _, i := range fine {
		independent += c.weights[i] * byChance(rate, c.measurable(i))
	}
	return len(fine), roc.Ratio(total*total, squares), roc.Ratio(measured, total), roc.Ratio(independent, total)
}

// measurable says which detectors could measure the row.
func (c *calibrationRun) measurable(i int) []bool {
	able := make([]bool, len(c.detectors))
	for d := range c.detectors {
		able[d] = c.measured(d, i)
	}
	return able
}

// byChance is the probability that two or more of the able detectors fire if they are independent.
func byChance(rate []float64, able []bool) float64 {
	none, one := 1.0, 0.0
	for d, p := range rate {
		if able[d] {
			none, one = none*(1-p), one*(1-p)+none*p
		}
	}
	return max(0, 1-none-one)
}

// pairs are the pairs of detectors with rows that both could check.
func (c *calibrationRun) pairs(fired firedMatrix) []calibration.Pair {
	var pairs []calibration.Pair
	for a := range c.detectors {
		for b := a + 1; b < len(c.detectors); b++ {
			rows := 0
			var both [2][2]float64
			for i := range c.rows {
				if c.rows[i].Positive || !c.measured(a, i) || !c.measured(b, i) {
					continue
				}
				rows++
				both[boolInt(fired[i][a])][boolInt(fired[i][b])]++
			}
			if rows > 0 {
				pairs = append(pairs, calibration.Pair{
					A: c.detectors[a], B: c.detectors[b], Rows: rows, Phi: roundFigure(phiCoefficient(both)),
					JointRate: roundFigure(both[1][1] / float64(rows)),
				})
			}
		}
	}
	return pairs
}

// phiCoefficient is the correlation of two binary variables from their counts (Yule, 1912); 0 where one of them never
// varied.
func phiCoefficient(n [2][2]float64) float64 {
	product := (n[1][0] + n[1][1]) * (n[0][0] + n[0][1]) * (n[0][1] + n[1][1]) * (n[0][0] + n[1][0])
	return roc.Ratio(n[1][1]*n[0][0]-n[1][0]*n[0][1], math.Sqrt(product))
}
