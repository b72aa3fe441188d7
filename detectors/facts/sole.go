package facts

import (
	"slices"

	index "confab/internal/evidence"
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
			{Source: "La conférence a lieu de 14 h à 15 h 30. La salle ouvre quinze minutes avant.", Answer: "À Montréal il est six heures plus tôt : la conférence va de 8 h à 9 h 30, la salle ouvre à 7 h 45."},
			{Source: "Express delivery takes 1-2 business days and costs $12.50.", Answer: "Express delivery costs $15.50 and arrives in 1-2 business days.", Fires: "15.50"},
			{Source: "In millions of euros: revenue 2025 4,812, revenue 2024 4,375. The dividend is 1.85 euros.", Answer: "Revenue grew by 437 million euros."},
			{Source: "The three of them paid 48 euros for tickets.", Answer: "Tickets came to 16 euros per person."},
		},
	}
}

func checkSoleFigure(e *evidence, c *piece) (found []Verdict) {
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.Figure < 0 || w.Has(index.Head) || !isMeasured(e.answer.figure(w)) || e.holds(w.Figure) != absent {
			continue
		}
		f := e.answer.figure(w)
		if p, k, ok := e.only(f); ok && !e.usesAlso(c, e.sources.figure(k)) && !e.isKept(w, k) && !e.isTold(c, p, w, k) {
			found = append(found, e.one(c, w, p, k)...)
		}
	}
	if len(found) > 0 && e.userAdds() {
		return nil
	}
	return found
}

// userAdds reports that the user has a figure that no source has.
func (e *evidence) userAdds() bool {
	if e.adds == unknown {
		e.adds = absent
		if !e.doc.Work().Spend(len(e.user.figures)*len(e.sources.figures)) || slices.ContainsFunc(e.user.figures, func(f index.Figure) bool { return !isAmong(&f.Figure, e.sources.figures) }) {
			e.adds = stated
		}
	}
	return e.adds == stated
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
			if list[k].Figure < 0 || !sameForm(f, e.sources.figure(&list[k])) {
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
