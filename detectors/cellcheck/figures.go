package cellcheck

import (
	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/internal/text/figures"
)

// figureState is what the cells say about a figure of the claim.
type figureState struct {
	verdict verdict
	cell    int32 // the cell that the words around the figure name, -1 for none
}

type verdict uint8

const (
	unread verdict = iota
	supported
	contradicted
)

// Weights of findings.
const (
	weightCell  = 0.75 // another value, named clearly
	weightSwap  = 0.7  // a value of another record or column
	weightNull  = 0.6  // the value is null
	weightScore = 0.55 // no record has both numbers
	figureReach = 6    // tokens between a figure and the words that name its column
	clearReach  = 4
)

// Supported reports whether the cells support the figure, and Contradicts whether they contradict it; both are false if the
// words around it name no cell. The figure is one of the claim that was checked last.
func (x *Checker) Supported(f *figures.Figure) bool { return x.stateOf(f).verdict == supported }

// Contradicts reports a figure that was added as a finding.
func (x *Checker) Contradicts(f *figures.Figure) bool { return x.stateOf(f).verdict == contradicted }

// NamesKey reports whether the token of the last checked claim is a word of a key.
func (x *Checker) NamesKey(token int32) bool { return x.claim.hasKeyAt(token) }

func (x *Checker) stateOf(f *figures.Figure) figureState {
	for i := range x.claim.states {
		if x.claim.figures[i].Start == f.Start {
			return x.claim.states[i]
		}
	}
	return figureState{cell: -1}
}

// NamedCell returns the place of the cell that the words around the figure name clearly; ok is false for none.
func (x *Checker) NamedCell(f *figures.Figure) (g figureindex.Finding, ok bool) {
	s := x.stateOf(f)
	if s.cell < 0 {
		return g, false
	}
	return x.finding(s.cell, f.Start, f.End, weightCell), true
}

// finding describes a claim that contradicts the cell.
func (x *Checker) finding(at, start, end int32, weight float32) figureindex.Finding {
	c := &x.Cells[at]
	return figureindex.Finding{
		Kind: figureindex.Contradicted, Weight: weight, Start: start, End: end,
		Source: c.Source, SourceStart: c.Start, SourceEnd: c.End, KeyStart: c.KeyStart, KeyEnd: c.KeyEnd,
	}
}

func (x *Checker) checkFigures(d *detectors.Document) {
	r := &x.claim
	for i := range r.figures {
		f := &r.figures[i]
		s := figureState{cell: -1}
		switch {
		case f.First < r.first || f.Last > r.last:
		case r.covered[f.First-r.first] || f.Kind == figures.Label || x.isIDPart(d, f):
			x.list.Checked++
			s.verdict = supported
		default:
			s = x.checkFigure(d, i)
		}
		r.states = append(r.states, s)
	}
}

// match is what the cells have of a figure.
type match struct {
	best    int32 // the column that the words around the figure name, -1 for none
	clear   bool
	in      int32 // a cell with the value among the named records, -1 for none
	inBest  int32 // the same in the best column
	outside int32 // a cell with the value in another record, -1 for none
}

func (x *Checker) matchFigure(d *detectors.Document, f *figures.Figure, a *address) match {
	m := match{in: -1, inBest: -1, outside: -1, best: x.headColumn(d, f)}
	if m.clear = m.best >= 0; !m.clear {
		m.best, m.clear = x.columnFor(f)
	}
	for i := range x.Cells {
		c := &x.Cells[i]
		switch {
		case !x.holds(c, f):
		case !x.covers(a, c.Record):
			if m.outside < 0 || c.Column == m.best {
				m.outside = int32(i)
			}
		case c.Column == m.best:
			m.inBest = int32(i)
		default:
			m.in = int32(i)
		}
	}
	return m
}

