package cells

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
	weightCell   = 0.75 // another value, named clearly
	weightSwap   = 0.7  // a value of another record or column
	weightNull   = 0.6  // the value is null
	figureReach  = 6    // tokens between a figure and the words that name its column
	clearReach   = 4
	maxSmallness = 12
)

// columnCount is how well the words near a figure name a column.
type columnCount struct {
	column   int32
	matched  int32
	distance int32
}

// Supported reports whether the cells support the figure, and Contradicts whether they contradict it; both are false if the
// words around it name no cell. The figure is one of the claim that was checked last.
func (x *Index) Supported(f *figures.Figure) bool { return x.stateOf(f).verdict == supported }

// Contradicts reports a figure that was added as a finding.
func (x *Index) Contradicts(f *figures.Figure) bool { return x.stateOf(f).verdict == contradicted }

func (x *Index) stateOf(f *figures.Figure) figureState {
	for i := range x.claim.states {
		if x.claim.figures[i].Start == f.Start {
			return x.claim.states[i]
		}
	}
	return figureState{cell: -1}
}

// NamedCell returns the place of the cell that the words around the figure name clearly; ok is false for none.
func (x *Index) NamedCell(f *figures.Figure) (g figureindex.Finding, ok bool) {
	s := x.stateOf(f)
	if s.cell < 0 {
		return g, false
	}
	return x.finding(s.cell, f.Start, f.End, weightCell), true
}

// finding describes a claim that contradicts the cell.
func (x *Index) finding(at, start, end int32, weight float32) figureindex.Finding {
	c := &x.cells[at]
	return figureindex.Finding{
		Kind: figureindex.Contradicted, Weight: weight, Start: start, End: end,
		Source: c.source, SourceStart: c.start, SourceEnd: c.end, KeyStart: c.keyStart, KeyEnd: c.keyEnd,
	}
}

func (x *Index) checkFigures(d *detectors.Document) {
	r := &x.claim
	for i := range r.figures {
		f := &r.figures[i]
		s := figureState{cell: -1}
		switch {
		case f.First < r.first || f.Last > r.last:
		case r.covered[f.First-r.first] || f.Kind == figures.Label:
			s.verdict = supported
		default:
			s = x.checkFigure(d, f)
		}
		r.states = append(r.states, s)
	}
}

// checkFigure compares one figure with the cells that the words around it name.
func (x *Index) checkFigure(d *detectors.Document, f *figures.Figure) figureState {
	if !x.work.Spend(2 * len(x.cells)) {
		return figureState{cell: -1}
	}
	a := x.addressAt(f.First)
	best, isClear := x.columnFor(f)
	in, other, same := int32(-1), int32(-1), false // cells with the value: among the named records, elsewhere, in the best column
	for i := range x.cells {
		c := &x.cells[i]
		if !x.holds(c, f) {
			continue
		}
		if !x.covers(&a, c.record) {
			other = int32(i)
			continue
		}
		in, same = int32(i), same || c.column == best
		if c.column == best {
			return figureState{verdict: supported, cell: int32(i)}
		}
	}
	x.list.Checked++
	switch {
	case in >= 0 && isClear && !x.claim.namesColumn(x.cells[in].column):
		return x.refute(f, x.namedCell(&a, best, f), weightSwap)
	case in >= 0:
		return figureState{verdict: supported, cell: in}
	case other >= 0 && a.strength >= inClaim:
		return x.refute(f, x.namedCell(&a, x.cells[other].column, f), weightSwap)
	case other >= 0:
		return figureState{verdict: supported, cell: other}
	case x.derived(f, &a):
		return figureState{verdict: supported, cell: -1}
	case isClear:
		return figureState{verdict: unread, cell: x.namedCell(&a, best, f)}
	}
	return figureState{cell: -1}
}

// refute adds a finding unless no cell is named.
func (x *Index) refute(f *figures.Figure, at int32, weight float32) figureState {
	if at < 0 {
		return figureState{verdict: supported, cell: -1}
	}
	x.list.Add(x.finding(at, f.Start, f.End, weight))
	return figureState{verdict: contradicted, cell: at}
}

