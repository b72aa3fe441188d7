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

const (
	maxFigures  = 400
	figureWork  = 8 // of one figure that is compared with others
	mostCounted = 99
	mostListed  = 20
	leastNumber = 100
)

// readFigures reads the figures of all texts once.
func (t *turn) readFigures() {
	if t.longest > 0 {
		return
	}
	t.longest = 1
	t.eachText(func(s string) { t.readText(s, true) })
	t.ofCalls = len(t.figures)
	made := map[string]int{}
	for i := range t.all {
		c := &t.all[i]
		made[c.Name]++
		t.longest = max(t.longest, made[c.Name])
		for _, v := range slices.Concat(c.args, c.result) {
			if v.kind == '[' {
				t.longest = max(t.longest, v.n)
			}
			if number, err := strconv.ParseFloat(v.text, 64); err == nil && !v.quoted && !strings.HasSuffix(v.key, "_ms") {
				t.add(figures.Figure{Value: math.Abs(number)}, true)
			}
		}
		for _, s := range []string{c.Arguments, c.Result, c.Error} {
			t.readText(s, len(c.result) == 0)
		}
	}
}

func (t *turn) readText(s string, operands bool) {
	for _, f := range figures.Append(nil, s, t.tokens(s)) {
		t.add(f, operands)
	}
}

// add makes a figure known; others may follow from operands.
func (t *turn) add(f figures.Figure, operand bool) {
	t.figures = append(t.figures, f)
	if operand && f.Kind < figures.Label && len(t.operands) <= evidence.MaxOperands && !slices.ContainsFunc(t.operands, func(g figures.Figure) bool { return isSame(&f, &g) }) {
		t.operands = append(t.operands, f)
	}
}

func isSame(f, g *figures.Figure) bool { return figurematch.Compare(f, g) >= figurematch.SameValue }

// isStated reports a figure that a text has, also as a share.
func (t *turn) isStated(f *figures.Figure) bool {
	return slices.ContainsFunc(t.figures, func(g figures.Figure) bool {
		v := math.Abs(f.Value)
		return isSame(f, &g) || v != 0 && f.Kind <= figures.Money && g.Kind <= figures.Money && (figurematch.SameNumber(v, g.Value) || figurematch.SameNumber(v, g.Value*100))
	})
}

// isUnknown reports a figure that is not known, nor follows from known ones.
func (t *turn) isUnknown(list []figures.Figure, i int) bool {
	f := list[i]
	t.readFigures()
	t.doc.Work().Spend(len(t.figures)*figureWork + evidence.DerivationWork(len(t.operands)))
	if len(t.figures) > maxFigures || len(t.calls) == 0 || t.doc.Prose()[f.Start] == ' ' || len(t.operands) > evidence.MaxOperands || t.isStated(&f) {
		return false
	}
	operands, sum := slices.Clone(t.operands), 0.0
	for k, g := range slices.Backward(list) {
		switch isShift := math.Mod(g.Value-f.Value, 60) == 0; {
		case k == i:
		case f.Kind == figures.Clock && g.Kind == figures.Clock && isShift && t.isStated(&g): // the time in another zone
			return false
		case k < i && g.Kind == f.Kind && g.Unit.Dimension == f.Unit.Dimension && g.Kind <= figures.Money:
			if sum += g.Value; math.Abs(sum-f.Value) < .005 {
				return false
			}
			fallthrough
		case g.Kind <= figures.Money:
			operands = append(operands, g)
		}
	}
	if f.Kind == figures.Date { // only durations lead from one date to another
		operands = slices.DeleteFunc(operands, func(g figures.Figure) bool { return g.Kind <= figures.Ordinal && g.Unit.Dimension == figures.None })
	}
	f.Value = math.Abs(f.Value)
	return !evidence.Derivable(&f, operands) && t.competes(&f, list)
}

// competes reports a result with a value of the kind that the answer does not give.
func (t *turn) competes(f *figures.Figure, list []figures.Figure) bool {
	return slices.ContainsFunc(t.figures[t.ofCalls:], func(g figures.Figure) bool {
		return (f.Kind == figures.Clock) == (g.Kind == figures.Clock) && (f.Kind == figures.Date) == (g.Kind == figures.Date) && g.Kind <= figures.Clock &&
			!slices.ContainsFunc(list, func(h figures.Figure) bool { return (h.Kind != figures.Date || h.Day != 0) && isSame(&h, &g) })
	})
}

func checkValues(t *turn) {
	list := t.doc.Texts().Answer.Figures
	for i := range list {
		if f := &list[i]; isValue(f) && t.isUnknown(list, i) {
			t.accuseWords(int(f.Start), int(f.End), "")
		}
	}
}

// isValue reports a figure that says what it measures.
func isValue(f *figures.Figure) bool {
	switch {
	case f.Spelled || f.Sense != figures.Exact:
		return false
	case f.Kind == figures.Date:
		return f.Day != 0 && f.Month != 0
	case f.Kind == figures.Count && f.Unit.Dimension == figures.None:
		return f.Value >= leastNumber || f.Decimals > 0
	}
	return f.Kind <= figures.Clock && f.Kind != figures.Ordinal && f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar
}

// checkCounts looks for numbers that count what the results list, or where they list nothing, what a result counts.
func checkCounts(t *turn) {
	list := t.doc.Texts().Answer.Figures
	for i := range list {
		f := &list[i]
		if f.Kind != figures.Count || f.Unit.Dimension != figures.None || f.Sense != figures.Exact || f.Value < 2 || f.Value > mostCounted || f.Decimals > 0 || !t.countsKnown(f) {
			continue
		}
		t.readFigures()
		if t.longest < 2 && t.isUnknown(list, i) || t.longest >= 2 && len(t.calls) > 0 && int(f.Value) > t.longest && f.Value <= mostListed && !t.isStated(f) {
			t.accuseWords(int(f.Start), int(f.End), "")
		}
	}
}

// countsKnown reports a number right before a word that says something, where the turn has the word or the one after it.
func (t *turn) countsKnown(f *figures.Figure) bool {
	tokens := t.doc.Tokens()
	for i := int(f.Last); i < min(len(tokens), int(f.Last)+2); i++ {
		w := &tokens[i]
		stem, _ := text.Cut(strings.ToLower(w.In(t.answer)), minID)
		if t.answer[tokens[i-1].End:w.Start] != " " || w.Kind != text.Word || !t.doc.MatchMode().IsContent(w) {
			return false
		}
		if len(stem) >= minID && (strings.Contains(strings.ToLower(t.known), stem) || slices.ContainsFunc(t.all, func(c call) bool { return strings.Contains(strings.ToLower(c.Name), stem) })) {
			return true
		}
	}
	return false
}
