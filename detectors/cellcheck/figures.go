package cellcheck

import (
	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
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

// columnCount is how well the words near a figure name a column.
type columnCount struct {
	column   int32
	matched  int32
	distance int32
}

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

func (x *Checker) matchFigure(f *figures.Figure, a *address) match {
	m := match{in: -1, inBest: -1, outside: -1}
	m.best, m.clear = x.columnFor(f)
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
		if x.holdsScore(&a, f, other) {
			return figureState{verdict: supported, cell: -1}
		}
		if a.n == 1 && a.strength == inClause {
			x.list.Add(figureindex.Finding{Kind: figureindex.Number, Weight: weightScore, Start: f.Start, End: f.End, Source: -1})
			return figureState{verdict: contradicted, cell: -1}
		}
		return figureState{cell: -1}
	}
	if s, ok := x.checkQuantity(d, f); ok {
		return s
	}
	m := x.matchFigure(f, &a)
	clause := x.claim.clauseOf(f.First)
	loose := x.compares(d, clause)
	switch {
	case m.inBest >= 0:
		return figureState{verdict: supported, cell: m.inBest}
	case m.in >= 0 && m.clear && !loose && !x.claim.namesAll(x, x.Cells[m.in].Column, clause) && x.sameUnit(m.best, x.Cells[m.in].Column) && !x.derived(f, true):
		return x.refute(f, x.namedCell(&a, m.best, f), weightSwap)
	case m.in >= 0:
		return figureState{verdict: supported, cell: m.in}
	case m.outside >= 0 && a.strength >= inClaim && !loose && x.isSpecific(f, x.Cells[m.outside].Column, clause) && !(m.clear && m.best != x.Cells[m.outside].Column):
		return x.refute(f, x.namedCell(&a, x.Cells[m.outside].Column, f), weightSwap)
	case m.outside >= 0 && (a.strength < inClaim || loose):
		return figureState{verdict: supported, cell: m.outside}
	case x.derived(f, m.clear && !loose):
		return figureState{verdict: supported, cell: -1}
	case loose:
	case m.clear:
		return figureState{verdict: unread, cell: x.namedCell(&a, m.best, f)}
	default:
		return figureState{cell: x.onlyMeasure(&a, f)}
	}
	return figureState{cell: -1}
}

// checkQuantity compares "three kettles" with the quantity of the record that names kettles.
func (x *Checker) checkQuantity(d *detectors.Document, f *figures.Figure) (s figureState, ok bool) {
	r := &x.claim
	if f.Kind != figures.Count || f.Unit.Dimension != figures.None {
		return s, false
	}
	for i := range r.namings {
		n := &r.namings[i]
		if n.token != f.Last {
			continue
		}
		for k := x.Records[n.record].FirstCell; k >= 0; k = x.Cells[k].Next {
			c := &x.Cells[k]
			if c.Kind != cells.NumberValue || !x.isQuantity(c.Column) {
				continue
			}
			if x.holds(c, f) {
				return figureState{verdict: supported, cell: k}, true
			}
			return x.refute(f, k, weightCell), true
		}
	}
	return s, false
}

// isQuantity reports a column such as "qty".
func (x *Checker) isQuantity(column int32) bool {
	c := &x.Columns[column]
	for w := c.FirstWord; w < c.EndWord; w++ {
		if x.Words[w].Concept != synonyms.NoConcept && x.Words[w].Concept == x.quantity {
			return true
		}
	}
	return false
}

// sameUnit reports whether the columns measure the same, so that one may be taken for the other.
func (x *Checker) sameUnit(a, b int32) bool {
	return x.Columns[a].Unit.Dimension == x.Columns[b].Unit.Dimension && x.Columns[a].Percent == x.Columns[b].Percent
}

// isSpecific reports a figure that can hardly mean anything but the column: its key is there, or it has a unit or many digits.
func (x *Checker) isSpecific(f *figures.Figure, column int32, clause int16) bool {
	return f.Unit.Dimension != figures.None || f.Kind != figures.Count && f.Kind != figures.Ordinal || f.Decimals > 0 || f.Value >= 100 ||
		x.claim.namesColumn(column, clause)
}

// onlyMeasure returns the only cell of the named records with the figure's unit, -1 for none or several.
func (x *Checker) onlyMeasure(a *address, f *figures.Figure) int32 {
	if f.Unit.Dimension == figures.None || f.Unit.Dimension == figures.Duration || f.Unit.Dimension == figures.Calendar {
		return -1
	}
	only := int32(-1)
	for i := range x.Cells {
		c := &x.Cells[i]
		for k := c.FirstFigure; k < c.EndFigure && x.covers(a, c.Record); k++ {
			if x.Figures[k].Unit.Dimension != f.Unit.Dimension {
				continue
			}
			if only >= 0 {
				return -1
			}
			only = int32(i)
		}
	}
	return only
}