// namedCell returns the only cell of the column among the named records that f could be compared with, -1 for none.
func (x *Index) namedCell(a *address, column int32, f *figures.Figure) int32 {
	only := int32(-1)
	for i := range x.cells {
		c := &x.cells[i]
		if c.column != column || !x.covers(a, c.record) || c.endFigure == c.firstFigure || !x.comparable(c, f) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = int32(i)
	}
	return only
}

// holds reports whether the cell has the figure.
func (x *Index) holds(c *cell, f *figures.Figure) bool {
	for k := c.firstFigure; k < c.endFigure; k++ {
		if figures.Compare(f, &x.figures[k]) >= figures.Rounded {
			return true
		}
	}
	return false
}

// comparable reports whether the cell has a figure of the kind and dimension of f.
func (x *Index) comparable(c *cell, f *figures.Figure) bool {
	for k := c.firstFigure; k < c.endFigure; k++ {
		g := &x.figures[k]
		switch {
		case f.Kind == figures.Date || g.Kind == figures.Date, f.Kind == figures.Clock || g.Kind == figures.Clock:
			if f.Kind == g.Kind {
				return true
			}
		case f.Kind == figures.Percent || g.Kind == figures.Percent:
			if f.Kind == g.Kind {
				return true
			}
		case f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None:
			return true
		}
	}
	return false
}

// columnFor returns the column that the words nearest to the figure name, -1 for none or several. isClear is true if all
// words of its key are there, or if its unit fits and no other column has the unit.
func (x *Index) columnFor(f *figures.Figure) (best int32, isClear bool) {
	r := &x.claim
	r.counts = r.counts[:0]
	clause := r.clauseOf(f.First)
	for i := range r.keys {
		k := &r.keys[i]
		if x.words[k.word].generic || k.opposite || r.clauseOf(k.token) != clause || k.token >= f.First && k.token < f.Last {
			continue
		}
		distance := max(f.First-k.token, k.token-f.Last+1)
		if distance <= figureReach && x.hasComparable(k.column, f) && !x.isBetween(f, k.token) {
			r.count(k.column, distance)
		}
	}
	best, least, matched := int32(-1), int32(figureReach+1), int32(0)
	for _, c := range r.counts {
		switch {
		case c.matched > matched || c.matched == matched && c.distance < least:
			best, least, matched = c.column, c.distance, c.matched
		case c.matched == matched && c.distance == least:
			best = -1
		}
	}
	if best < 0 {
		return -1, false
	}
	return best, matched >= x.columns[best].needed && least <= clearReach
}

func (r *claimReader) count(column, distance int32) {
	for i := range r.counts {
		if c := &r.counts[i]; c.column == column {
			c.matched++
			c.distance = min(c.distance, distance)
			return
		}
	}
	r.counts = append(r.counts, columnCount{column: column, matched: 1, distance: distance})
}

// isBetween reports whether another figure stands between the figure and the token.
func (x *Index) isBetween(f *figures.Figure, token int32) bool {
	r := &x.claim
	for i := range r.figures {
		if g := &r.figures[i]; g.First >= min(f.Last, token) && g.First < max(f.First, token) && g.First != f.First {
			return true
		}
	}
	return false
}

// hasComparable reports whether the column has figures of the kind of f.
func (x *Index) hasComparable(column int32, f *figures.Figure) bool {
	x.work.Spend(1 + len(x.cells)/detectors.ScanRows)
	for i := range x.cells {
		if c := &x.cells[i]; c.column == column && c.endFigure > c.firstFigure && x.comparable(c, f) {
			return true
		}
	}
	return false
}

// namesColumn reports whether the claim has a word of the column's key.
func (r *claimReader) namesColumn(column int32) bool {
	for i := range r.keys {
		if r.keys[i].column == column {
			return true
		}
	}
	return false
}
