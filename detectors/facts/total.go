package facts

import (
	"slices"
	"strconv"
	"strings"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

func wrongTotal() Rule {
	return Rule{
		ID:     "total",
		Doc:    "a total that is not the sum of the amounts listed above it, nor follows from it in one step",
		Langs:  "English, German, French, Spanish, Italian",
		Needs:  "nothing",
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkTotal,
		Examples: []Example{
			{Answer: "- Ticket: €118.40\n- Hotel: 3 × €94.00 = €282.00\n- Tax: €9.39\n\n**Total: €419.79**", Fires: "419.79"},
			{Answer: "- Ana: 17.75 h\n- Bo: 15.75 h\n- Cy: 14.75 h\n\nTogether that makes 46.25 hours.", Fires: "46.25 hours"},
			{Answer: "- Ticket: €118.40\n- Hotel: 3 × €94.00 = €282.00\n- Tax: €9.39\n\n**Total: €409.79**"},
			{Answer: "- Ticket: €118.40\n- Hotel: €282.00\n- Voucher: €50.00\n\nTotal: €350.40"},
			{Answer: "- Ticket: €118.40\n- Hotel: €282.00\n\nTotal with 19 % VAT: €476.48"},
			{Source: "Ticket 118.40 EUR, hotel 282.00 EUR, tax 9.39 EUR.", Answer: "- Ticket: €118.40\n- Hotel: €282.00\n\nIn total, with the tax: €409.79"},
		},
	}
}

//nolint:gochecknoglobals // a read-only table, not only English
var totalWords = text.HashSet("total totals together altogether sum gesamt insgesamt zusammen summe gesamtsumme gesamtkosten somme totale suma juntos somma totaal samen")

// maxAddends is the longest list that is added up.
const maxAddends = 7

// checkTotal reads the list right above a statement that names a total.
func checkTotal(e *evidence, c *piece) []Verdict {
	w := e.totalOf(c)
	if w == nil {
		return nil
	}
	f := e.answer.figure(w)
	list, ok := e.addends(c, f)
	if !ok || addsUp(f, list) || isAmong(f, e.x.Evidence.Figures) {
		return nil
	}
	sum := figures.Figure{Kind: f.Kind, Unit: f.Unit, Decimals: 9}
	for _, v := range list {
		sum.Value += v
	}
	if e.follows(c, f, sum) {
		return nil
	}
	return []Verdict{{Start: w.Start, End: w.End, Source: -1, Says: strconv.FormatFloat(sum.Value, 'f', int(f.Decimals), 64)}}
}

// totalOf is the amount behind a word for a total in a statement, nil for none.
func (e *evidence) totalOf(c *piece) *word {
	words := e.answer.of(c)
	at := slices.IndexFunc(words, func(w word) bool { return w.Figure < 0 && totalWords.Has(w.Word) })
	if at < 0 || c.Form > units.Item {
		return nil
	}
	w, ok := e.amount(words, isAmount)
	if !ok || w == nil || w.Start < words[at].Start {
		return nil
	}
	return w
}

// amount is the only amount among the words, or the result of their equation: "3 × €94 = €282"; ok is false for several.
func (e *evidence) amount(words []word, is func(*figures.Figure) bool) (w *word, ok bool) {
	for i := range words {
		x := &words[i]
		if x.Figure < 0 || !is(e.answer.figure(x)) {
			continue
		}
		if w != nil && !strings.Contains(text.Between(e.text, w.End, x.Start), "=") {
			return nil, false
		}
		w = x
	}
	return w, true
}

// isAmount reports money or a number with a unit, exact.
func isAmount(f *figures.Figure) bool {
	return !f.Spelled && f.Sense == figures.Exact && (f.Kind == figures.Money || f.Kind == figures.Count && f.Unit.Dimension != figures.None)
}

// addends are the amounts of the items above the statement, in the unit of f; ok is false where it is not plain which they are.
func (e *evidence) addends(c *piece, f *figures.Figure) (list []float64, ok bool) {
	at := 0
	for at < len(e.answer.pieces) && e.answer.pieces[at].Terms.First != c.Terms.First {
		at++
	}
	isOfUnit := func(g *figures.Figure) bool { return f.Kind == g.Kind && f.Unit.Dimension == g.Unit.Dimension }
	for at--; at >= 0 && e.answer.pieces[at].Form == units.Item; at-- {
		w, ok := e.amount(e.answer.of(&e.answer.pieces[at]), isOfUnit)
		switch {
		case !ok:
			return nil, false
		case w == nil:
			continue
		}
		g := e.answer.figure(w)
		if !isAmount(g) {
			return nil, false
		}
		list = append(list, g.Value*g.Unit.Factor/f.Unit.Factor)
	}
	return list, len(list) >= 2 && len(list) <= maxAddends
}

// addsUp reports whether the figure is a sum of some of the amounts, of which each may be taken off.
func addsUp(f *figures.Figure, list []float64) bool {
	if len(list) == 0 {
		return false
	}
	var is func(sum float64, rest []float64) bool
	is = func(sum float64, rest []float64) bool {
		if len(rest) == 0 {
			return fits(f, sum)
		}
		return is(sum+rest[0], rest[1:]) || is(sum, rest[1:]) || is(sum-rest[0], rest[1:])
	}
	return is(0, list)
}

// follows reports a figure that follows from the sum and another figure of the statement, the user or the sources.
func (e *evidence) follows(c *piece, f *figures.Figure, sum figures.Figure) bool {
	is := func(g *figures.Figure) bool { return index.Derivable(f, []figures.Figure{sum, *g}) }
	e.doc.Work().Spend(len(e.answer.figures) + len(e.x.Evidence.Figures))
	for i := range e.answer.figures {
		if g := &e.answer.figures[i]; g.Start >= c.Start && g.End <= c.End && g.Start != f.Start && is(&g.Figure) {
			return true
		}
	}
	for i := range e.x.Evidence.Figures {
		if is(&e.x.Evidence.Figures[i].Figure) {
			return true
		}
	}
	return index.Derivable(f, []figures.Figure{sum})
}
