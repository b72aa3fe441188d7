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
			{Answer: "- School: 18 crates\n- Mill: 31 crates\n- Stall 9: 15 crates\n\nTotal: 74 crates", Fires: "74"},
			{Answer: "- Ticket: €118.40\n- Hotel: 3 × €94.00 = €282.00\n- Tax: €9.39\n\n**Total: €409.79**"},
			{Answer: "- Tiles: $4.50 sqft x 48 sqft = $216\n- Grout: $30 sqft x 48 sqft = $144\n\nTotal material cost: $360"},
			{Answer: "1. Ward 1 – 28 beds\n2. Ward 2 – 32 beds\n3. Ward 4 – 16 beds\n\nThat makes 76 beds."},
			{Answer: "- Adults: €13\n- Students: €10\n\nTogether that is €72 for 4 adults and 2 students."},
			{Answer: "- Ticket: €118.40\n- Hotel: €282.00\n- Voucher: €50.00\n\nTotal: €350.40"},
			{Answer: "- Ticket: €118.40\n- Hotel: €282.00\n\nTotal with 19 % VAT: €476.48"},
			{Source: "Ticket 118.40 EUR, hotel 282.00 EUR, tax 9.39 EUR.", Answer: "- Ticket: €118.40\n- Hotel: €282.00\n\nIn total, with the tax: €409.79"},
		},
	}
}

//nolint:gochecknoglobals // read-only tables, not only English
var (
	costWords  = text.HashSet("cost costs price amount weight kosten betrag preis prix montant cout coste precio importe costo prezzo importo")
	totalWords = text.HashSet("total totals together altogether sum makes gesamt insgesamt zusammen summe gesamtsumme gesamtkosten macht somme totale suma juntos somma totaal samen")
)

// maxAddends is the longest list that is added up.
const maxAddends = 7

// checkTotal reads the list right above a statement that names a total.
func checkTotal(e *evidence, c *piece) []Verdict {
	w := e.totalOf(c)
	if w == nil {
		return nil
	}
	f := e.answer.figure(w)
	list := e.addends(c, w)
	if list == nil || !e.isPlain(c, w) || addsUp(f, list) || fits(f, float64(len(list))) || isAmong(f, e.x.Evidence.Figures) || e.follows(f, total(list)) {
		return nil
	}
	return []Verdict{{Start: w.Start, End: w.End, Source: -1, Says: strconv.FormatFloat(total(list), 'f', int(f.Decimals), 64)}}
}

// totalOf is the first amount behind a word for a total in a statement, nil for none.
func (e *evidence) totalOf(c *piece) *word {
	words := e.answer.of(c)
	at := slices.IndexFunc(words, func(w word) bool { return w.Figure < 0 && totalWords.Has(w.Word) })
	if at < 0 || c.Form > units.Item {
		return nil
	}
	for i := at; i < len(words); i++ {
		if w := &words[i]; w.Figure >= 0 {
			if isAmount(e.answer.figure(w)) {
				return w
			}
			return nil
		}
	}
	return nil
}

// isAmount reports money or a number, exact and in digits.
func isAmount(f *figures.Figure) bool {
	return !f.Spelled && f.Sense == figures.Exact && (f.Kind == figures.Money || f.Kind == figures.Count)
}

