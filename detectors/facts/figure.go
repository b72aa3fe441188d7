package facts

import (
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/schemas"
)

func changedFigure() Rule {
	return Rule{
		ID:     "figure_changed",
		Doc:    "a figure, date or time that no source and no turn of the user has and that follows from none, in a sentence of a source that has another one in its place",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkChangedFigure,
		Examples: []Example{
			{Source: "At the end of the year the scheme had 16.181 registered riders.", Answer: "The scheme had 61,181 registered riders at the end of 2025.", Fires: "61,181"},
			{Source: "The Dunmore ferry leaves at 08:15 and 17:40.", Answer: "The Dunmore ferry leaves at 9:30 am and 5:40 pm.", Fires: "9:30 am"},
			{Source: "Riders made 1.204.500 trips in 2025.", Answer: "Riders made about 1.2 million trips in 2025."},
			{Source: "Each of the 28 rows of the hall has 4 seats.", Answer: "The rows of the hall have 112 seats."},
		},
	}
}

// checkChangedFigure holds each unsupported figure of the claim against the figure at its place in the nearest units.
func checkChangedFigure(e *evidence, c *piece) (found []Verdict) {
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.figure < 0 || w.head || e.holds(w.figure) != absent {
			continue
		}
		for _, cand := range e.candidates(c) {
			p := &e.sources.pieces[cand.piece]
			e.grid.align(e.doc.Work(), words, e.sources.of(p), e.sameKind)
			k := e.grid.to[i]
			if k < 0 || e.usesAlso(c, &e.sources.figures[e.sources.of(p)[k].figure]) {
				continue
			}
			if e.isPlace(c, p, int32(i), k, cand.cover) {
				found = append(found, e.one(c, w, p, &e.sources.of(p)[k])...)
				break
			}
		}
	}
	return found
}

// isPlace reports whether the words around a figure of the claim and one of the unit show that both are of the same thing.
func (e *evidence) isPlace(c, p *piece, i, k int32, cover float64) bool {
	f := &e.answer.figures[e.answer.of(c)[i].figure]
	near := e.around(c, i, k)
	alone := e.rivals(p, f) == 1
	half := 2*near.matched >= near.all
	switch {
	case near.matched < 1:
		return false
	case isCounted(f): // what is counted need not be stated
		return alone && half && near.beside >= 1 && near.matched >= 3
	case half && near.beside >= 3 && cover >= .3:
		return true
	case !alone:
		return false
	case f.Unit.Dimension != figures.None && near.left >= 2:
		return true
	}
	return near.agree(cover)
}

// agree reports whether enough of the words near both figures are the same.
func (s *surroundings) agree(cover float64) bool {
	if s.matched < 2 && s.all != 1 {
		return false
	}
	return cover >= .4 && 2*s.matched >= s.all || cover >= .55 && 5*s.matched >= 2*s.all
}

// surroundings says how the words around two aligned figures agree.
type surroundings struct {
	beside       int // words next to them that are the same, without a gap
	left         int // content words before it that are aligned, without others between
	matched, all int // content words near the one of the claim, and those that are aligned near the other
}

// reach is how many words on each side of a figure are compared.
const reach = 6

func (e *evidence) around(c *piece, i, k int32) (s surroundings) {
	words, to := e.answer.of(c), e.grid.to
	n := int32(len(words))
	for q := int32(1); i-q >= 0 && to[i-q] == k-q && k >= q; q++ {
		s.beside++
	}
	for q := int32(1); i+q < n && to[i+q] == k+q; q++ {
		s.beside++
	}
	s.left = e.before(words, i, k)
	for q := max(0, i-reach); q < min(n, i+reach+1); q++ {
		if words[q].figure < 0 && words[q].content() {
			s.all++
			if isWithin(to[q], k-reach-2, k+reach+2) {
				s.matched++
			}
		}
	}
	return s
}

// before counts the content words before the figure that are aligned, without others between.
func (e *evidence) before(words []word, i, k int32) (n int) {
	for q := i - 1; q >= 0 && (!words[q].content() || isWithin(e.grid.to[q], k-reach, k-1)); q-- {
		n += contents(words[q : q+1])
	}
	return n
}

// isWithin reports an aligned word within the range.
func isWithin(to, first, last int32) bool { return to >= 0 && to >= first && to <= last }

// rivals counts the figures of the unit that could stand in the same place.
func (e *evidence) rivals(p *piece, f *figures.Figure) (n int) {
	for _, w := range e.sources.of(p) {
		if w.figure >= 0 && sameForm(f, &e.sources.figures[w.figure]) {
			n++
		}
	}
	return n
}

// usesAlso reports whether the claim or one beside it has the figure.
func (e *evidence) usesAlso(c *piece, g *figures.Figure) bool {
	for i := range e.answer.figures {
		f := &e.answer.figures[i]
		if f.Start >= c.start-200 && f.End <= c.end+200 && figurematch.Compare(f, g) >= figurematch.Rounded {
			return true
		}
	}
	return false
}

// sameKind is the weight of two words that are the same, or figures that may be compared.
func (e *evidence) sameKind(a, b *word) float32 {
	if a.figure >= 0 && b.figure >= 0 {
		if sameForm(&e.answer.figures[a.figure], &e.sources.figures[b.figure]) {
			return .5
		}
		return 0
	}
	return sameWord(a, b)
}

// sameForm reports figures of one kind and unit.
func sameForm(f, g *figures.Figure) bool {
	if f.Kind != g.Kind || f.Unit.Dimension != g.Unit.Dimension {
		return false
	}
	if f.Kind != figures.Date {
		return true
	}
	return (f.Day != 0) == (g.Day != 0) && (f.Month != 0) == (g.Month != 0) && (f.Weekday != 0) == (g.Weekday != 0)
}
