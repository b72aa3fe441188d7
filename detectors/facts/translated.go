package facts

import (
	"math"
	"slices"

	"confab/detectors"
	"confab/detectors/figureindex"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// maxWritten is the largest count that the sources may have as a word of another language, which is not read.
const maxWritten = 20

// checkTranslated checks figures of an answer in another language than its sources: their digits survive translation, the
// words around them do not.
func (x *Check) checkTranslated(d *detectors.Document, found []figures.Figure) {
	for i := range found {
		f := &found[i]
		if !isTranslatable(f) {
			continue
		}
		if !x.work.Spend(1 + len(x.figures.Sources)) {
			return
		}
		x.Checked++
		if x.sourceHas(f) || x.inPrompt(d, f) || x.convertsNeighbor(f) || x.figures.Derived(d, f) {
			continue
		}
		kind := figureindex.Number
		if f.Kind == figures.Date || f.Kind == figures.Clock {
			kind = figureindex.Date
		}
		x.addFigure(f, kind, figureWeight(f), x.nearest(d, &textclaims.Claim{}, f)) // no words to compare
	}
}

// isTranslatable reports a figure that has digits in every language.
func isTranslatable(f *figures.Figure) bool {
	switch {
	case f.Spelled || f.Weekday != 0 || f.Kind == figures.Label || f.Kind == figures.Ordinal || f.Kind == figures.Code:
		return false
	case f.Kind == figures.Count:
		return f.Value > maxWritten || f.Decimals > 0
	default:
		return f.Kind != figures.Date || f.Period == 0 && !f.Decade
	}
}

// sourceHas reports whether a source has the figure, or a date, time or multiple of which it is a part: the names of months
// and of powers of ten are not read in every language.
func (x *Check) sourceHas(f *figures.Figure) bool {
	for i := range x.figures.Sources {
		g := &x.figures.Sources[i].Figure
		if figurematch.Compare(f, g) >= figurematch.SameValue || isPartOf(f, g) || isPartOf(g, f) || isPowerOfTen(f.Value/g.Value) {
			return true
		}
	}
	return false
}

// isPartOf reports a number in a date or time: the year, the day, the hour or the minute.
func isPartOf(f, whole *figures.Figure) bool {
	v := f.Value
	switch {
	case f.Kind == figures.Date && f.Month == 0:
		v = float64(f.Year)
	case f.Kind != figures.Count:
		return false
	}
	switch whole.Kind {
	case figures.Date:
		return v != 0 && slices.Contains([]float64{float64(whole.Year), float64(whole.Month), float64(whole.Day)}, v)
	case figures.Clock:
		hour := math.Floor(whole.Value / 60)
		return slices.Contains([]float64{hour, hour + 12, hour - 12, math.Mod(whole.Value, 60)}, v)
	default:
		return false
	}
}

func isPowerOfTen(ratio float64) bool {
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		return false
	}
	power := math.Log10(ratio)
	return math.Abs(power) >= 1 && math.Abs(power-math.Round(power)) < 1e-9
}
