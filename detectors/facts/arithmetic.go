package facts

import (
	"math"
	"strings"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

func arithmetic() Rule {
	return Rule{
		ID:     "arithmetic",
		Doc:    "a written-out calculation with a wrong result, such as 28 × 4 = 110",
		Needs:  "nothing",
		Type:   schemas.Logical,
		Weight: .9,
		Check:  checkArithmetic,
		Examples: []Example{
			{Answer: "That makes 28 × 4 = 110 seats.", Fires: "110"},
			{Answer: "That makes 28 × 4 = 112 seats, and 3 + 4 × 2 = 11."},
			{Answer: "On average 10 / 3 = 3.33 a day."},
		},
	}
}

// checkArithmetic reads the terms between the figures on the left of each equals sign of the claim.
func checkArithmetic(e *evidence, c *piece) (found []Verdict) {
	s, list := e.text, e.listed
	for i := 2; i < len(list); i++ {
		f := &list[i]
		if f.Start < c.Start || f.End > c.End || between(s, list, i) != '=' || !isOperand(f) {
			continue
		}
		first := firstTerm(s, list, i-1)
		if first == i-1 || list[first].Start < c.Start || isTerm(s[:list[first].Start]) || !sameUnit(f, &list[i-1]) {
			continue
		}
		if v, ok := compute(s, list[first:i]); ok && !isResult(f, v) {
			found = append(found, Verdict{Start: f.Start, End: f.End, Source: -1})
		}
	}
	return found
}

func isOperand(f *figures.Figure) bool { return f.Kind <= figures.Money }

// sameUnit reports figures that may be terms and result.
func sameUnit(f, g *figures.Figure) bool {
	return f.Unit.Factor == g.Unit.Factor || f.Unit.Factor == 0 || g.Unit.Factor == 0
}

// between is the operator before the i-th figure, 0 for none.
func between(s string, list []figures.Figure, i int) byte {
	return operator(text.Between(s, list[i-1].End, list[i].Start))
}

// firstTerm is the first of the figures up to the given one that operators join.
func firstTerm(s string, list []figures.Figure, last int) int {
	for last > 0 && isOperand(&list[last-1]) && strings.IndexByte("+-*/", between(s, list, last)) >= 0 {
		last--
	}
	return last
}

// isTerm reports that a calculation goes on to the left.
func isTerm(s string) bool {
	s = strings.TrimRight(s, " €$£")
	return s != "" && strings.ContainsAny(s[len(s)-1:], "+-*/(=×") || strings.HasSuffix(s, "×") || strings.HasSuffix(s, "÷") || strings.HasSuffix(s, "−") || strings.HasSuffix(s, "·")
}

// operator is the sign between two figures, 0 for other text.
func operator(gap string) byte {
	gap = strings.Trim(gap, " €$£\u00a0\u202f")
	switch gap {
	case "+", "*", "/", "=":
		return gap[0]
	case "×", "·", "x":
		return '*'
	case "÷":
		return '/'
	case "-", "−", "–":
		return '-'
	}
	return 0
}

// compute evaluates the terms; products come first.
func compute(s string, list []figures.Figure) (v float64, ok bool) {
	sum, product := 0.0, value(&list[0])
	for i := 1; i < len(list); i++ {
		x := value(&list[i])
		switch between(s, list, i) {
		case '*':
			product *= x
		case '/':
			product /= x
		case '+':
			sum, product = sum+product, x
		case '-':
			sum, product = sum+product, -x
		}
	}
	v = sum + product
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

func value(f *figures.Figure) float64 {
	if f.Kind == figures.Percent {
		return f.Value / 100
	}
	return f.Value
}

// resultShare is how far a result may be rounded.
const resultShare = .004

// isResult reports a value that rounds to the figure, also in percent.
func isResult(f *figures.Figure, v float64) bool {
	if f.Kind == figures.Percent && math.Abs(v) <= 1 {
		v *= 100
	}
	return f.Alternative != 0 || math.Abs(f.Value-v) <= max(.51*math.Pow10(-int(f.Decimals)), resultShare*math.Abs(v))
}