// checkFigure compares one figure with the cells that the words around it name.
func (x *Checker) checkFigure(d *detectors.Document, i int) figureState {
	f := &x.claim.figures[i]
	if !x.Work.Spend(2 * len(x.Cells)) {
		return figureState{cell: -1}
	}
	x.list.Checked++
	a := x.addressAt(f.First)
	if other, ok := x.isScore(d, i); ok {
		return x.checkScore(&a, f, other)
	}
	if s, ok := x.checkQuantity(f); ok {
		return s
	}
	m := x.matchFigure(d, f, &a)
	loose := x.compares(d, x.claim.clauseOf(f.First))
	switch {
	case m.inBest >= 0:
		return figureState{verdict: supported, cell: m.inBest}
	case m.in >= 0:
		return x.checkPresent(f, &a, &m, loose)
	case m.outside >= 0 && (loose || a.strength < inClaim):
		return figureState{verdict: supported, cell: m.outside}
	case m.outside >= 0 && x.isForeign(f, &m):
		return x.refute(f, x.namedCell(&a, x.Cells[m.outside].Column, f), weightSwap)
	}
	return x.checkAbsent(f, &a, &m, loose)
}

// checkPresent compares a figure that a named record has, perhaps in another column.
func (x *Checker) checkPresent(f *figures.Figure, a *address, m *match, loose bool) figureState {
	if !loose && m.clear && !x.claim.isTotal(f) && x.isSwapped(f, m.best, x.Cells[m.in].Column) {
		return x.refute(f, x.namedCell(a, m.best, f), weightSwap)
	}
	return figureState{verdict: supported, cell: m.in}
}

// checkAbsent compares a figure that no cell has.
func (x *Checker) checkAbsent(f *figures.Figure, a *address, m *match, loose bool) figureState {
	switch {
	case x.derives(f, a, m, loose):
		return figureState{verdict: supported, cell: -1}
	case loose:
		return figureState{cell: -1}
	case m.clear:
		return figureState{cell: x.namedCell(a, m.best, f)}
	default:
		return figureState{cell: x.onlyMeasure(a, f)}
	}
}

// derives reports a figure that follows from cells; in a clause about one column of one record, from those of the record.
func (x *Checker) derives(f *figures.Figure, a *address, m *match, loose bool) bool {
	strict := m.clear && !loose
	if strict && a.n == 1 && a.strength == inClause {
		return x.DerivesFor(f, a.records[0]) || x.Multiplies(f, x.namedCell(a, m.best, f), x.claim.figures)
	}
	return x.Derives(f, m.clear, strict) || strict && x.Multiplies(f, x.namedCell(a, m.best, f), x.claim.figures)
}

// isTotal reports "six" of "four of six": the words next to it name the part.
func (r *claimReader) isTotal(f *figures.Figure) bool {
	for i := range r.figures {
		if g := &r.figures[i]; g.Last == f.First-1 && r.stops[g.Last-r.first] && r.clauseOf(g.First) == r.clauseOf(f.First) {
			return true
		}
	}
	return false
}

// isSwapped reports the value of one column under the name of another one that measures the same.
func (x *Checker) isSwapped(f *figures.Figure, named, column int32) bool {
	return !x.claim.namesAll(x, column, x.claim.clauseOf(f.First)) && x.sameUnit(named, column) && !x.Derives(f, true, true)
}

// isForeign reports a value of another record that can hardly be anything else.
func (x *Checker) isForeign(f *figures.Figure, m *match) bool {
	column := x.Cells[m.outside].Column
	if m.clear {
		return m.best == column
	}
	return x.isSpecific(f, column, x.claim.clauseOf(f.First))
}

// checkScore compares "4-0" with the numbers of each record.
func (x *Checker) checkScore(a *address, f, other *figures.Figure) figureState {
	if x.holdsScore(a, f, other) {
		return figureState{verdict: supported, cell: -1}
	}
	if a.n != 1 || a.strength != inClause {
		return figureState{cell: -1}
	}
	x.report(figureindex.Finding{Kind: figureindex.Number, Weight: weightScore, Start: f.Start, End: f.End, Source: -1})
	return figureState{verdict: contradicted, cell: -1}
}

// refute adds a finding unless no cell is named.
func (x *Checker) refute(f *figures.Figure, at int32, weight float32) figureState {
	if at < 0 {
		return figureState{verdict: supported, cell: -1}
	}
	x.report(x.finding(at, f.Start, f.End, weight))
	return figureState{verdict: contradicted, cell: at}
}
