package figureindex

import (
	"math"

	"confab/internal/text/figures"
)

// combine reports whether f follows from two operands.
func (c *calculation) combine(a, b operand, at nearness) bool {
	switch f := c.f; {
	case !isAmount(f):
		return f.Kind != figures.Ordinal && (c.shifted(a, b) || c.shifted(b, a))
	case f.Value == 0:
		return false
	case isAmount(a.Figure) && isAmount(b.Figure):
		return c.calculated(a, b, at) || c.counted(a, b, at) || c.counted(b, a, at)
	case a.Kind != b.Kind:
		return false
	case a.Kind == figures.Date:
		return c.elapsedDates(a, b, at)
	}
	return a.Kind == figures.Clock && c.elapsedTimes(a, b)
}

// calculated reports a sum, difference, percentage or ratio.
func (c *calculation) calculated(a, b operand, at nearness) bool {
	if sameMeasure(a.Figure, b.Figure) {
		return c.added(a, b, at) || c.shareOf(a, b, at) || c.timesOf(a, b)
	}
	return c.percentOf(a, b, at) || c.percentOf(b, a, at) || c.priced(a, b) || c.priced(b, a)
}

// priced reports an amount of money per unit of the measure n, times n: 23,100 kWh at 7 cents per kWh.
func (c *calculation) priced(a, n operand) bool {
	if a.Kind != figures.Money || !sameMeasure(c.f, a.Figure) || n.Unit.Dimension == figures.None || n.Kind != figures.Count {
		return false
	}
	for t := a.Last; t < min(int32(len(a.tokens.tokens)), a.Last+2); t++ {
		if u, ok := figures.UnitNamed(&a.tokens.tokens[t]); ok && u.Dimension == n.Unit.Dimension {
			return fitsRounded(c.f, baseValue(a.Figure)*baseValue(n.Figure)/u.Factor)
		}
	}
	return false
}

// isAmount reports the kinds that can be calculated with.
func isAmount(f *figures.Figure) bool {
	return f.Kind == figures.Count || f.Kind == figures.Money || f.Kind == figures.Percent
}

// isBare reports a number without a unit.
func isBare(f *figures.Figure) bool {
	return f.Kind == figures.Count && f.Unit.Dimension == figures.None
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
	va, vb := baseValue(a.Figure), baseValue(b.Figure)
	if c.f.Kind != figures.Percent || a.Kind == figures.Percent || va <= 0 || vb <= 0 {
		return false
	}
	saysOf := c.saysOf(a, b)
	if at != inAnswer && c.cues&(cueChange|cueShare|cueFall|cueRise) == 0 && !saysOf {
		return false
	}
	low, high := min(va, vb), max(va, vb)
	if (c.cues&cueShare != 0 || c.cues&(cueRise|cueFall) == 0) && c.isPart(low, high, !saysOf) {
		return true
	}
	return c.isChange(low, high)
}

// isChange reports the change between low and high, relative to the value before it where the words show which one that is.
func (c *calculation) isChange(low, high float64) bool {
	rise, fall := c.fitsPercent((high-low)/low), c.fitsPercent((high-low)/high)
	rises, falls := c.cues&cueRise != 0, c.cues&cueFall != 0
	return rise && (rises || !falls) || fall && (falls || !rises)
}

// isPart reports the share of low in high or, if they may be the two parts of a whole, of one of them in the whole.
func (c *calculation) isPart(low, high float64, parts bool) bool {
	return c.fitsPercent(low/high) || parts && (c.fitsPercent(low/(low+high)) || c.fitsPercent(high/(low+high)))
}

// fitsPercent reports whether f, without its sign, is the share in percent.
func (c *calculation) fitsPercent(share float64) bool {
	g := *c.f
	g.Value = math.Abs(g.Value)
	return fitsRounded(&g, 100*share)
}

// saysOf reports "a of b" and "of a, b": one is the total.
func (c *calculation) saysOf(a, b operand) bool {
	if &a.tokens.tokens[0] != &b.tokens.tokens[0] {
		return false // the one stands in the answer, the other in a source
	}
	for t := max(0, a.First-2); t < b.First; t++ {
		if a.tokens.tokens[t].Hash == hashOf {
			return true
		}
	}
	return false
}

// timesOf reports a ratio: "three times as many".
func (c *calculation) timesOf(a, b operand) bool {
	va, vb := baseValue(a.Figure), baseValue(b.Figure)
	if !isBare(c.f) || c.cues&cueTimes == 0 || va <= 0 || vb <= 0 {
		return false
	}
	return c.f.Value > 1 && fitsRounded(c.f, max(va, vb)/min(va, vb))
}

// minChanceFree is the least number without a unit that is accepted as a share of an amount in another sentence, and that
// may be rounded: smaller ones match by chance.
const minChanceFree = 20

