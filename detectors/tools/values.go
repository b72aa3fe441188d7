package tools

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// Limits of figures, the work of one that is compared, and of numbers that are read as counts and values.
const maxFigures, figureWork, mostCounted, mostListed, leastNumber = 400, 8, 99, 20, 100

// readFigures reads the figures of all texts once.
func (t *turn) readFigures() {
	if t.longest > 0 {
		return
	}
	t.eachText(func(s string) { t.add(true, figures.Append(nil, s, t.tokens(s))...) })
	t.ofCalls = len(t.figures)
	made := map[string]int{}
	for i := range t.all {
		c := &t.all[i]
		made[c.Name]++
		t.longest = max(t.longest, made[c.Name], 1)
		for _, v := range slices.Concat(c.args, c.result) {
			if v.kind == '[' {
				t.longest = max(t.longest, v.n)
			}
			if number, err := strconv.ParseFloat(v.text, 64); err == nil && !v.quoted && !strings.HasSuffix(v.key, "_ms") {
				t.add(true, figures.Figure{Value: math.Abs(number)})
			}
		}
		for _, s := range []string{c.Arguments, c.Result, c.Error} {
			t.add(len(c.result) == 0, figures.Append(nil, s, t.tokens(s))...)
		}
	}
}

// add makes figures known; others may follow from operands.
func (t *turn) add(operands bool, list ...figures.Figure) {
	t.figures = append(t.figures, list...)
	for _, f := range list {
		if (operands || f.Kind == figures.Date || f.Kind == figures.Clock) && f.Kind < figures.Label && len(t.operands) <= evidence.MaxOperands && !isAmong(&f, t.operands) {
			t.operands = append(t.operands, f)
		}
	}
}

func isAmong(f *figures.Figure, list []figures.Figure) bool {
	return slices.ContainsFunc(list, func(g figures.Figure) bool { return figurematch.Compare(f, &g) >= figurematch.SameValue })
}

// isStated reports a figure that a text has, also as a share or without its sign.
func (t *turn) isStated(f *figures.Figure) bool {
	v := math.Abs(f.Value)
	return isAmong(f, t.figures) || v != 0 && f.Kind <= figures.Money && slices.ContainsFunc(t.figures, func(g figures.Figure) bool {
		return g.Kind <= figures.Money && (figurematch.SameNumber(v, g.Value) || figurematch.SameNumber(v, g.Value*100))
	})
}

// isUnknown reports a figure that is not known, nor follows from known ones, where a result has one of its kind that the answer does
// not give.
func (t *turn) isUnknown(list []figures.Figure, i int) bool {
	f := list[i]
	if !t.doc.Work().Spend(len(t.figures)*figureWork+evidence.DerivationWork(len(t.operands))) || len(t.operands) > evidence.MaxOperands || t.doc.Prose()[f.Start] == ' ' || t.isStated(&f) {
		return false
	}
	operands, sum := slices.Clone(t.operands), 0.0
	for k, g := range slices.Backward(list) {
		isZone := g.Kind == figures.Clock && f.Kind == figures.Clock && math.Mod(g.Value-f.Value, 60) == 0
		if k == i {
			continue
		}
		if k < i && g.Kind == f.Kind && g.Unit.Dimension == f.Unit.Dimension {
			sum += g.Value
		}
		if isZone && t.isStated(&g) || math.Abs(sum-f.Value) < .005 && f.Kind <= figures.Money {
			return false
		}
		if g.Kind <= figures.Money {
			operands = append(operands, g)
		}
	}
	operands = slices.DeleteFunc(operands, func(g figures.Figure) bool { // only durations lead from one date to another
		return f.Kind == figures.Date && g.Kind <= figures.Ordinal && g.Unit.Dimension == figures.None
	})
	f.Value = math.Abs(f.Value)
	return !evidence.Derivable(&f, operands) && slices.ContainsFunc(t.figures[t.ofCalls:], func(g figures.Figure) bool {
		return (f.Kind == figures.Clock) == (g.Kind == figures.Clock) && (f.Kind == figures.Date) == (g.Kind == figures.Date) && g.Kind <= figures.Clock &&
			!slices.ContainsFunc(list, func(h figures.Figure) bool {
				return (h.Kind != figures.Date || h.Day != 0) && isAmong(&h, []figures.Figure{g})
			})
	})
}

// checkFigures calls is with the place of each figure of the answer and accuses those that it reports.
func (t *turn) checkFigures(is func(list []figures.Figure, i int) bool) {
	if list := t.doc.Texts().Answer.Figures; len(list) > 0 && len(list) < maxFigures/4 && len(t.calls) > 0 {
		t.readFigures()
		for i, f := range list {
			if len(t.figures) < maxFigures && f.Sense == figures.Exact && is(list, i) {
				t.accuseWords(int(f.Start), int(f.End), t.answer[f.Start:f.End], "")
			}
		}
	}
}

// checkValues looks for figures that say what they measure.
func checkValues(t *turn) {
	t.checkFigures(func(list []figures.Figure, i int) bool {
		f, isMeasured := &list[i], false
		switch f.Kind {
		case figures.Date:
			isMeasured = f.Day != 0 && f.Month != 0
		case figures.Count:
			isMeasured = f.Unit.Dimension == figures.None && (f.Value >= leastNumber || f.Decimals > 0) || f.Unit.Dimension >= figures.Temperature
		case figures.Percent, figures.Money, figures.Clock:
			isMeasured = true
		}
		return isMeasured && !f.Spelled && t.isUnknown(list, i)
	})
}

// checkCounts looks for numbers that count what the results list, or where they list nothing, what a result counts.
func checkCounts(t *turn) {
	t.checkFigures(func(list []figures.Figure, i int) bool {
		f := &list[i]
		if f.Kind != figures.Count || f.Unit.Dimension != figures.None || f.Value < 2 || f.Value > mostCounted || f.Decimals > 0 || !t.countsKnown(f) {
			return false
		}
		return t.longest < 2 && t.isUnknown(list, i) || t.longest >= 2 && int(f.Value) > t.longest && f.Value <= mostListed && !t.isStated(f)
	})
}

// countsKnown reports a number right before a word that says something, where the turn has the word or the one after it.
func (t *turn) countsKnown(f *figures.Figure) bool {
	tokens := t.doc.Tokens()
	for i := int(f.Last); i < min(len(tokens), int(f.Last)+2); i++ {
		w := &tokens[i]
		if t.answer[tokens[i-1].End:w.Start] != " " || w.Kind != text.Word || !t.doc.MatchMode().IsContent(w) {
			return false
		}
		stem, isCut := text.Cut(strings.ToLower(w.In(t.answer)), minID)
		if isCut && (contains(t.known, []string{stem}) || slices.ContainsFunc(t.all, func(c call) bool { return contains(c.Name, []string{stem}) })) {
			return true
		}
	}
	return false
}
