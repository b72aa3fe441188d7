package facts

import (
	"math"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
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
	f := &e.answer.figures[i]
	e.gather(i)
	e.doc.Work().Spend(len(e.answer.words) + len(e.sources.words)/claimWords + index.DerivationWork(len(e.near)))
	if f.Kind == figures.Code || f.Kind == figures.Label {
		return false
	}
	return index.Derivable(f, e.near) || f.Kind != figures.Date && f.Kind != figures.Clock && (e.isGroup(f) || e.isShare(i, f))
}

// gather collects the operands: figures of the source units nearest to the claim, of the claims beside it, and of the user.
func (e *evidence) gather(i int32) {
	e.near = e.near[:0]
	at := e.claimOf(i)
	for k := max(0, at-3); k < min(len(e.answer.pieces), at+4); k++ {
		e.gatherPiece(&e.answer, &e.answer.pieces[k], i, k == at)
	}
	for k := range e.user.figures {
		e.addOperand(&e.user.figures[k])
	}
	if len(e.sources.figures) <= maxOperands {
		for k := range e.sources.figures {
			e.addOperand(&e.sources.figures[k])
		}
		return
	}
	if at >= 0 {
		for _, c := range e.candidates(&e.answer.pieces[at]) {
			e.gatherPiece(&e.sources, &e.sources.pieces[c.piece], -1, false)
		}
	}
}

// claimOf is the unit of the answer that has the figure, -1 for none.
func (e *evidence) claimOf(i int32) int {
	for k := range e.answer.pieces {
		for _, w := range e.answer.of(&e.answer.pieces[k]) {
			if w.figure == i {
				return k
			}
		}
	}
	return -1
}

func (e *evidence) gatherPiece(s *side, p *piece, except int32, own bool) {
	for _, w := range s.of(p) {
		if w.figure < 0 || w.figure == except {
			continue
		}
		f := &s.figures[w.figure]
		if s == &e.answer && !own && f.Value > 12 && !isAmong(f, e.sources.figures) && !isAmong(f, e.user.figures) {
			continue // it needs support itself
		}
		e.addOperand(f)
	}
}

func (e *evidence) addOperand(f *figures.Figure) {
	if len(e.near) >= maxOperands || f.Kind == figures.Label || f.Kind == figures.Code {
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
		for _, w := range e.sources.of(&e.sources.pieces[i]) {
			switch {
			case w.head && inHead:
				key = key*31 + w.stem
			case w.head:
				key = w.stem
			case w.figure >= 0:
				g := &e.sources.figures[w.figure]
				at := key
				if at == 0 {
					at = uint64(g.Unit.Dimension)<<8 | uint64(g.Kind)
				}
				if e.groups[at] == nil {
					e.groups[at] = &group{}
				}
				e.groups[at].sum += g.Value
				e.groups[at].list = append(e.groups[at].list, g.Value)
			}
			inHead = w.head
		}
	}
}

// isCounted reports a number of things that may have been counted.
func isCounted(f *figures.Figure) bool {
	return f.Kind == figures.Count && f.Unit.Dimension == figures.None && f.Decimals == 0 && f.Value <= 12
}

//nolint:gochecknoglobals // a read-only table, not only English
var shareWords = text.HashSet("per each apiece every average pro je jeder jede par chacun chaque moyenne por cada promedio")

// isShare reports an amount for each of some things or people that were counted.
func (e *evidence) isShare(i int32, f *figures.Figure) bool {
	at := e.claimOf(i)
	if at < 0 || !hasAny(e.answer.of(&e.answer.pieces[at]), shareWords) {
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

func hasAny(words []word, set text.WordSet) bool {
	for i := range words {
		if set.Has(words[i].stem) || set.Has(words[i].hash) {
			return true
		}
	}
	return false
}
