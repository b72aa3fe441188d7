package tools

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/jsonscan"
	"confab/schemas"
)

func unknownValue() Rule {
	return Rule{
		ID:     "value_unknown",
		Doc:    "an amount, percentage, time of day, date or larger number of the answer that nothing has and that does not follow from what is known, where a result has a value of its kind that the answer does not give",
		Weight: .75,
		Check:  checkValues,
		Examples: []Example{
			{User: "Am I covered?", Calls: []schemas.ToolCall{{Name: "check", Result: `{"copay": 30}`}}, Answer: "Yes, the copay is $50.", Fires: "50"},
			{User: "Am I covered?", Calls: []schemas.ToolCall{{Name: "check", Result: `{"copay": 30}`}}, Answer: "Yes, the copay is $30, so $60 for two visits."},
		},
	}
}

func tooMany() Rule {
	parcels := []schemas.ToolCall{{Name: "list_parcels", Result: `["A", "B", "C"]`}}
	return Rule{
		ID:     "count_unknown",
		Doc:    "a number of things that nothing has: more than every list of the results has, or other than what a result counts",
		Weight: .75,
		Check:  checkCounts,
		Examples: []Example{
			{Calls: parcels, Answer: "You have four parcels.", Fires: "four"},
			{Calls: parcels, Answer: "You have three parcels, two of them small. They arrive in five days."},
		},
	}
}

// values are the figures of the turn: of messages and sources, then of the calls in order.
type values struct {
	figures  []figures.Figure
	operands []figures.Figure // the different ones from which others may follow
	ofCalls  int              // the first figure of a call
	longest  int              // elements of a list, or calls of one tool
	isRead   bool
}

func (v *values) reset() { *v = values{figures: v.figures[:0], operands: v.operands[:0]} }

// Limits of figures, and tokens and figures per unit of work.
const (
	maxFigures  = 400
	figureWork  = 8
	compareWork = 2
	mostCounted = 99
	mostListed  = 20
	leastNumber = 100
)

func (t *turn) readFigures() {
	if t.isRead {
		return
	}
	t.isRead = true
	for i := range t.in.Messages {
		if t.isStatement(&t.in.Messages[i]) {
			t.readText(t.in.Messages[i].Content)
		}
	}
	for i := range t.sources() {
		t.readText(t.in.Sources[i].Text)
	}
	t.ofCalls = len(t.figures)
	made := map[string]int{}
	for i := range t.all {
		c := &t.all[i]
		c.figures, c.operands = len(t.figures), len(t.operands)
		made[c.Name]++
		t.longest = max(t.longest, made[c.Name])
		t.readLeaves(c.args)
		t.readText(c.Arguments)
		t.readLeaves(c.result)
		t.readText(c.Result)
		t.readText(c.Error)
	}
}

// readLeaves reads the numbers of JSON: as a text, "[18, 240]" may be one.
func (t *turn) readLeaves(leaves []leaf) {
	first := len(t.figures)
	for i := range leaves {
		v := &leaves[i]
		if v.kind == '[' {
			t.longest = max(t.longest, v.n)
		}
		if number, err := strconv.ParseFloat(v.text, 64); err == nil && !v.quoted && !strings.HasSuffix(v.key, "_ms") {
			t.figures = append(t.figures, figures.Figure{Value: math.Abs(number)})
		}
	}
	t.addOperands(first)
}

func (t *turn) readText(s string) {
	if len(t.figures) >= maxFigures {
		t.cut = true
		return
	}
	s = t.short(s)
	t.tokens = t.doc.Tokenizer().Append(t.tokens[:0], s)
	t.doc.Work().Spend(len(t.tokens) * figureWork)
	first := len(t.figures)
	if t.figures = figures.Append(t.figures, s, t.tokens); !jsonscan.Begins(s) {
		t.addOperands(first)
	}
}

func (t *turn) addOperands(first int) {
	for _, f := range t.figures[first:] {
		if f.Kind < figures.Label && len(t.operands) <= evidence.MaxOperands && !slices.ContainsFunc(t.operands, func(g figures.Figure) bool { return same(&f, &g) }) {
			t.operands = append(t.operands, f)
		}
	}
}

func same(f, g *figures.Figure) bool { return figurematch.Compare(f, g) >= figurematch.SameValue }

