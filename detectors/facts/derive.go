package facts

import (
	"math"
	"slices"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// operands are the figures from which another one may be computed.
type operands struct {
	near    []figures.Figure
	groups  map[uint64]*group
	grouped bool
}

// group holds the figures of one column or field of several records.
type group struct {
	sum  float64
	list []float64
}

// maxOperands is how many figures are combined in pairs.
const maxOperands = index.MaxOperands

// isDerived reports a figure that follows from others by one or two steps of arithmetic.
func (e *evidence) isDerived(i int32) bool {
	f := &e.answer.figures[i].Figure
	e.gather(i)
	e.doc.Work().Spend(len(e.answer.words) + len(e.sources.words)/claimWords + index.DerivationWork(len(e.near)))
	if f.Kind == figures.Code || f.Kind == figures.Label {
		return false
	}
	return index.Derivable(f, e.near) || e.namesPlace(i) || f.Kind != figures.Date && f.Kind != figures.Clock && (e.followsOwn(i) || e.isGroup(f) || e.isShare(i, f) || e.isTotal(i) || e.isMultiple(i))
}

//nolint:gochecknoglobals // read-only tables, not only English
var (
	calculationWords = text.HashSet(`totals together altogether combined sum average difference gap double doubled doubles twice half halved
triple tripled insgesamt zusammen durchschnitt doppelt doppelte doppelten halb halbe halfte unterschied dreifache ensemble totalise
moyenne moitie quarter viertel quart cuarto suma juntos promedio doble mitad diferencia`)
	comparisonWords = text.HashSet(`by um total per each apiece every more less fewer longer shorter higher lower left remain extra additional plus minus gesamt pro je mehr weniger noch
par chacun chaque moins restants por cada menos mas quedan`)
	multiples = [...]text.WordSet{ // from 2 on
		text.HashSet("half halve halves halved twice double doubles doubled halb halbe halber halbes halben halfte doppelt doppelte doppelten verdoppelt demi moitie mitad doble"),
		text.HashSet("third thirds triple tripled thrice drittel dreifache tiers tercio tercios"),
		text.HashSet("viertel quart quarts cuarto cuartos"),
		text.HashSet("fifth fifths funftel cinquieme quinto"),
	}
	placeWords = text.HashSet("in en time zeit ortszeit utc gmt cet mez")
	zoneWords  = text.HashSet("time zeit ortszeit heure hora utc gmt cet mez")
)

// isComputed reports a figure of the claim that follows from g: for another period, as sum or product with a figure of its unit,
// with one of the claim that the unit does not have, or with any, also alone, where the claim says that it computes.
func (e *evidence) isComputed(c *piece, m *match, s *slot, g *figures.Figure) bool {
	if e.searched++; e.searched > maxFigures {
		return true // not searched: not accused
	}
	a := &s.claim[0]
	f := e.answer.figure(a)
	if e.isConverted(a.Figure, g) || e.isTotal(a.Figure) || slices.ContainsFunc(m.there, func(w word) bool {
		return w.Figure >= 0 && w.Figure != s.source[0].Figure && isPart(f, g, e.sources.figure(&w))
	}) {
		return true
	}
	e.near = e.near[:0]
	computes := e.computes(c, m, a)
	if computes {
		e.gather(a.Figure)
	} else {
		e.gatherOwn(m, s)
	}
	e.doc.Work().Spend(len(e.sources.words)/claimWords + 4*len(e.near))
	return slices.ContainsFunc(e.near, func(x figures.Figure) bool {
		return index.Derivable(f, []figures.Figure{*g, x}) || e.isInProportion(m, f, g, &x)
	}) || (computes || hasAny(e.answer.words, calculationWords)) && index.Derivable(f, []figures.Figure{*g})
}

// isInProportion reports g for the user's x instead of a figure of the unit: "200 points are worth 5 euros, so 600 are worth 15".
func (e *evidence) isInProportion(m *match, f, g, x *figures.Figure) bool {
	return isAmong(x, e.user.figures) && slices.ContainsFunc(m.there, func(w word) bool {
		if w.Figure < 0 {
			return false
		}
		y := e.sources.figure(&w)
		return y != g && y.Value > 1 && x.Unit.Dimension == y.Unit.Dimension && f.Unit.Dimension == g.Unit.Dimension && fits(f, g.Value*x.Value/y.Value)
	})
}

// isAdjusted reports g with a surcharge, discount, quantity or delay of the sources or the user. Of a few all are combined.
func (e *evidence) isAdjusted(s *slot, f, g *figures.Figure) bool {
	e.gather(s.claim[0].Figure)
	if f.Kind == figures.Clock {
		return slices.ContainsFunc(e.near, func(x figures.Figure) bool { return isDelay(f, g, &x) })
	}
	e.near = slices.DeleteFunc(e.near, func(x figures.Figure) bool {
		return x.Kind != figures.Percent && x.Unit.Dimension != f.Unit.Dimension && !isAmong(&x, e.user.figures)
	})
	e.addOperand(g)
	e.doc.Work().Spend(index.DerivationWork(len(e.near)))
	return f.Unit.Dimension != figures.None && (len(e.near) <= maxOperands/4 && index.Derivable(f, e.near) || f.Kind == figures.Money && e.followsOwn(s.claim[0].Figure) ||
		slices.ContainsFunc(e.near, func(x figures.Figure) bool { return index.Derivable(f, []figures.Figure{*g, x}) }))
}

// isDelay reports the time g so many hours or minutes x earlier or later.
func isDelay(f, g, x *figures.Figure) bool {
	const minute, day = 60, 24 * 60
	by := x.Value * x.Unit.Factor / minute
	return x.Unit.Dimension == figures.Duration && x.Kind != figures.Clock && by < day && math.Abs(math.Abs(f.Value-g.Value)-by) < 1
}

// isConverted reports the same amount for another period, a multiple that a source names, or a time of another place.
func (e *evidence) isConverted(i int32, g *figures.Figure) bool {
	f := &e.answer.figures[i].Figure
	return e.isNamedMultiple(i, g) || e.namesPlace(i) ||
		slices.ContainsFunc([]float64{7, 12, 24, 52, 60, 365}, func(k float64) bool { return fits(f, g.Value*k) || fits(f, g.Value/k) })
}

// isPart reports a sum or product of g and x.
func isPart(f, g, x *figures.Figure) bool {
	return fits(f, g.Value+x.Value) || fits(f, g.Value*x.Value)
}

// gatherOwn collects the other figures of the claim that the unit does not have.
func (e *evidence) gatherOwn(m *match, s *slot) {
	for i := range m.words {
		w := &m.words[i]
		if w.Figure >= 0 && i != s.at && (m.to[i] < 0 || e.isOtherFigure(w, &m.there[m.to[i]])) {
			e.addOperand(e.answer.figure(w))
		}
	}
}

// nameReach is how many words from a figure the words that say how it was computed stand.
const nameReach = 3

// computes reports a claim that says that it computes the figure, in words that the unit does not have.
func (e *evidence) computes(c *piece, m *match, a *word) bool {
	words, unit := e.answer.of(c), e.sources.of(m.piece)
	at := int(e.answer.figures[a.Figure].Term - c.Terms.First)
	near := words[max(0, at-nameReach):min(len(words), at+nameReach+1)]
	return slices.ContainsFunc(words, func(w word) bool { return calculationWords.Has(w.Word) && !hasStem(unit, w.Key) }) ||
		slices.ContainsFunc(near, func(w word) bool { return comparisonWords.Has(w.Word) && !hasStem(unit, w.Key) })
}

// gather collects the operands: figures of the source units nearest to the claim, of the claims beside it that need no support
// themselves, and of the user.
func (e *evidence) gather(i int32) {
	e.near = e.near[:0]
	at := e.answer.figures[i].Unit
	for _, g := range e.around(i) {
		if g.Unit == at || g.Value <= 12 || isAmong(&g.Figure, e.x.Evidence.Figures) {
			e.addOperand(&g.Figure)
		}
	}
	for k := range e.user.figures {
		e.addOperand(&e.user.figures[k].Figure)
	}
	if len(e.sources.figures) <= maxOperands {
		for k := range e.sources.figures {
			e.addOperand(&e.sources.figures[k].Figure)
		}
		return
	}
	for _, c := range e.candidates(&e.answer.pieces[at]) {
		for _, f := range e.x.Evidence.FiguresOf(int(c.piece)) {
			e.addOperand(&f.Figure)
		}
	}
}

// around are the other figures of the answer within reach of one, the nearest before it first, at most as many as are combined.
func (e *evidence) around(i int32) []index.Figure {
	list, at := e.answer.figures, e.answer.figures[i].Unit
	from, to := int(i), int(i)+1
	for from > 0 && list[from-1].Unit >= at-unitReach {
		from--
	}
	for to < len(list) && list[to].Unit <= at+unitReach {
		to++
	}
	near := slices.Clone(list[from:i])
	slices.Reverse(near)
	near = append(near, list[i+1:to]...)
	return near[:min(len(near), maxOperands)]
}

// followsOwn reports a number that follows in one step from a figure of the answer, which may be computed, too, and another.
func (e *evidence) followsOwn(i int32) bool {
	f := &e.answer.figures[i].Figure
	own := e.around(i)
	e.doc.Work().Spend(4 * len(own) * (len(own) + len(e.near)))
	for k := range own {
		is := func(g figures.Figure) bool { return index.Derivable(f, []figures.Figure{own[k].Figure, g}) }
		if slices.ContainsFunc(own[:k], func(g index.Figure) bool { return is(g.Figure) }) || slices.ContainsFunc(e.near, is) {
			return true
		}
	}
	return false
}

// unitReach is how many units from a figure the figures stand from which it may follow.
const unitReach = 3

func (e *evidence) addOperand(f *figures.Figure) {
	if len(e.near) >= maxOperands || f.Kind == figures.Label || f.Kind == figures.Code || f.Value == 1 { // with 1 a figure follows from its neighbor
		return
	}
	for i := range e.near {
		if e.near[i].Kind == f.Kind && e.near[i].Unit == f.Unit && figurematch.Compare(f, &e.near[i]) == figurematch.Equal {
			return
		}
	}
	e.near = append(e.near, *f)
}

// fits reports whether a value is the figure, rounded to its digits.
func fits(f *figures.Figure, v float64) bool {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	g := figures.Figure{Value: v, Decimals: 9}
	h := *f
	h.Unit, h.Kind, h.Counts, h.Alternative = figures.Unit{}, figures.Count, false, 0
	return figurematch.Compare(&h, &g) >= figurematch.Rounded
}

// isGroup reports a total, mean or share of a column or field, or the rest of its total.
func (e *evidence) isGroup(f *figures.Figure) bool {
	e.makeGroups()
	for _, g := range e.groups {
		if len(g.list) < 2 {
			continue
		}
		if fits(f, g.sum) || fits(f, g.sum/float64(len(g.list))) {
			return true
		}
		for _, v := range g.list {
			if fits(f, g.sum-v) || f.Kind == figures.Percent && fits(f, 100*v/g.sum) {
				return true
			}
		}
	}
	return false
}

func (e *evidence) makeGroups() {
	if e.grouped {
		return
	}
	e.grouped = true
	if e.groups == nil {
		e.groups = map[uint64]*group{}
	}
	clear(e.groups)
	for i := range e.sources.pieces {
		key, inHead := uint64(0), false
		list := e.sources.of(&e.sources.pieces[i])
		for k := range list {
			w := &list[k]
			switch {
			case w.Has(index.Head) && inHead:
				key = key*31 + w.Key
			case w.Has(index.Head):
				key = w.Key
			case w.Figure >= 0 && key != 0:
				if e.groups[key] == nil {
					e.groups[key] = &group{}
				}
				g := e.groups[key]
				g.sum += e.sources.figure(w).Value
				g.list = append(g.list, e.sources.figure(w).Value)
			}
			inHead = w.Has(index.Head)
		}
	}
}

//nolint:gochecknoglobals // a read-only table, not only English
var shareWords = text.HashSet("per each apiece every average pro je jeder jede par chacun chaque moyenne por cada promedio")

// isShare reports an amount for each of some things or people that were counted.
func (e *evidence) isShare(i int32, f *figures.Figure) bool {
	if !hasAny(e.answer.of(&e.answer.pieces[e.answer.figures[i].Unit]), shareWords) {
		return false
	}
	for k := range e.near {
		for n := 2.0; n <= 12 && e.near[k].Kind <= figures.Money; n++ {
			if fits(f, e.near[k].Value/n) || fits(f, e.near[k].Value*n) {
				return true
			}
		}
	}
	return false
}

// isTotal reports the sum of the amounts of the list right above it, in each item the last one of its unit in digits, or of the
// amounts of money right before it.
func (e *evidence) isTotal(i int32) bool {
	f := &e.answer.figures[i]
	sum, n := 0.0, 0
	for u := f.Unit - 1; u >= 0 && e.answer.pieces[u].Form == units.Item; u-- {
		for _, g := range slices.Backward(e.x.Answer.FiguresOf(int(u))) {
			if !g.Spelled && g.Kind == f.Kind && g.Figure.Unit.Dimension == f.Figure.Unit.Dimension {
				sum += g.Value
				n++
				break
			}
		}
	}
	return n > 1 && fits(&f.Figure, sum) || f.Kind == figures.Money && isSum(f, e.around(i))
}

func isSum(f *index.Figure, list []index.Figure) bool {
	sum := 0.0
	return slices.ContainsFunc(list, func(g index.Figure) bool {
		if g.Start > f.Start || g.Unit < f.Unit-1 || g.Figure.Unit != f.Figure.Unit {
			return false
		}
		sum += g.Value
		return sum != g.Value && fits(&f.Figure, sum)
	})
}

// isMultiple reports twice, half or a quarter of a figure in an answer that says that it computes, or a multiple that a source names.
func (e *evidence) isMultiple(i int32) bool {
	f := &e.answer.figures[i].Figure
	return slices.ContainsFunc(e.near, func(g figures.Figure) bool {
		return e.isNamedMultiple(i, &g) || (fits(f, 2*g.Value) || fits(f, g.Value/2) || fits(f, g.Value/4)) && hasAny(e.answer.words, calculationWords)
	})
}

// isNamedMultiple reports a multiple or part of g that a source names of what the claim is about, or g with the part taken off: "seniors
// pay half", "a third off".
func (e *evidence) isNamedMultiple(i int32, g *figures.Figure) bool {
	f := &e.answer.figures[i]
	for n, set := range multiples {
		k := float64(n + 2)
		if (fits(&f.Figure, g.Value*k) || fits(&f.Figure, g.Value/k) || fits(&f.Figure, g.Value-g.Value/k)) && e.isSaidOf(&e.answer.pieces[f.Unit], set) {
			return true
		}
	}
	return false
}

// isSaidOf reports a unit of a source with a word of the set and another of the claim.
func (e *evidence) isSaidOf(c *piece, set text.WordSet) bool {
	if !hasAny(e.sources.words, set) || !e.doc.Work().Spend(len(e.sources.words)) {
		return false
	}
	claim := e.answer.of(c)
	return slices.ContainsFunc(e.sources.pieces, func(p piece) bool {
		unit := e.sources.of(&p)
		return hasAny(unit, set) && slices.ContainsFunc(unit, func(w word) bool { return content(&w) && w.Figure < 0 && !set.Has(w.Key) && hasStem(claim, w.Key) })
	})
}

// namesPlace reports a time behind a place that no source has, "in Tokio", "London time", where the sources name a time zone.
func (e *evidence) namesPlace(i int32) bool {
	f := &e.answer.figures[i]
	if f.Kind != figures.Clock || !hasAny(e.sources.words, zoneWords) {
		return false
	}
	words, end := e.answer.words, e.answer.pieces[f.Unit].End
	for k := range words {
		if words[k].Start >= end {
			break
		}
		if at := e.x.PlacesOf(words[k].ID); words[k].Has(index.Capital) && hasAny(words[max(0, k-1):min(len(words), k+2)], placeWords) && (len(at) == 0 || int(at[0].Unit) >= len(e.sources.pieces)) {
			return true
		}
	}
	return false
}

func hasAny(words []word, set text.WordSet) bool {
	for i := range words {
		if set.Has(words[i].Key) || set.Has(words[i].Word) {
			return true
		}
	}
	return false
}
