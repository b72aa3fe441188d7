package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// checkValues looks for amounts, percentages, times and dates that nothing has.
func checkValues(t *turn) {
	list := t.doc.Texts().Answer.Figures
	for i := range list {
		f := &list[i]
		if !isValue(f) || len(t.calls) == 0 || t.doc.Prose()[f.Start] == ' ' {
			continue
		}
		t.readFigures()
		if len(t.operands) > evidence.MaxOperands || t.isStated(f) || t.isShifted(f) || isSum(list[:i], f) {
			continue
		}
		n := len(t.operands)
		for k := range list {
			if k != i && !t.isStated(&list[k]) && len(t.operands) < evidence.MaxOperands && list[k].Kind <= figures.Money {
				t.operands = append(t.operands, list[k])
			}
		}
		v := *f
		v.Value = math.Abs(v.Value)
		operands := t.operands
		if f.Kind == figures.Date { // only durations lead from one date to another
			operands = slices.DeleteFunc(slices.Clone(operands), func(g figures.Figure) bool { return g.Kind <= figures.Ordinal && g.Unit.Dimension == figures.None })
		}
		derived := evidence.Derivable(&v, operands)
		t.operands = t.operands[:n]
		if !derived && t.competes(f) {
			t.accuseWords(int(f.Start), int(f.End), "")
		}
	}
}

// isValue reports a figure that says what it measures.
func isValue(f *figures.Figure) bool {
	if f.Spelled || f.Sense != figures.Exact {
		return false
	}
	switch f.Kind {
	case figures.Percent, figures.Money, figures.Clock:
		return true
	case figures.Date:
		return f.Day != 0 && f.Month != 0
	case figures.Count:
		return f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar && (f.Unit.Dimension != figures.None || f.Value >= 100 || f.Decimals > 0)
	}
	return false
}

// addOperands gathers the different figures from which others may follow.
func (t *turn) addOperands(list []figures.Figure) {
	for _, f := range list {
		if f.Kind != figures.Label && f.Kind != figures.Code && len(t.operands) <= evidence.MaxOperands &&
			!slices.ContainsFunc(t.operands, func(g figures.Figure) bool { return figurematch.Compare(&f, &g) >= figurematch.SameValue }) {
			t.operands = append(t.operands, f)
		}
	}
}

// isShifted reports a time of day that another zone may have for a known one.
func (t *turn) isShifted(f *figures.Figure) bool {
	if f.Kind != figures.Clock {
		return false
	}
	same := func(g figures.Figure) bool {
		return g.Kind == figures.Clock && math.Mod(g.Value-f.Value, 60) == 0 && g.Value != f.Value
	}
	if !slices.ContainsFunc(t.figures, same) {
		return false
	}
	minutes, universal := fmt.Sprintf(":%02d", int(f.Value)%60), false
	for i := range t.in.Calls {
		for _, s := range [...]string{t.in.Calls[i].Result, t.in.Calls[i].Arguments} {
			eachLeaf(s, func(v *leaf) bool {
				universal = universal || v.quoted && strings.HasSuffix(v.text, "Z") && strings.Contains(v.text, minutes) && v.key != "server_time"
				return !universal
			})
		}
	}
	if universal {
		return true
	}
	return slices.ContainsFunc(t.doc.Texts().Answer.Figures, func(g figures.Figure) bool { return same(g) && t.isStated(&g) })
}

// isSum reports the sum of the last figures of the kind before it.
func isSum(before []figures.Figure, f *figures.Figure) bool {
	sum := 0.0
	for i := len(before) - 1; i >= 0; i-- {
		if g := &before[i]; g.Kind == f.Kind && g.Unit.Dimension == f.Unit.Dimension {
			if sum += g.Value; math.Abs(sum-f.Value) < .005 {
				return true
			}
		}
	}
	return false
}

// competes reports a result with a value of the kind that the answer does not state.
func (t *turn) competes(f *figures.Figure) bool {
	list := t.doc.Texts().Answer.Figures
	return slices.ContainsFunc(t.figures[:t.ofCalls], func(g figures.Figure) bool {
		if (f.Kind == figures.Clock) != (g.Kind == figures.Clock) || (f.Kind == figures.Date) != (g.Kind == figures.Date) || g.Kind > figures.Clock {
			return false
		}
		return !slices.ContainsFunc(list, func(h figures.Figure) bool {
			return (h.Kind != figures.Date || h.Day != 0) && figurematch.Compare(&h, &g) >= figurematch.SameValue
		})
	})
}
