package facts

import (
	"confab/internal/text/figures"
	"confab/schemas"
)

func soleFigure() Rule {
	return Rule{
		ID:     "figure_sole",
		Doc:    "an amount with a unit that no source has, where the sources have exactly one other amount with that unit",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Factual,
		Weight: .8,
		Check:  checkSoleFigure,
		Examples: []Example{
			{Source: "Items can be returned within 20 days after delivery.", Answer: "Sie können Artikel innerhalb von 30 Tagen nach der Lieferung zurückgeben.", Fires: "30 Tagen"},
			{Source: "The three of them paid 48 euros for tickets.", Answer: "Tickets came to 16 euros per person."},
		},
	}
}

func checkSoleFigure(e *evidence, c *piece) (found []Verdict) {
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.figure < 0 || w.head || !isMeasured(&e.answer.figures[w.figure]) || e.holds(w.figure) != absent {
			continue
		}
		f := &e.answer.figures[w.figure]
		if p, k, ok := e.only(f); ok && !e.usesAlso(c, &e.sources.figures[k.figure]) {
			found = append(found, e.one(c, w, p, k)...)
		}
	}
	return found
}

// isMeasured reports a figure that says what it measures: money, percent, a unit, a whole date, a time.
func isMeasured(f *figures.Figure) bool {
	switch f.Kind {
	case figures.Count:
		return f.Unit.Dimension != figures.None && !f.Spelled
	case figures.Date:
		return f.Day != 0
	case figures.Percent, figures.Money, figures.Clock:
		return !f.Spelled
	default:
		return false
	}
}

// only is the single figure of the form of f in all sources.
func (e *evidence) only(f *figures.Figure) (p *piece, w *word, ok bool) {
	for i := range e.sources.pieces {
		list := e.sources.of(&e.sources.pieces[i])
		for k := range list {
			if list[k].figure < 0 || !sameForm(f, &e.sources.figures[list[k].figure]) {
				continue
			}
			if w != nil {
				return nil, nil, false
			}
			p, w = &e.sources.pieces[i], &list[k]
		}
	}
	return p, w, w != nil
}
