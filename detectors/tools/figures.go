package tools

import (
	"math"
	"strconv"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/jsonscan"
	"confab/schemas"
)

func otherFigure() Rule {
	return Rule{
		ID:     "figure_turned",
		Doc:    "a number of three digits or more, or a time of day, that nothing has, and that is one of the results with two digits exchanged",
		Weight: .9,
		Check:  checkFigures,
		Examples: []Example{
			{Calls: []schemas.ToolCall{{Name: "delete_rows", Result: `{"deleted": 418}`}}, Answer: "All 481 rows are gone.", Fires: "481"},
			{Calls: []schemas.ToolCall{{Name: "delete_rows", Result: `{"deleted": 418}`}}, Answer: "All 418 rows are gone."},
		},
	}
}

func tooMany() Rule {
	return Rule{
		ID:     "count_above",
		Doc:    "a number of things, up to twenty, that is above the length of every list of the results, and that nothing has",
		Weight: .75,
		Check:  checkCounts,
		Examples: []Example{
			{Calls: []schemas.ToolCall{{Name: "list_parcels", Result: `["A", "B", "C"]`}}, Answer: "You have four parcels.", Fires: "four"},
			{Calls: []schemas.ToolCall{{Name: "list_parcels", Result: `["A", "B", "C"]`}}, Answer: "You have three parcels, two of them small. They arrive in five days."},
		},
	}
}

// readFigures reads the figures of arguments, results and messages, the latest first.
func (t *turn) readFigures() {
	if t.read2 {
		return
	}
	t.read2 = true
	for i := len(t.in.Calls) - 1; i >= 0; i-- {
		c := &t.in.Calls[i]
		for _, s := range [...]string{c.Result, c.Arguments, c.Error} {
			t.readNumbers(s)
			t.readText(s, !jsonscan.Begins(s))
		}
	}
	t.ofCalls = len(t.figures)
	for i := range t.calls {
		same := 0
		for k := range t.calls[:i+1] {
			if t.calls[k].Name == t.calls[i].Name {
				same++
			}
		}
		t.lists = max(t.lists, same)
	}
	for i := len(t.in.Messages) - 1; i >= 0; i-- {
		s := t.in.Messages[i].Content
		t.readText(s, !jsonscan.Begins(s))
	}
}

// readNumbers reads the numbers and lists of JSON; as a text, "[18, 240]" may be one number.
func (t *turn) readNumbers(s string) {
	from := len(t.figures)
	eachLeaf(s, func(v *leaf) bool {
		if v.list && !v.object {
			t.lists = max(t.lists, v.n)
		} else if strings.HasSuffix(v.key, "_ms") {
			return true
		} else if number, err := strconv.ParseFloat(v.text, 64); err == nil && !v.quoted && len(t.figures) < maxFigures {
			t.figures = append(t.figures, figures.Figure{Value: math.Abs(number)})
		}
		return true
	})
	t.addOperands(t.figures[from:])
}

// readText reads the figures of a text, which others may follow from if it is no record.
func (t *turn) readText(s string, operands bool) {
	if len(t.figures) >= maxFigures || !t.doc.Work().Spend(len(s)/foldBytes) {
		return
	}
	s, _ = text.Cut(s, maxText)
	t.tokens = t.doc.Tokenizer().Append(t.tokens[:0], s)
	t.doc.Work().Spend(len(t.tokens) * figureWork)
	from := len(t.figures)
	if t.figures = figures.Append(t.figures, s, t.tokens); operands {
		t.addOperands(t.figures[from:])
	}
}

// isStated reports a figure that a text has, also as a share of one.
func (t *turn) isStated(f *figures.Figure) bool {
	t.doc.Work().Spend(len(t.figures) / compareWork)
	for i := range t.figures {
		g := &t.figures[i]
		if figurematch.Compare(f, g) >= figurematch.SameValue || f.Value != 0 && g.Value != 0 && f.Kind <= figures.Money && g.Kind <= figures.Money &&
			(figurematch.SameNumber(f.Value, g.Value) || figurematch.SameNumber(f.Value, -g.Value) || figurematch.SameNumber(f.Value, g.Value*100)) {
			return true
		}
	}
	return false
}

func checkFigures(t *turn) {
	list := t.doc.Texts().Answer.Figures
	for i := range list {
		f := &list[i]
		var buf, other [32]byte
		digits := digitsOfFigure(buf[:0], f)
		if len(digits) < 3 || t.doc.Prose()[f.Start] == ' ' {
			continue
		}
		if t.readFigures(); t.isStated(f) || len(t.figures) >= maxFigures {
			continue
		}
		for k := range t.figures {
			if g := &t.figures[k]; (f.Kind == figures.Clock) == (g.Kind == figures.Clock) && isTurned(digits, digitsOfFigure(other[:0], g)) {
				t.accuseWords(int(f.Start), int(f.End), string(digitsOfFigure(other[:0], g)))
				break
			}
		}
	}
}

// digitsOfFigure are the digits of a number or a time of day.
func digitsOfFigure(dst []byte, f *figures.Figure) []byte {
	switch {
	case f.Kind == figures.Clock:
		n := int64(f.Value)
		return strconv.AppendInt(dst, 1_00_00+n/60*100+n%60, 10)
	case f.Kind > figures.Money:
		return dst
	}
	var buf [32]byte
	number := strings.TrimPrefix(string(strconv.AppendFloat(buf[:0], f.Value, 'f', -1, 64)), "-")
	for i := range len(number) {
		if number[i] != '.' && len(dst) < cap(dst) {
			dst = append(dst, number[i])
		}
	}
	return dst
}

// isTurned reports digits that differ in the order of two that stand together.
func isTurned(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && string(a[i+2:]) == string(b[i+2:])
}

const (
	mostCounted = 99
	mostListed  = 20
)

// checkCounts looks for numbers that count what the results list, or where they list nothing, what a result counts.
func checkCounts(t *turn) {
	list := t.doc.Texts().Answer.Figures
	for i := range list {
		f := &list[i]
		if f.Kind != figures.Count || f.Unit.Dimension != figures.None || f.Sense != figures.Exact || f.Value < 2 || f.Value > mostCounted || f.Decimals > 0 || !t.countsContent(f) {
			continue
		}
		if t.readFigures(); t.isStated(f) || len(t.operands) > evidence.MaxOperands {
			continue
		}
		if t.lists < 2 && !evidence.Derivable(f, t.operands) && t.competes(f) || t.lists >= 2 && int(f.Value) > t.lists && f.Value <= mostListed {
			t.accuseWords(int(f.Start), int(f.End), "")
		}
	}
}

// countsContent reports a number before a word that says something.
func (t *turn) countsContent(f *figures.Figure) bool {
	tokens := t.doc.Tokens()
	return int(f.Last) < len(tokens) && t.answer[f.End:tokens[f.Last].Start] == " " && tokens[f.Last].Kind == text.Word && t.doc.MatchMode().IsContent(&tokens[f.Last])
}