// isStated reports a figure that the list has, also as a share.
func isStated(f *figures.Figure, list []figures.Figure) bool {
	return slices.ContainsFunc(list, func(g figures.Figure) bool {
		v := math.Abs(f.Value)
		return same(f, &g) || v != 0 && f.Kind <= figures.Money && g.Kind <= figures.Money && (figurematch.SameNumber(v, g.Value) || figurematch.SameNumber(v, g.Value*100))
	})
}

// isUnknown reports a figure that is not known, nor follows from known ones.
func (t *turn) isUnknown(list []figures.Figure, i int) bool {
	f := list[i]
	if t.doc.Prose()[f.Start] == ' ' || len(t.calls) == 0 {
		return false
	}
	t.readFigures()
	t.doc.Work().Spend(len(t.figures)/compareWork + evidence.DerivationWork(len(t.operands)))
	if t.cut || len(t.operands) > evidence.MaxOperands || isStated(&f, t.figures) || isSum(list[:i], &f) || f.Kind == figures.Clock && t.isShifted(&f, list) {
		return false
	}
	operands := slices.Clone(t.operands)
	for k := range list {
		if k != i && list[k].Kind <= figures.Money {
			operands = append(operands, list[k])
		}
	}
	if f.Kind == figures.Date { // only durations lead from one date to another
		operands = slices.DeleteFunc(operands, func(g figures.Figure) bool { return g.Kind <= figures.Ordinal && g.Unit.Dimension == figures.None })
	}
	f.Value = math.Abs(f.Value)
	return !evidence.Derivable(&f, operands) && t.competes(&f, list)
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

// isShifted reports a time of day that another zone may have for a known one.
func (t *turn) isShifted(f *figures.Figure, list []figures.Figure) bool {
	isOther := func(g figures.Figure) bool {
		return g.Kind == figures.Clock && math.Mod(g.Value-f.Value, 60) == 0 && g.Value != f.Value
	}
	minutes := fmt.Sprintf(":%02d", int(f.Value)%60)
	isUniversal := func(v leaf) bool {
		return strings.HasSuffix(v.text, "Z") && strings.Contains(v.text, minutes) && v.key != "server_time"
	}
	return slices.ContainsFunc(t.all, func(c call) bool {
		return slices.ContainsFunc(c.result, isUniversal) || slices.ContainsFunc(c.args, isUniversal)
	}) ||
		slices.ContainsFunc(list, func(g figures.Figure) bool { return isOther(g) && isStated(&g, t.figures) })
}

// isSum reports the sum of the last figures of the kind before it.
func isSum(before []figures.Figure, f *figures.Figure) bool {
	sum := 0.0
	for _, g := range slices.Backward(before) {
		if g.Kind == f.Kind && g.Unit.Dimension == f.Unit.Dimension {
			if sum += g.Value; math.Abs(sum-f.Value) < .005 {
				return true
			}
		}
	}
	return false
}

// competes reports a result with a value of the kind that the answer does not give.
func (t *turn) competes(f *figures.Figure, list []figures.Figure) bool {
	return slices.ContainsFunc(t.figures[t.ofCalls:], func(g figures.Figure) bool {
		return (f.Kind == figures.Clock) == (g.Kind == figures.Clock) && (f.Kind == figures.Date) == (g.Kind == figures.Date) && g.Kind <= figures.Clock &&
			!slices.ContainsFunc(list, func(h figures.Figure) bool { return (h.Kind != figures.Date || h.Day != 0) && same(&h, &g) })
	})
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
		if t.longest < 2 && t.isUnknown(list, i) || t.longest >= 2 && len(t.calls) > 0 && int(f.Value) > t.longest && f.Value <= mostListed && !t.cut && !isStated(f, t.figures) {
			t.accuseWords(int(f.Start), int(f.End), "")
		}
	}
}

// countsKnown reports a number right before a word that says something and that the turn knows.
func (t *turn) countsKnown(f *figures.Figure) bool {
	tokens := t.doc.Tokens()
	for i := int(f.Last); i < min(len(tokens), int(f.Last)+2); i++ {
		w := &tokens[i]
		if t.answer[tokens[i-1].End:w.Start] != " " || w.Kind != text.Word || !t.doc.MatchMode().IsContent(w) {
			return false
		}
		t.folded = text.AppendLetters(append(t.folded[:0], ' '), w.In(t.answer))
		stem := t.folded[:min(len(t.folded), minID+1)]
		if len(stem) > 3 && (bytes.Contains(t.known, stem) || slices.ContainsFunc(t.all, func(c call) bool { return strings.Contains(strings.ToLower(c.Name), string(stem[1:])) })) {
			return true
		}
	}
	return false
}