// percentOf reports a percentage p of an amount a, or the amount with it added or taken off.
func (c *calculation) percentOf(a, p operand, at nearness) bool {
	f := c.f
	if p.Kind != figures.Percent || a.Kind == figures.Percent || !sameMeasure(f, a.Figure) {
		return false
	}
	if isBare(f) && at == nextSentence && f.Value < minChanceFree {
		return false
	}
	v, share := baseValue(a.Figure), math.Abs(p.Value)/100
	more, less := true, true
	if isBare(f) {
		more, less = c.cues&(cueRise|cueTotal) != 0, c.cues&(cueFall|cueRest) != 0
	}
	return c.fits(v*share) || more && c.fits(v*(1+share)) || less && c.fits(v*(1-share))
}

// fits reports a result that f states in full or, if it is usually rounded, rounded.
func (c *calculation) fits(v float64) bool {
	f := c.f
	if f.Kind == figures.Money || f.Decimals > 0 || isBare(f) && f.Value >= minChanceFree {
		return fitsRounded(f, v)
	}
	return fitsExactly(f, v)
}

// Limits of factors.
const (
	maxMultiplier  = 12   // of an amount anywhere near its factor
	maxNearProduct = 1000 // of an amount next to its factor
)

// counted reports the amount a multiplied or divided by the count n: three months at 5 euros. Amounts without a unit are
// excluded, because they match by chance, unless the answer has both or says that it is a total.
func (c *calculation) counted(a, n operand, at nearness) bool {
	if !sameMeasure(c.f, a.Figure) || c.f.Kind == figures.Percent || !c.isFactor(a, n, at) {
		return false
	}
	v := baseValue(a.Figure)
	return c.fits(v*n.Value) || !isFactorNumber(n) && c.fits(v/n.Value)
}

// isFactor reports whether n may be a factor of the amount a.
func (c *calculation) isFactor(a, n operand, at nearness) bool {
	if n.Kind != figures.Count || n.Value < 2 || n.Value > maxNearProduct || n.Value != math.Trunc(n.Value) {
		return false
	}
	if isBare(c.f) {
		return at == inAnswer || at == neighbors && (c.cues&cueTotal != 0 || c.f.Decimals > 0 && a.Decimals > 0)
	}
	return n.Unit.Dimension != a.Unit.Dimension && (n.Value <= maxMultiplier || at != sameSentence)
}

// fromOne reports a figure that follows from one of a source: the rest of a percentage, a rate over another time, an hour of
// a range without minutes, a fall instead of a minus sign.
func (c *calculation) fromOne() bool {
	list := c.x.Sources
	for i := range list {
		if !c.spend(1) {
			return false
		}
		if c.followsFrom(i) && c.sharesWords(list[i].Sentence) {
			c.sentence = list[i].Sentence
			return true
		}
	}
	return false
}

// followsFrom reports whether f follows from the i-th source figure alone.
func (c *calculation) followsFrom(i int) bool {
	f, s := c.f, &c.x.Sources[i]
	switch {
	case f.Kind == figures.Clock:
		return c.isRangeHour(i)
	case s.Kind == figures.Clock:
		return c.answersRangeHour(&s.Figure)
	case f.Kind == figures.Percent && c.isShare(s):
		return c.fitsPercent(s.Value)
	case f.Scaled && isBare(f) && s.Kind == figures.Money:
		return c.multiplied(s) // 3.15 million, half of 6.3 million euros
	case c.hasUnitBefore(s):
		return true
	}
	return sameMeasure(f, &s.Figure) && c.followsAlike(s)
}

// followsAlike reports whether f follows from a source figure of the same measure.
func (c *calculation) followsAlike(s *SourceFigure) bool {
	f := c.f
	switch {
	case f.Value == -s.Value:
		return c.cues&cueFall != 0
	case c.multiplied(s):
		return true
	case f.Kind == figures.Percent:
		return c.cues&cueRest != 0 && fitsExactly(f, 100-s.Value)
	}
	return c.matchesRate(operand{&s.Figure, c.sourceTokens()})
}

// isShare reports 0.05 for 5 % and 1.5 times for 150 %.
func (c *calculation) isShare(s *SourceFigure) bool {
	return isBare(&s.Figure) && s.Decimals > 0 && s.Value < 1 || isFactorNumber(operand{&s.Figure, c.sourceTokens()})
}

// multiplied reports twice the source's figure, half of it and the like, if the source or the answer says so in words.
func (c *calculation) multiplied(s *SourceFigure) bool {
	v, result := baseValue(&s.Figure), baseValue(c.f)
	if v <= 0 || result <= 0 || c.f.Kind == figures.Percent {
		return false
	}
	for n := 2.0; n <= 4; n++ {
		if c.fits(v*n) && c.says(multiples[int(n)-2], s.Sentence) || c.fits(v/n) && c.says(parts[int(n)-2], s.Sentence) {
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
	if !c.hasRate {
		c.rate, c.hasRate = c.answerTokens().rate(f), true
	}
	if c.rate == 0 {
		return false
	}
	mine, other := c.rate, a.tokens.rate(a.Figure)
	if other == 0 || mine == other {
		return false
	}
	v := baseValue(a.Figure) * mine / other
	return fitsRounded(f, v) && (f.Decimals > 0 || f.Kind == figures.Money || fitsExactly(f, v))
}
