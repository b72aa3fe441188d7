package facts

import (
	"math"
	"time"

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
const maxOperands = 24

// maxTriples is how many figures are combined in threes.
const maxTriples = 16

// isDerived reports a figure that follows from others by one or two steps of arithmetic.
func (e *evidence) isDerived(i int32) bool {
	f := &e.answer.figures[i]
	e.gather(i)
	e.doc.Work().Spend(len(e.answer.words) + len(e.sources.words)/claimWords + len(e.near)*len(e.near)*min(len(e.near), maxTriples))
	switch f.Kind {
	case figures.Date:
		return e.isDerivedDate(f)
	case figures.Clock:
		return e.isDerivedClock(f)
	case figures.Code, figures.Label:
		return false
	default:
	}
	return e.isSpan(f) || e.isComputed(f) || e.isGroup(f) || e.isShare(i, f)
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

// isComputed reports a sum, difference, product, ratio or percentage of two or three operands.
func (e *evidence) isComputed(f *figures.Figure) bool {
	for i := range e.near {
		a := &e.near[i]
		if a.Kind == figures.Date || a.Kind == figures.Clock {
			continue
		}
		if mayAdd(f, a) && fitsScaled(f, a) {
			return true
		}
		for k := i + 1; k < len(e.near); k++ {
			b := &e.near[k]
			if b.Kind != figures.Date && b.Kind != figures.Clock && e.fromPair(f, a, b) {
				return true
			}
		}
	}
	return false
}

// mayAdd reports figures that are not of two known quantities: metres and euros have no sum.
func mayAdd(a, b *figures.Figure) bool {
	return a.Unit.Dimension == b.Unit.Dimension || a.Unit.Dimension == figures.None || b.Unit.Dimension == figures.None
}

// fitsScaled reports the same amount per another period, doubled or halved, or the rest to 100 %.
func fitsScaled(f, a *figures.Figure) bool {
	for _, k := range [...]float64{12, 60, 24, 7, 52, 365, 30, 2, 1000, 100, 4} {
		if fits(f, a.Value*k) || fits(f, a.Value/k) {
			return true
		}
	}
	return a.Kind == figures.Percent && fits(f, 100-a.Value)
}

// fitsAny reports whether one of the values is the figure.
func fitsAny(f *figures.Figure, values ...float64) bool {
	for _, v := range values {
		if fits(f, v) {
			return true
		}
	}
	return false
}

// fromPair reports a figure that follows from two operands, or from them and a third one.
func (e *evidence) fromPair(f, a, b *figures.Figure) bool {
	x, y := a.Value, b.Value
	if f.Unit.Dimension != figures.None && a.Unit.Dimension == f.Unit.Dimension && a.Unit.Dimension == b.Unit.Dimension {
		x, y = x*a.Unit.Factor/f.Unit.Factor, y*b.Unit.Factor/f.Unit.Factor
	}
	if mayAdd(a, b) && mayAdd(f, a) && mayAdd(f, b) && fitsAny(f, x+y, math.Abs(x-y), (x+y)/2) || fitsAny(f, x*y, x/y, y/x) {
		return true
	}
	if f.Kind == figures.Percent && fitsAny(f, 100*x/y, 100*y/x, 100*math.Abs(x-y)/y, 100*math.Abs(x-y)/x) {
		return true
	}
	if a.Kind == figures.Percent && fitsAny(f, x*y/100, y*(1-x/100), y*(1+x/100)) || b.Kind == figures.Percent && fitsAny(f, x*y/100, x*(1-y/100), x*(1+y/100)) {
		return true
	}
	return len(e.near) <= maxTriples && e.fromThree(f, a, b)
}

func (e *evidence) fromThree(f, a, b *figures.Figure) bool {
	x, y := a.Value, b.Value
	for i := range e.near {
		c := &e.near[i]
		if c.Kind == figures.Date || c.Kind == figures.Clock || c == a || c == b {
			continue
		}
		z, far := c.Value, math.Abs(x-y)
		if fitsAny(f, x+y+z, x*y*z, x*y+z, math.Abs(x*y-z), far*z, (x+y)*z, math.Abs(x-y-z), math.Abs(x+y-z), x*y/z, far/z) {
			return true
		}
	}
	return false
}

// isSpan reports the time between two dates or clocks.
func (e *evidence) isSpan(f *figures.Figure) bool {
	for i := range e.near {
		for k := range e.near {
			a, b := &e.near[i], &e.near[k]
			if i == k || a.Kind != b.Kind {
				continue
			}
			if a.Kind == figures.Clock && isMinutes(f, math.Mod(b.Value-a.Value+1440, 1440)) {
				return true
			}
			if days, ok := daysBetween(a, b); ok && isDays(f, days) {
				return true
			}
		}
	}
	return false
}

func isMinutes(f *figures.Figure, minutes float64) bool {
	if f.Unit.Dimension == figures.Duration {
		return math.Abs(f.Value*f.Unit.Factor-minutes*60) <= .02*minutes*60+30
	}
	return f.Value == minutes || f.Value == minutes/60
}

func isDays(f *figures.Figure, days float64) bool {
	if days <= 0 {
		return false
	}
	switch f.Unit.Dimension {
	case figures.Duration:
		return math.Abs(f.Value*f.Unit.Factor/86400-days) <= 1+.02*days
	case figures.Calendar:
		return math.Abs(f.Value*f.Unit.Factor*30.44-days) <= 20*f.Unit.Factor
	default:
	}
	return math.Abs(f.Value-days) <= 1 || math.Abs(f.Value-days/365.25) < 1
}

// daysBetween is the time from one date to another; a missing year is that of the other one.
func daysBetween(a, b *figures.Figure) (days float64, ok bool) {
	if a.Kind != figures.Date || b.Kind != figures.Date {
		return 0, false
	}
	x, okX := dayOf(a, b)
	y, okY := dayOf(b, a)
	return y.Sub(x).Hours() / 24, okX && okY
}

func dayOf(a, other *figures.Figure) (time.Time, bool) {
	year := a.Year
	if year == 0 {
		year = other.Year
	}
	if year == 0 {
		year = 2026
	}
	if a.Month == 0 && a.Year == 0 {
		return time.Time{}, false
	}
	return time.Date(int(year), time.Month(max(a.Month, 1)), int(max(a.Day, 1)), 0, 0, 0, 0, time.UTC), true
}

// isDerivedDate reports a date that is a duration before or after another one.
func (e *evidence) isDerivedDate(f *figures.Figure) bool {
	for i := range e.near {
		a := &e.near[i]
		if a.Kind != figures.Date {
			continue
		}
		if f.Weekday != 0 && f.Day == 0 {
			if at, ok := dayOf(a, a); ok && a.Day != 0 && int(at.Weekday()+6)%7+1 == int(f.Weekday) {
				return true
			}
			continue
		}
		days, ok := daysBetween(a, f)
		for k := range e.near {
			if b := &e.near[k]; ok && b.Kind <= figures.Ordinal && isDays(b, math.Abs(days)) {
				return true
			}
		}
	}
	return false
}

// isDerivedClock reports a time that is a duration before or after another one.
func (e *evidence) isDerivedClock(f *figures.Figure) bool {
	for i := range e.near {
		for k := range e.near {
			a, b := &e.near[i], &e.near[k]
			if a.Kind == figures.Clock && b.Kind == figures.Count &&
				(isMinutes(b, math.Mod(f.Value-a.Value+1440, 1440)) || isMinutes(b, math.Mod(a.Value-f.Value+1440, 1440))) {
				return true
			}
		}
	}
	return false
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
