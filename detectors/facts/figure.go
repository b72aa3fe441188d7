package facts

import (
	"slices"
	"strings"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

func changedFigure() Rule {
	return Rule{
		ID:     "figure_changed",
		Doc:    "another figure, date, time or unit than a source has between the same words, unless it follows from that one",
		Needs:  "sources",
		Whole:  true,
		Values: true,
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkChangedFigure,
		Examples: []Example{
			{Source: "At the end of the year the scheme had 16.181 registered riders.", Answer: "The scheme had 61,181 registered riders at the end of 2025.", Fires: "61,181"},
			{Source: "The Dunmore ferry leaves at 08:15 and 17:40.", Answer: "The Dunmore ferry leaves at 9:30 am and 5:40 pm.", Fires: "9:30 am"},
			{Source: "Riders made 1.204.500 trips in 2025.", Answer: "Riders made about 1.2 million trips in 2025."},
			{Source: "Items can be sent back within 14 days of delivery.", Answer: "You can send items back within 60 days of delivery.", Fires: "60 days"},
			{Source: "Adults take one tablet of 400 mg every eight hours.", Answer: "Adults take one tablet of 400 g every eight hours.", Fires: "400 g"},
			{Source: "Points: 1 point per £1; 200 points are a £10 voucher. Points expire after 18 months.", Answer: "Your points expire after 12 months, so use them before then.", Fires: "12 months"},
			{Source: "Hall, ground floor: block A 180 seats, block B 164, block C 164, wheelchair places 8. Before, the hall had 742 seats in all.", Answer: "- Block A: 180\n- Block B: 164\n- Block C: 164\n- Wheelchair places: 8\n\nThe ground floor thus has 516 places."},
			{Source: "Coats can be sent back within 30 days of delivery, sale items within 14 days.", Answer: "You can send coats back within 28 days of delivery.", Fires: "28 days"},
			{Source: "Changes are free until 24 hours before the visit.", Answer: "Changes are free until 48 hours before the visit.", Fires: "48 hours"},
			{Source: "For two: 200 ml of cream, 50 g of sugar.", Answer: "For four people take 400 ml of cream and 100 g of sugar."},
			{Source: "Rates per night: tent site 17 dollars, each adult 8 dollars, car 5 dollars.", User: "We are four adults.", Answer: "Per night you pay 17 dollars for the tent site, 32 dollars for four adults and 5 dollars for the car."},
			{Source: "| | Team | Business |\n|---|---|---|\n| Seat a month | $11 | $18 |\n| SAML SSO | add-on, $90 a month | included |", Answer: "- Team with SSO: 35 × $11 × 12 + 12 × $90 = $5,700 a year.\n- Business: 35 × $18 × 12 = $7,560 a year.\n\nSo Team with the SSO add-on is $1,860 cheaper."},
			{Source: "The budget for roads in 2026 is 30 million euros.", Answer: "The budget for roads in 2026 is 30 billion euros.", Fires: "30 billion euros"},
			{Source: `{"sessions_24h": 14}`, Answer: "There were 14 sessions in the last 24 hours."},
			{Source: "Each of the 28 rows of the hall has 4 seats.", Answer: "The rows of the hall have 112 seats."},
		},
	}
}

// How many words beside a figure are the same as beside the one of the source, by what supports it.
const (
	nearAlone   = -1 // if the unit has only one of the kind
	nearAbsent  = 0
	nearDerived = 3
	nearStated  = 5
)

// checkChangedFigure holds each figure of the claim against the figure at its place in the nearest units. One that the sources
// have elsewhere needs more of the same words beside it, and must not stand with these words there.
func checkChangedFigure(e *evidence, c *piece) (found []Verdict) {
	for _, m := range e.matchesOf(c) {
		for i := range m.slots {
			if s := &m.slots[i]; s.figures && !e.isKept(&s.claim[0], &s.source[0]) && !e.isWithin(c, &m, &s.claim[0]) && e.isChanged(c, &m, s) {
				p, says := e.nearest(s, m.piece, &s.source[0])
				found = append(found, e.one(c, &s.claim[0], p, says)...)
				if m.piece.Form == units.Record && s.near < nearDerived && e.rivals(e.sources.of(m.piece), e.answer.figure(&s.claim[0])) > 1 {
					found[len(found)-1].Says = "" // it may be about another member
				}
			}
		}
	}
	return found
}

// nearest is the figure b of p, or where few words beside that are the same and its digits are others, one of the units compared that
// differs in one digit or in the order of two.
func (e *evidence) nearest(s *slot, p *piece, b *word) (*piece, *word) {
	a := e.text[s.claim[0].Start:s.claim[0].End]
	for _, c := range e.best {
		unit := &e.sources.pieces[c.piece]
		for i, w := range e.sources.of(unit) {
			if s.near < nearStated && !isNear(a, e.in(p, b)) && w.Figure >= 0 && sameForm(e.answer.figure(&s.claim[0]), e.sources.figure(&w)) && isNear(a, e.in(unit, &w)) {
				return unit, &e.sources.of(unit)[i]
			}
		}
	}
	return p, b
}

func (e *evidence) isChanged(c *piece, m *match, s *slot) bool {
	a, b := &s.claim[0], &s.source[0]
	f, g := e.answer.figure(a), e.sources.figure(b)
	switch {
	case (a.Flags|b.Flags)&index.Head != 0, s.near < nearAlone, e.isTold(c, m.piece, a, b), m.piece.Form > units.Item && e.doc.Work().Spend(len(e.x.Evidence.Figures)/4) && e.x.IsStep(f, s.source[:1]):
		return false
	case isOtherAmount(f, g):
		return s.near >= nearDerived && !e.isStatedHere(m, f) && !e.isStatedElsewhere(m, s, f)
	case e.holds(a.Figure) == absent:
		return s.near >= nearAbsent || e.rivals(m.there, f) == 1 && !e.computes(c, m, a)
	}
	return m.piece.Form <= units.Item && f.Unit.Dimension == g.Unit.Dimension && e.isMoved(c, m, s)
}

// isOfKey reports a period that a key of the record has: "sessions_24h" of the last 24 hours.
func (e *evidence) isOfKey(a *word, p *piece) bool {
	number, unit, _ := strings.Cut(e.text[a.Start:a.End], " ")
	f, record := e.answer.figure(a), e.in(p, &word{Start: p.Start, End: p.End})
	return p.Form == units.Record && f.Unit.Dimension == figures.Duration && unit != "" && e.doc.Work().Spend(len(record)) &&
		(strings.Contains(record, "_"+number+unit[:1]) || strings.Contains(record, "_"+number+"_"+unit[:1]))
}

//nolint:gochecknoglobals // read-only tables, not only English
var (
	leasts = text.HashSet("more over above exceeding exceeded beyond higher longer larger greater later after since mehr uber nach seit ab plus apres depuis mas despues desde")
	mosts  = text.HashSet("less fewer under below lower shorter smaller earlier before until till weniger unter vor bis moins avant menos antes hasta")
	dues   = text.HashSet("by through on as am par")
)

const boundReach = 3 // words before a figure

// bound is the word of a bound before the figure, nil for none: "more than 14", "after 2015".
func (s *side) bound(w *word) *word {
	f := &s.figures[w.Figure]
	for at := int(f.Term) - 1; at >= max(0, int(f.Term)-boundReach-1); at-- {
		x := &s.words[at]
		if x.Has(index.Negates) {
			return nil // no more than
		}
		if leasts.Has(x.Word) || mosts.Has(x.Word) || f.Kind == figures.Date && dues.Has(x.Word) {
			return x
		}
	}
	return nil
}

// isKept reports a bound that holds for the other figure, too: "over 14 million" for 15, unless both have it. Dates are not compared.
func (e *evidence) isKept(a, b *word) bool {
	x, f, g := e.answer.bound(a), e.answer.figure(a), e.sources.figure(b)
	switch y := e.sources.bound(b); {
	case x == nil, y != nil && y.Word == x.Word:
		return false
	case f.Kind == figures.Date || f.Kind == figures.Clock:
		return !dues.Has(x.Word)
	case f.Unit.Dimension != g.Unit.Dimension:
		return false
	case leasts.Has(x.Word):
		return g.Value*g.Unit.Factor >= f.Value*f.Unit.Factor && g.Value >= f.Value
	}
	return g.Value*g.Unit.Factor <= f.Value*f.Unit.Factor && g.Value <= f.Value
}

// isCase reports a figure of the user within a bound of the source: 10 years "under 14".
func (e *evidence) isCase(a, b *word) bool {
	f, g, x := e.answer.figure(a), e.sources.figure(b), e.sources.bound(b)
	if !isAmong(f, e.user.figures) {
		return false
	}
	own, most := f.Value*max(f.Unit.Factor, 1e-9), g.Value*max(g.Unit.Factor, 1e-9)
	return own >= most && (g.Sense == figures.AtLeast || x != nil && leasts.Has(x.Word)) || own <= most && (g.Sense == figures.AtMost || x != nil && mosts.Has(x.Word))
}

// isMoved reports a figure that follows from others or stands elsewhere, but is not that of the place.
func (e *evidence) isMoved(c *piece, m *match, s *slot) bool {
	f, g := e.answer.figure(&s.claim[0]), e.sources.figure(&s.source[0])
	if e.holds(s.claim[0].Figure) == derived {
		return s.near >= nearDerived && (f.Spelled || !g.Spelled) && !e.isExcused(c, m, s, g)
	}
	return s.near >= nearStated && !e.isCase(&s.claim[0], &s.source[0]) && !e.isStatedHere(m, f) && !e.isStatedElsewhere(m, s, f) && (e.isRepeated(c, m, s, g) || !e.isComputed(c, m, s, g))
}

// isExcused reports a figure that the claim, with g, computes or adjusts.
func (e *evidence) isExcused(c *piece, m *match, s *slot, g *figures.Figure) bool {
	return !e.isRepeated(c, m, s, g) && (e.isComputed(c, m, s, g) || e.addsWord(c, m) && e.isAdjusted(s, e.answer.figure(&s.claim[0]), g))
}

// isRepeated reports a claim that is the unit word for word but for the figure, where neither the answer nor the user tells why it is
// not g: that it follows from others beside it is chance.
func (e *evidence) isRepeated(c *piece, m *match, s *slot, g *figures.Figure) bool {
	f := e.answer.figure(&s.claim[0])
	if len(e.user.figures) > 0 && (g.Sense != figures.Exact || e.sources.bound(&s.source[0]) != nil) {
		return false // a case of the user
	}
	return m.differsOnly(s) && !led(c) && !e.computes(c, m, &s.claim[0]) && !hasAny(e.answer.words, calculationWords) && !slices.ContainsFunc(e.user.figures, func(x index.Figure) bool {
		return fits(f, g.Value*x.Value) || fits(f, g.Value/x.Value) || fits(f, g.Value+x.Value) || fits(f, g.Value-x.Value) || e.isInProportion(m, f, g, &x.Figure)
	})
}

// isWithin reports a day of the week or month in a range of the unit: "from May to September".
func (e *evidence) isWithin(c *piece, m *match, a *word) bool {
	own, list := e.answer.figures[c.Figures.First:c.Figures.Last], e.sources.figures[m.piece.Figures.First:m.piece.Figures.Last]
	return index.IsWithin(&e.answer.figures[a.Figure], own, e.text, list, e.doc.Source(int(m.piece.Source)))
}

// addsWord reports a claim with a word of another unit: "with breakfast".
func (e *evidence) addsWord(c *piece, m *match) bool {
	return slices.ContainsFunc(e.answer.of(c), func(w word) bool { return content(&w) && e.isKnown(&w) && !hasStem(e.sources.of(m.piece), w.Key) })
}

// isStatedHere reports whether the unit has the figure in another place.
func (e *evidence) isStatedHere(m *match, f *figures.Figure) bool {
	return slices.ContainsFunc(m.there, func(w word) bool {
		return w.Figure >= 0 && isExactly(f, e.sources.figure(&w)) && !isOtherAmount(f, e.sources.figure(&w))
	})
}

// isStatedElsewhere reports whether another source unit has the figure with most of the words beside it, or as many of the claim's.
func (e *evidence) isStatedElsewhere(m *match, s *slot, f *figures.Figure) bool {
	e.doc.Work().Spend(len(e.sources.figures))
	return slices.ContainsFunc(e.sources.figures, func(g index.Figure) bool {
		return int(g.Unit) != m.unit && isExactly(f, &g.Figure) && (e.shareNear(m, s, g.Unit) >= mostRival ||
			slices.ContainsFunc(e.best, func(x candidate) bool { return x.piece == g.Unit && x.cover >= m.cover }))
	})
}

// rivals counts the figures among words of a unit that could stand in the same place.
func (e *evidence) rivals(list []word, f *figures.Figure) (n int) {
	for i := range list {
		if w := &list[i]; w.Figure >= 0 && sameForm(f, e.sources.figure(w)) {
			n++
		}
	}
	return n
}

// usesAlso reports whether the claim or one beside it has the figure.
func (e *evidence) usesAlso(c *piece, g *figures.Figure) bool {
	for i := range e.answer.figures {
		f := &e.answer.figures[i].Figure
		if f.Start >= c.Start-200 && f.End <= c.End+200 && figurematch.Compare(f, g) >= figurematch.Rounded {
			return true
		}
	}
	return false
}

// sameForm reports figures of one kind and unit.
func sameForm(f, g *figures.Figure) bool {
	if f.Kind != g.Kind || f.Unit.Dimension != g.Unit.Dimension && !isOtherUnit(f.Unit, g.Unit) {
		return false
	}
	if f.Kind != figures.Date {
		return true
	}
	return (f.Day != 0) == (g.Day != 0) && (f.Month != 0) == (g.Month != 0) && (f.Weekday != 0) == (g.Weekday != 0)
}