// addends are the amounts of the items above the statement, in the unit of the total w; nil where it is not plain which they are.
func (e *evidence) addends(c *piece, w *word) (list []float64) {
	f := e.answer.figure(w)
	above := e.itemsAbove(c)
	for i := range above {
		x, ok := e.addend(&above[i], f)
		switch {
		case !ok || len(list) == maxAddends:
			return nil
		case x == nil:
			continue
		}
		g, scale := e.answer.figure(x), 1.0
		if f.Unit.Factor > 0 {
			scale = g.Unit.Factor / f.Unit.Factor
		}
		list = append(list, g.Value*scale)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// itemsAbove are the items right above a statement.
func (e *evidence) itemsAbove(c *piece) []piece {
	end := max(0, slices.IndexFunc(e.answer.pieces, func(p piece) bool { return p.Terms.First == c.Terms.First }))
	start := end
	for start > 0 && e.answer.pieces[start-1].Form == units.Item {
		start--
	}
	e.doc.Work().Spend(end / 4)
	return e.answer.pieces[start:end]
}

// isPlain reports a statement of nothing but the total w, below items of nothing but amounts: it is the sum of these alone, and they are no
// prices of several things, fees for a period, or discounts in percent.
func (e *evidence) isPlain(c *piece, w *word) bool {
	f, nouns := e.answer.figure(w), 0
	for _, x := range e.answer.of(c) {
		switch {
		case x.Figure == w.Figure, !content(&x), totalWords.Has(x.Word), costWords.Has(x.Word):
		case x.Figure >= 0, x.Start < w.Start, !f.Counts, nouns > 0:
			return false
		default: // "74 crates"
			nouns++
		}
	}
	return !slices.ContainsFunc(e.itemsAbove(c), func(p piece) bool { return !e.isPlainItem(&p, f) })
}

// isPlainItem reports an item without a figure, or with a single amount or an equation.
func (e *evidence) isPlainItem(p *piece, f *figures.Figure) bool {
	words, n := e.answer.of(p), 0
	for i := range words {
		if w := &words[i]; w.Figure >= 0 && (f.Unit.Dimension != figures.None || e.answer.figure(w).Kind != figures.Count) { // "stall 9: 15 crates"
			n++
		}
	}
	x, _ := e.addend(p, f)
	isEquation := n > 1 && strings.Contains(e.text[words[0].Start:words[len(words)-1].End], "=")
	return !hasAny(words, comparisonWords) && (n == 0 || x != nil && (n == 1 || isEquation))
}

// isTotal reports a figure that is the sum of the items above it.
func (e *evidence) isTotal(i int32) bool {
	g := &e.answer.figures[i]
	list := e.addends(&e.answer.pieces[g.Unit], &e.answer.words[g.Term])
	return list != nil && fits(&g.Figure, total(list))
}

// addend is the only amount of an item in the unit of f, or the result of their equation, nil for none: "3 × €94 = €282". A number
// that counts something goes before others: "stall 9: 15 crates". It is not ok if there are several.
func (e *evidence) addend(p *piece, f *figures.Figure) (w *word, ok bool) {
	words := e.answer.of(p)
	var last *figures.Figure
	for i := range words {
		if words[i].Figure < 0 {
			continue
		}
		g := e.answer.figure(&words[i])
		isResult := w != nil && strings.Contains(text.Between(e.text, w.End, words[i].Start), "=")
		switch {
		case g.Kind != f.Kind, g.Unit.Dimension != f.Unit.Dimension, w != nil && !isResult && last.Counts && !g.Counts:
			continue
		case !isAmount(g), w != nil && !isResult && last.Counts == g.Counts:
			return nil, false
		}
		w, last = &words[i], g
	}
	return w, true
}

func total(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// addsUp reports whether the figure is a sum of some of the amounts, of which each may be taken off.
func addsUp(f *figures.Figure, list []float64) bool {
	var is func(sum float64, rest []float64) bool
	is = func(sum float64, rest []float64) bool {
		if len(rest) == 0 {
			return fits(f, sum)
		}
		return is(sum+rest[0], rest[1:]) || is(sum, rest[1:]) || is(sum-rest[0], rest[1:])
	}
	return is(0, list)
}

// follows reports a figure that follows from the sum and another amount or percentage of the user or the sources, or an amount where the
// user has a number of things: the list may have prices of each.
func (e *evidence) follows(f *figures.Figure, sum float64) bool {
	from := figures.Figure{Value: sum, Kind: f.Kind, Unit: f.Unit, Decimals: 9}
	is := func(g index.Figure) bool {
		return (g.Figure.Unit.Dimension == f.Unit.Dimension || g.Kind == figures.Percent) && index.Derivable(f, []figures.Figure{from, g.Figure})
	}
	counts := func(g index.Figure) bool {
		return f.Unit.Dimension != figures.None && g.Kind == figures.Count && g.Figure.Unit.Dimension == figures.None
	}
	e.doc.Work().Spend(len(e.x.Evidence.Figures))
	return index.Derivable(f, []figures.Figure{from}) || slices.ContainsFunc(e.x.Evidence.Figures, is) || slices.ContainsFunc(e.user.figures, counts)
}
