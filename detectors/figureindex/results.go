package figureindex

import (
	"math"

	"confab/internal/text/figures"
)

// maxRun is the largest number of addends of a sum or average.
const maxRun = 16

// runs reports the sum or average of the i-th source figure and the following ones of the same measure: within one sentence,
// or anywhere near if the answer says that it is a total or average.
func (c *calculation) runs(i int) bool {
	list, f := c.x.Sources, c.f
	if !sameMeasure(f, &list[i].Figure) {
		return false
	}
	sum, n := 0.0, 0
	for k := i; k < len(list) && k < i+maxRun && list[k].Source == list[i].Source; k++ {
		if !sameMeasure(f, &list[k].Figure) {
			continue
		}
		inside := list[k].Sentence == list[i].Sentence
		if !inside && c.cues&(cueTotal|cueAverage) == 0 {
			return false
		}
		sum += baseValue(&list[k].Figure)
		if n++; n < 2 {
			continue
		}
		if c.isTotal(sum, inside) || c.isAverage(sum/float64(n), i, k) {
			return true
		}
	}
	return false
}

// isTotal reports the sum of figures of one sentence, or of more if the answer says that it is a total.
func (c *calculation) isTotal(sum float64, inside bool) bool {
	return (inside || c.cues&cueTotal != 0) && fitsExactly(c.f, sum)
}

// isAverage reports the mean of the whole run i..k.
func (c *calculation) isAverage(mean float64, i, k int) bool {
	return c.cues&cueAverage != 0 && fitsRounded(c.f, mean) && c.endsRun(i, k)
}

// endsRun reports whether the run i..k of figures of f's measure has no such neighbor in its first and last sentence.
func (c *calculation) endsRun(i, k int) bool {
	list := c.x.Sources
	for b := i - 1; b >= 0 && b >= i-maxRun && list[b].Sentence == list[i].Sentence; b-- {
		if sameMeasure(c.f, &list[b].Figure) {
			return false
		}
	}
	for b := k + 1; b < len(list) && b <= k+maxRun && list[b].Sentence == list[k].Sentence; b++ {
		if sameMeasure(c.f, &list[b].Figure) {
			return false
		}
	}
	return true
}

// baseValue is the value in the base unit of its dimension.
func baseValue(f *figures.Figure) float64 {
	if f.Unit.Factor > 0 {
		return f.Value * f.Unit.Factor
	}
	return f.Value
}

// sameMeasure reports whether two figures can be added.
func sameMeasure(a, b *figures.Figure) bool {
	switch a.Kind {
	case figures.Count, figures.Money, figures.Percent:
		return a.Kind == b.Kind && a.Unit.Dimension == b.Unit.Dimension
	default:
		return false
	}
}

// fitsExactly reports a result that f states without loss, or to the digits of a scaled figure ("5.1 million").
func fitsExactly(f *figures.Figure, v float64) bool {
	if f.Scaled || f.Sense == figures.About {
		return fitsRounded(f, v)
	}
	return near(baseValue(f), v, 1e-9*max(1, math.Abs(v)))
}

// aboutShare is the tolerance of "about".
const aboutShare = 0.05

// fitsRounded reports a result that f states rounded to its digits.
func fitsRounded(f *figures.Figure, v float64) bool {
	step := math.Pow10(-int(f.Decimals))
	for n := math.Abs(f.Value); f.Scaled && n >= 1000; n /= 1000 {
		step *= 1000
	}
	if f.Unit.Factor > 0 {
		step *= f.Unit.Factor
	}
	tolerance := step / 2 * 1.000001
	if f.Sense == figures.About {
		tolerance = max(tolerance, aboutShare*math.Abs(v))
	}
	return near(baseValue(f), v, tolerance)
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
