package facts

import (
	"math"
	"slices"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// contextCost is the cost of comparing the words around a figure, in units of [detectors.Work].
const contextCost = 20

// Weights of unsupported figures: about the share of them that was marked in labelled training answers.
const (
	weightNumber  = 0.5
	weightExact   = 0.55 // money, percent, figures with decimals or units
	weightSpelled = 0.2  // "two", "three": mostly counts that no source states
	weightDate    = 0.6
	weightWeak    = 0.15
	weightOther   = 0.12 // the value occurs with another unit
)

// minForeign is the least number in words of another language that is checked: smaller ones are mostly counts that no source
// states.
const minForeign = 13

// minWeekday is the least length of a weekday that is checked: short ones often stand for "weekdays".
const minWeekday = 6

// checkFigures checks the figures of the claim, except those inside the findings from first on.
func (x *Check) checkFigures(d *detectors.Document, c *textclaims.Claim, found []figures.Figure, first int) {
	fields := x.List[first:]
	for i := range found {
		f := &found[i]
		if x.isLeftOut(f) {
			continue
		}
		if slices.ContainsFunc(fields, func(g figureindex.Finding) bool { return g.Start <= f.Start && f.End <= g.End }) {
			continue
		}
		if !x.work.Spend(1 + len(fields)/detectors.ScanRows) {
			return
		}
		if x.isCompared(f) {
			continue
		}
		x.Checked++
		x.checkFigure(d, c, f)
	}
}

// isLeftOut reports a figure that is not checked.
func (x *Check) isLeftOut(f *figures.Figure) bool {
	switch {
	case f.Kind == figures.Label:
		return true
	case f.Weekday != 0:
		return x.record.Timed || x.figures.Foreign || f.Foreign || f.End-f.Start < minWeekday
	}
	return f.Spelled && (x.figures.Foreign || f.Foreign) && f.Value < minForeign
}

func (x *Check) checkFigure(d *detectors.Document, c *textclaims.Claim, f *figures.Figure) {
	if g, ok := x.namedCell(f); ok {
		if !x.inPrompt(d, f) && !x.convertsNeighbor(f) {
			x.Add(g)
		}
		return
	}
	best, nearest, bound := x.findFigure(d, c, f)
	switch {
	case bound, best < figurematch.Rounded && x.supportedOtherwise(d, f):
		return
	case best >= figurematch.Rounded:
		x.addFigure(f, figureindex.Weak, weightWeak, nearest)
		return
	}
	if x.checkWeekday(d, f) {
		return
	}
	switch {
	case best == figurematch.SameValue:
		x.addFigure(f, figureindex.Weak, weightOther, x.nearest(d, c, f))
		return
	case x.record.Counts(f):
		x.addFigure(f, figureindex.Weak, weightWeak, -1)
		return
	}
	kind, weight := figureindex.Number, figureWeight(f)
	if f.Kind == figures.Date || f.Kind == figures.Clock {
		kind = figureindex.Date
	}
	x.addFigure(f, kind, weight, x.nearest(d, c, f))
}

// findFigure searches the sources for the figure: the best match level, the last figure that matches (-1 for none), and
// whether one matches in the same context.
func (x *Check) findFigure(d *detectors.Document, c *textclaims.Claim, f *figures.Figure) (best figurematch.Level, nearest int, bound bool) {
	nearest = -1
	x.work.Spend(2 * len(x.figures.Sources))
	for i := range x.figures.Sources {
		l := figurematch.Compare(f, &x.figures.Sources[i].Figure)
		best = max(best, l)
		if l < figurematch.Rounded {
			continue
		}
		nearest = i
		if !x.work.Spend(contextCost) {
			return best, nearest, true
		}
		if x.sharesContext(d, c, f, &x.figures.Sources[i]) {
			return best, nearest, true
		}
	}
	return best, nearest, false
}

// isCompared reports a figure that a cell supports or contradicts.
func (x *Check) isCompared(f *figures.Figure) bool {
	return !x.record.Known() && (x.cells.Supported(f) || x.cells.Contradicts(f))
}

// namedCell is the cell of a record that the words around the figure name, with another value.
func (x *Check) namedCell(f *figures.Figure) (g figureindex.Finding, ok bool) {
	if x.record.Known() {
		return g, false
	}
	return x.cells.NamedCell(f)
}

func figureWeight(f *figures.Figure) float32 {
	switch {
	case f.Kind == figures.Date || f.Kind == figures.Clock:
		return weightDate
	case f.Kind == figures.Ordinal, f.Spelled && f.Value <= 12:
		return weightSpelled
	case f.Kind != figures.Count || f.Unit.Dimension != figures.None || f.Decimals > 0:
		return weightExact
	}
	return weightNumber
}

func (x *Check) addFigure(f *figures.Figure, kind figureindex.Kind, weight float32, nearest int) {
	found := figureindex.Finding{Kind: kind, Start: f.Start, End: f.End, Weight: weight, Source: -1}
	if nearest >= 0 {
		s := &x.figures.Sources[nearest]
		found.Source, found.SourceStart, found.SourceEnd = s.Source, s.Start, s.End
	}
	x.Add(found)
}

// supportedOtherwise reports a figure that is in the prompt, that is a unit conversion within the answer, that is computed
// from source figures, or, in another language than English, whose digits are in a source.
func (x *Check) supportedOtherwise(d *detectors.Document, f *figures.Figure) bool {
	if x.inPrompt(d, f) || x.convertsNeighbor(f) {
		return true
	}
	if x.figures.Derived(d, f) {
		return true
	}
	if x.figures.Foreign {
		held := support.Of(d)
		return f.Last == f.First+1 && held.Stem(f.First) >= 0 && !held.IsMissing(f.First)
	}
	return false
}

// inPrompt reports a figure of the prompt.
func (x *Check) inPrompt(d *detectors.Document, f *figures.Figure) bool {
	prompt := figureindex.PromptOf(d).Figures
	x.work.Spend(2 * len(prompt))
	for i := range prompt {
		if figurematch.Compare(f, &prompt[i]) >= figurematch.Rounded {
			return true
		}
	}
	return false
}

// convertsNeighbor reports "145 °F (63 °C)".
func (x *Check) convertsNeighbor(f *figures.Figure) bool {
	x.work.Spend(2 * len(x.figures.Answer))
	for i := f.First - 1; i >= max(0, f.First-8); i-- {
		if x.convertsOwn(f, i) {
			return true
		}
	}
	return false
}

// convertsOwn reports whether the answer's figure at the token is the same measure in another unit.
func (x *Check) convertsOwn(f *figures.Figure, token int32) bool {
	if f.Unit.Dimension == figures.None {
		return false
	}
	for i := range x.figures.Answer {
		g := &x.figures.Answer[i]
		if token >= g.First && token < g.Last {
			return !figurematch.SameNumber(f.Value, g.Value) && figurematch.Compare(f, g) == figurematch.Rounded
		}
	}
	return false
}

// contextReach is how many words on each side of a figure are its context.
const contextReach = 8

// minContextShare is the share of the context, by weight, that must also occur near the source's figure.
const minContextShare = 0.2

// sharesContext reports whether the context of the answer's figure occurs in the sentence of the source's figure or a
// neighboring one.
func (x *Check) sharesContext(d *detectors.Document, c *textclaims.Claim, f *figures.Figure, s *figureindex.SourceFigure) bool {
	held := support.Of(d)
	if held.OnlyRecords {
		return true // records have no sentences; their fields are checked separately
	}
	near, all := 0.0, 0.0
	for t := max(c.First, f.First-contextReach); t < min(c.Last, f.Last+contextReach); t++ {
		id := held.Stem(t)
		if id < 0 || t >= f.First && t < f.Last {
			continue
		}
		w := held.Weight(id)
		all += w
		if held.OccursNear(id, s.Sentence, s.Source) {
			near += w
		}
	}
	return all == 0 || near >= minContextShare*all
}

// maxNear is the most source figures whose sentences are compared with the claim to find the nearest.
const maxNear = 256

// nearest is the source figure of the same kind in the sentence with most words of the claim, among equal ones that with
// the closest value; -1 for none.
func (x *Check) nearest(d *detectors.Document, c *textclaims.Claim, f *figures.Figure) int {
	best, least, most := -1, math.Inf(1), 0
	shared, sentence := 0, int32(-1)
	x.work.Spend(len(x.figures.Sources) / 2)
	for i := range x.figures.Sources {
		s := &x.figures.Sources[i]
		if s.Kind != f.Kind || s.Unit.Dimension != f.Unit.Dimension || (s.Weekday != 0) != (f.Weekday != 0) {
			continue
		}
		if s.Sentence != sentence && len(x.figures.Sources) <= maxNear {
			shared, sentence = x.sharedWords(d, c, s.Sentence), s.Sentence
		}
		far := math.Abs(s.Value - f.Value)
		if f.Kind == figures.Date {
			far = math.Abs(dayCount(f) - dayCount(&s.Figure))
		}
		if shared > most || shared == most && far < least {
			best, least, most = i, far, shared
		}
	}
	return best
}

// sharedWords counts the content words of the claim that are in the sentence of a source; 0 if one of them is long.
func (x *Check) sharedWords(d *detectors.Document, c *textclaims.Claim, sentence int32) (n int) {
	s := &d.AllSourceSentences()[sentence]
	if s.Last-s.First > maxShared || c.Last-c.First > maxShared || !x.work.Spend(int(s.Last-s.First)*int(c.Last-c.First)/detectors.ScanRows) {
		return 0
	}
	for t := c.First; t < c.Last; t++ {
		w := &d.Tokens()[t]
		if !w.Stop() && slices.ContainsFunc(d.SourceTokens()[s.First:s.Last], func(other text.Token) bool { return other.Stem == w.Stem }) {
			n++
		}
	}
	return n
}

// maxShared is the longest sentence, in tokens, whose words are compared.
const maxShared = 80

// dayCount is an approximate day number of a date.
func dayCount(f *figures.Figure) float64 {
	return float64(f.Year)*365 + float64(f.Month)*30 + float64(f.Day) + float64(f.Weekday)
}