// refute adds a finding unless no cell is named.
func (x *Checker) refute(f *figures.Figure, at int32, weight float32) figureState {
	if at < 0 {
		return figureState{verdict: supported, cell: -1}
	}
	x.list.Add(x.finding(at, f.Start, f.End, weight))
	return figureState{verdict: contradicted, cell: at}
}

// namedCell returns the only cell of the column among the named records that f could be compared with, -1 for none.
func (x *Checker) namedCell(a *address, column int32, f *figures.Figure) int32 {
	only := int32(-1)
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Column != column || !x.covers(a, c.Record) || c.EndFigure == c.FirstFigure || !x.comparable(c, f) {
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
func (x *Checker) holds(c *cells.Cell, f *figures.Figure) bool {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		g := &x.Figures[k]
		if figures.Compare(f, g) >= figures.Rounded {
			return true
		}
		if x.sameDigits(f, g) || x.isScaled(c, f, g) {
			return true
		}
		if f.Kind == figures.Percent && g.Kind == figures.Count && g.Value > 0 && g.Value <= 1 && sameNumber(f.Value, 100*g.Value) {
			return true
		}
	}
	return false
}

// sameDigits reports equal numbers of which at most one has a unit.
func (x *Checker) sameDigits(f, g *figures.Figure) bool {
	return f.Kind != figures.Clock && g.Kind != figures.Clock && f.Kind != figures.Percent && g.Month == 0 && f.Month == 0 &&
		(f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None) && sameNumber(f.Value, g.Value)
}

// isScaled reports a value whose key has a scale: 450 of budget_k_eur is 450,000.
func (x *Checker) isScaled(c *cells.Cell, f, g *figures.Figure) bool {
	scale := x.Columns[c.Column].Scale
	if scale == 0 {
		return false
	}
	scaled := *g
	scaled.Value *= scale
	return figures.Compare(f, &scaled) >= figures.Rounded
}

// comparable reports whether the cell has a figure of the kind and dimension of f.
func (x *Checker) comparable(c *cells.Cell, f *figures.Figure) bool {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		g := &x.Figures[k]
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
func (x *Checker) columnFor(f *figures.Figure) (best int32, isClear bool) {
	r := &x.claim
	r.counts = r.counts[:0]
	clause := r.clauseOf(f.First)
	for i := range r.keys {
		k := &r.keys[i]
		if !x.counts(k.word, &x.Columns[k.column]) && !x.Words[k.word].Optional || k.opposite || r.belongsToOther(f, k.token) || r.clauseOf(k.token) != clause || k.token >= f.First && k.token < f.Last {
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
	return best, matched >= x.Columns[best].Needed && least <= clearReach && !x.isShared(best) && !x.countsOther(f, best)
}

// isShared reports a column whose key has no word of its own: "lifts_total" beside "lifts_open".
func (x *Checker) isShared(column int32) bool {
	c := &x.Columns[column]
	for w := c.FirstWord; w < c.EndWord && !c.Distinct; w++ {
		if x.Words[w].Shared && !x.Words[w].Generic {
			return true
		}
	}
	return false
}

// countsOther reports whether the word after a bare number is no word of the column: "40 points from 18 games".
func (x *Checker) countsOther(f *figures.Figure, column int32) bool {
	r := &x.claim
	if !f.Counts || f.Unit.Dimension != figures.None || f.Last >= r.last || f.Kind != figures.Count {
		return false
	}
	for i := range r.keys {
		if k := &r.keys[i]; k.column == column && (k.token == f.First-1 || k.token >= f.Last && k.token < f.Last+clearReach) {
			return false
		}
	}
	return !r.stops[f.Last-r.first]
}

// belongsToOther reports whether the token directly follows another figure, which it thus counts.
func (r *claimReader) belongsToOther(f *figures.Figure, token int32) bool {
	for i := range r.figures {
		if g := &r.figures[i]; g.First != f.First && g.Last == token {
			return true
		}
	}
	return false
}

func sameNumber(a, b float64) bool {
	far := a - b
	return far <= 1e-9*(1+a) && -far <= 1e-9*(1+a)
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
func (x *Checker) isBetween(f *figures.Figure, token int32) bool {
	r := &x.claim
	for i := range r.figures {
		if g := &r.figures[i]; g.First >= min(f.Last, token) && g.First < max(f.First, token) && g.First != f.First {
			return true
		}
	}
	return false
}

// hasComparable reports whether the column has figures of the kind of f.
func (x *Checker) hasComparable(column int32, f *figures.Figure) bool {
	x.Work.Spend(1 + len(x.Cells)/detectors.ScanRows)
	for i := range x.Cells {
		if c := &x.Cells[i]; c.Column == column && c.EndFigure > c.FirstFigure && x.comparable(c, f) {
			return true
		}
	}
	return false
}

// namesColumn reports whether the clause has a word of the column's key.
func (r *claimReader) namesColumn(column int32, clause int16) bool {
	for i := range r.keys {
		if r.keys[i].column == column && r.clauseOf(r.keys[i].token) == clause {
			return true
		}
	}
	return false
}
