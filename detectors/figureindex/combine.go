package figureindex

import (
	"math"

	"confab/internal/text/figures"
)

// combine reports whether f follows from two operands.
func (c *calculation) combine(a, b operand, near nearness) bool {
	f := c.f
	switch f.Kind {
	case figures.Date, figures.Clock:
		return c.shifted(a, b, near) || c.shifted(b, a, near)
	case figures.Count, figures.Money, figures.Percent:
	default:
		return false
	}
	if f.Value == 0 {
		return false
	}
	switch {
	case a.Kind == figures.Date || a.Kind == figures.Clock:
		return c.elapsed(a, b, near)
	case b.Kind == figures.Date || b.Kind == figures.Clock:
		return false
	case sameMeasure(a.Figure, b.Figure):
		return c.added(a, b, near) || c.shareOf(a, b, near) || c.timesOf(a, b, near) || c.counted(a, b, near) || c.counted(b, a, near)
	}
	return c.percentOf(a, b, near) || c.percentOf(b, a, near) || c.counted(a, b, near) || c.counted(b, a, near)
}

// added reports a sum or difference.
func (c *calculation) added(a, b operand, at nearness) bool {
	f := c.f
	if !sameMeasure(f, a.Figure) || a.Unit.Factor != b.Unit.Factor && at > neighbors {
		return false
	}
	va, vb := baseValue(a.Figure), baseValue(b.Figure)
	sum, difference := fitsExactly(f, va+vb), fitsExactly(f, math.Abs(va-vb))
	if at != nextSentence {
		return sum || difference
	}
	return sum && c.cues&cueTotal != 0 || difference && c.cues&cueChange != 0
}

// shareOf reports a percentage of a total, or of change, rounded.
func (c *calculation) shareOf(a, b operand, at nearness) bool {
	f := c.f
	va, vb := baseValue(a.Figure), baseValue(b.Figure)
	if f.Kind != figures.Percent || a.Kind == figures.Percent || va <= 0 || vb <= 0 {
		return false
	}
	if at != inAnswer && c.cues&(cueChange|cueShare|cueFall|cueRise) == 0 && !c.saysOf(a, b) {
		return false
	}
	g := *f
	g.Value = math.Abs(f.Value)
	low, high := min(va, vb), max(va, vb)
	rise, fall := fitsRounded(&g, 100*(high-low)/low), fitsRounded(&g, 100*(high-low)/high)
	part := fitsRounded(&g, 100*low/high) || !c.saysOf(a, b) && (fitsRounded(&g, 100*low/(low+high)) || fitsRounded(&g, 100*high/(low+high)))
	switch rises, falls := c.cues&cueRise != 0, c.cues&cueFall != 0; {
	case c.cues&cueShare != 0 && part:
		return true
	case rises && !falls:
		return rise
	case falls && !rises:
		return fall
	}
	return rise || fall || part
}

// saysOf reports "a of b": the second is the total.
func (c *calculation) saysOf(a, b operand) bool {
	for t := a.Last; t < b.First; t++ {
		if a.tokens.tokens[t].Hash == hashOf {
			return true
		}
	}
	return false
}

// timesOf reports a ratio: "three times as many".
func (c *calculation) timesOf(a, b operand, at nearness) bool {
	f := c.f
	va, vb := baseValue(a.Figure), baseValue(b.Figure)
	if f.Kind != figures.Count || f.Unit.Dimension != figures.None || c.cues&cueTimes == 0 || va <= 0 || vb <= 0 {
		return false
	}
	return f.Value > 1 && fitsRounded(f, max(va, vb)/min(va, vb))
}

// percentOf reports a percentage p of an amount a, or the amount with it added or taken off.
func (c *calculation) percentOf(a, p operand, at nearness) bool {
	f := c.f
	if p.Kind != figures.Percent || a.Kind == figures.Percent || !sameMeasure(f, a.Figure) {
		return false
	}
	if bare := f.Kind == figures.Count && f.Unit.Dimension == figures.None; bare && at == nextSentence && f.Value < 20 {
		return false // small numbers match by chance
	}
	v, share := baseValue(a.Figure), math.Abs(p.Value)/100
	fits := fitsExactly
	if f.Kind == figures.Money || f.Sense != figures.Exact || f.Decimals > 0 || f.Value >= 20 {
		fits = fitsRounded
	}
	return fits(f, v*share) || fits(f, v*(1+share)) || fits(f, v*(1-share))
}

// Limits of factors.
const (
	maxMultiplier  = 12   // of an amount anywhere near its factor
	maxNearProduct = 1000 // of an amount next to its factor
)

// counted reports the amount a multiplied or divided by the count n: three months at 5 euros. Amounts without a unit are
// excluded, because they match by chance, unless the answer has both or says that it is a total.
func (c *calculation) counted(a, n operand, at nearness) bool {
	f := c.f
	if !sameMeasure(f, a.Figure) || n.Kind != figures.Count && a.Kind != figures.Percent || n.Kind == figures.Percent || n.Value < 2 || n.Value != math.Trunc(n.Value) {
		return false
	}
	bare := f.Kind == figures.Count && f.Unit.Dimension == figures.None
	switch {
	case f.Kind == figures.Percent, n.Unit.Dimension == a.Unit.Dimension && !bare:
		return false
	case bare && at != inAnswer && (at > neighbors || c.cues&cueTotal == 0):
		return false
	case n.Value > maxNearProduct, n.Value > maxMultiplier && at == sameSentence:
		return false
	}
	v := baseValue(a.Figure)
	if f.Kind == figures.Money || f.Decimals > 0 {
		return fitsRounded(f, v*n.Value) || fitsRounded(f, v/n.Value)
	}
	return fitsExactly(f, v*n.Value) || fitsExactly(f, v/n.Value)
}

// fromOne reports a figure that follows from one of a source: the rest of a percentage, a rate over another time, an hour of
// a range without minutes, a fall instead of a minus sign.
func (c *calculation) fromOne() bool {
	f, list := c.f, c.x.Sources
	text := c.sourceTokens()
	for i := range list {
		if !c.spend(1) {
			return false
		}
		s := &list[i]
		switch {
		case f.Kind == figures.Clock && c.isRangeHour(i), s.Kind == figures.Clock && c.answersRangeHour(&s.Figure):
		case !sameMeasure(f, &s.Figure):
			continue
		case f.Value == -s.Value && c.cues&cueFall != 0:
		case f.Kind == figures.Percent && c.cues&cueRest != 0 && fitsExactly(f, 100-s.Value):
		case c.matchesRate(operand{&s.Figure, text}):
		default:
			continue
		}
		if c.sharesWords(s.Sentence) {
			c.sentence = s.Sentence
			return true
		}
	}
	return false
}

// matchesRate reports the amount a per hour, day, month or year over another of these.
func (c *calculation) matchesRate(a operand) bool {
	f := c.f
	if !sameMeasure(f, a.Figure) || f.Kind == figures.Percent || f.Unit.Dimension == figures.Duration && f.Unit.Factor != a.Unit.Factor {
		return false
	}
	mine, other := c.answerTokens().rate(f), a.tokens.rate(a.Figure)
	if mine == 0 || other == 0 || mine == other {
		return false
	}
	v := baseValue(a.Figure) * mine / other
	return fitsRounded(f, v) && (f.Decimals > 0 || f.Kind == figures.Money || fitsExactly(f, v))
}
