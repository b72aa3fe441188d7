package facts

import (
	"slices"
	"strconv"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

func columnTotal() Rule {
	return Rule{
		ID:     "column_total",
		Doc:    "a total of a column or field of several records that is another one",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources with records or tables",
		Type:   schemas.Factual,
		Weight: .8,
		Check:  checkColumnTotal,
		Examples: []Example{
			{Source: "| Depot | Vans | Drivers |\n|---|---|---|\n| Norrby | 14 | 22 |\n| Eastfield | 9 | 15 |\n| Quay | 11 | 17 |", Answer: "Across the three depots there are 36 vans.", Fires: "36"},
			{Source: "| Depot | Vans | Drivers |\n|---|---|---|\n| Norrby | 14 | 22 |\n| Eastfield | 9 | 15 |\n| Quay | 11 | 17 |", Answer: "Across the three depots there are 34 vans."},
		},
	}
}

//nolint:gochecknoglobals // a read-only table, not only English
var totalWords = text.HashSet("total totals together altogether combined across sum insgesamt zusammen gesamt ensemble tout total totale totalement suma juntos")

func checkColumnTotal(e *evidence, c *piece) (found []Verdict) {
	words := e.answer.of(c)
	if c.Form > units.Item || !hasAny(words, totalWords) || e.x.Records < 2 || e.x.Records > maxColumn || e.named(c) != nil {
		return nil
	}
	for i := range words {
		w := &words[i]
		if w.Figure < 0 || e.answer.figures[w.Figure].Sense != figures.Exact || e.holds(w.Figure) == stated {
			continue
		}
		if p, v, ok := e.column(words, i); ok && !isSubtotal(e.answer.figure(w), e.column1) {
			d := e.one(c, w, p, v)
			d[0].Says = strconv.FormatFloat(sumOf(e.column1), 'f', -1, 64)
			found = append(found, d...)
		}
	}
	return found
}

func hasAny(words []word, set text.WordSet) bool {
	for i := range words {
		if set.Has(words[i].Key) || set.Has(words[i].Word) {
			return true
		}
	}
	return false
}

// maxColumn is the most records whose subtotals are tried.
const maxColumn = 12

// column collects the figures of the only column that the words beside the figure name.
func (e *evidence) column(words []word, at int) (p *piece, v *word, ok bool) {
	e.column1 = e.column1[:0]
	f := e.answer.figure(&words[at])
	var name []word
	for i := range e.sources.pieces {
		r := &e.sources.pieces[i]
		if r.Form != units.Row && r.Form != units.Record {
			continue
		}
		e.fieldList = e.sources.fields(e.fieldList[:0], r)
		for k := range e.fieldList {
			d := &e.fieldList[k]
			w := d.figure()
			if w == nil || !namesField(words, at, d.head) || !areComparable(f, e.sources.figure(w)) {
				continue
			}
			if name == nil {
				name, p, v = d.head, r, w
			}
			if !slices.EqualFunc(name, d.head, func(a, b word) bool { return a.Key == b.Key }) {
				return nil, nil, false
			}
			e.column1 = append(e.column1, e.sources.figures[w.Figure].Value)
		}
	}
	return p, v, len(e.column1) >= 2 && len(e.column1) <= maxColumn
}

func sumOf(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// isSubtotal reports whether the figure is the sum of some of the values.
func isSubtotal(f *figures.Figure, list []float64) bool {
	for set := 1; set < 1<<len(list); set++ {
		sum := 0.0
		for i, v := range list {
			if set>>i&1 == 1 {
				sum += v
			}
		}
		if fits(f, sum) {
			return true
		}
	}
	return false
}
