package cellcheck

import (
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/internal/text"
	"confab/internal/text/figures"
)

//nolint:gochecknoglobals // read-only tables
var (
	clockJoints = text.HashSet("past to")
	rangeJoints = text.HashSet("to through until till and")
	// comparisons are words of a sentence about differences.
	comparisons = text.HashSet(`ahead behind more less fewer higher lower longer shorter cheaper older younger later earlier difference
than gap lead increase increased decrease decreased rise rose fall fell dropped drop grew gained lost saved faster slower apart total
together altogether sum combined average remaining left remain still over including inclusive`)
)

// adjustFigures makes values of figures that have a meaning only with the words around them. It changes a copy.
func (x *Checker) adjustFigures(d *detectors.Document, found []figures.Figure) {
	r := &x.claim
	r.figures = append(r.figures[:0], found...)
	for i := range r.figures {
		f := &r.figures[i]
		if f.Sense == figures.AtLeast || f.Sense == figures.AtMost {
			f.Sense = figures.Exact
		}
		x.readUnit(d, f)
		if f.Kind == figures.Count && f.First > r.first && f.Value <= 24 && clockJoints.Has(d.Tokens()[f.First-1].Hash) && f.Spelled && f.Unit.Dimension == figures.None {
			f.Kind = figures.Label // "half past eight"
		}
		if i > 0 {
			x.joinFigures(d, &r.figures[i-1], f)
		}
	}
}

// readUnit reads units that are ambiguous in prose: "0.4 m", "12 h", "169 km/h".
func (x *Checker) readUnit(d *detectors.Document, f *figures.Figure) {
	after := d.Answer()[f.End:min(len(d.Answer()), int(f.End)+3)]
	if f.Unit.Dimension == figures.Length && strings.HasPrefix(after, "/h") {
		f.Unit = figures.Unit{Dimension: figures.Speed, Factor: 1}
		return
	}
	if f.Kind != figures.Count || f.Unit.Dimension != figures.None || int(f.Last) >= len(d.Tokens()) {
		return
	}
	w := &d.Tokens()[f.Last]
	if name := w.In(d.Answer()); len(name) <= 2 && text.Between(d.Answer(), f.End, w.Start) == " " {
		if u, ok := cells.ShortUnit(w); ok && name != "f" && name != "c" && name != "s" {
			f.Unit, f.Counts = u, false
		}
	}
}

// joinFigures joins the parts of "17 hours and 25 minutes" and "13 to 19 October".
func (x *Checker) joinFigures(d *detectors.Document, before, f *figures.Figure) {
	if f.First-before.Last > 1 || f.First < before.Last {
		return
	}
	gap := strings.TrimSpace(text.Between(d.Answer(), before.End, f.Start))
	if isCompound(before, f, gap) {
		total := before.Value*before.Unit.Factor + f.Value*f.Unit.Factor
		before.Value, before.Unit.Factor = total, 1
		f.Value, f.Unit.Factor = total, 1
		return
	}
	isRange := gap == "-" || gap == "–" || f.First > before.Last && rangeJoints.Has(d.Tokens()[before.Last].Hash)
	switch {
	case !isRange:
	case isDay(before) && isDate(f):
		*before = dateOf(before, f)
	case isDay(f) && isDate(before):
		*f = dateOf(f, before)
	}
}

// isCompound reports two durations of which the second has the smaller unit.
func isCompound(before, f *figures.Figure, gap string) bool {
	return (gap == "and" || gap == "" || gap == ",") &&
		before.Unit.Dimension == figures.Duration && f.Unit.Dimension == figures.Duration && f.Unit.Factor < before.Unit.Factor
}

func isDate(f *figures.Figure) bool { return f.Kind == figures.Date && f.Day > 0 }

func isDay(f *figures.Figure) bool {
	return f.Kind == figures.Count && f.Unit.Dimension == figures.None && f.Value >= 1 && f.Value <= 31 && f.Value == float64(int(f.Value))
}

// dateOf returns the day f of the month of the date.
func dateOf(f, date *figures.Figure) figures.Figure {
	day := *f
	day.Kind, day.Year, day.Month, day.Day = figures.Date, date.Year, date.Month, int8(f.Value)
	return day
}

// isScore reports a figure that a hyphen joins to another: "4-0".
func (x *Checker) isScore(d *detectors.Document, i int) (other *figures.Figure, ok bool) {
	r := &x.claim
	for _, k := range [...]int{i - 1, i + 1} {
		if k < 0 || k >= len(r.figures) {
			continue
		}
		a, b := &r.figures[min(i, k)], &r.figures[max(i, k)]
		if a.Kind == figures.Count && b.Kind == figures.Count && a.Unit.Dimension == figures.None && b.Unit.Dimension == figures.None {
			if gap := text.Between(d.Answer(), a.End, b.Start); gap == "-" || gap == "–" || gap == ":" {
				return &r.figures[k], true
			}
		}
	}
	return nil, false
}

// holdsScore reports whether one record has both numbers.
func (x *Checker) holdsScore(a *address, f, g *figures.Figure) bool {
	for i := range x.Records {
		if !x.covers(a, int32(i)) {
			continue
		}
		hasF, hasG := false, false
		for k := x.Records[i].FirstCell; k >= 0; k = x.Cells[k].Next {
			c := &x.Cells[k]
			isF := x.holds(c, f)
			hasG = hasG || x.holds(c, g) && (!isF || hasF)
			hasF = hasF || isF
		}
		if hasF && hasG {
			return true
		}
	}
	x.Work.Spend(2 * len(x.Cells))
	return false
}

// isIDPart reports a number that ends a text value: "week 18" of "2025-W18".
func (x *Checker) isIDPart(d *detectors.Document, f *figures.Figure) bool {
	if f.Kind != figures.Count && f.Kind != figures.Label && f.Kind != figures.Ordinal || f.Unit.Dimension != figures.None || f.First == x.claim.first {
		return false
	}
	digits := d.Answer()[f.Start:f.End]
	for i := range x.claim.keys {
		k := &x.claim.keys[i]
		if k.token != f.First-1 {
			continue
		}
		for c := range x.Cells {
			if e := &x.Cells[c]; e.Column == k.column && e.Kind == cells.TextValue && strings.HasSuffix(d.Source(int(e.Source))[e.Start:e.End], digits) {
				return true
			}
		}
		x.Work.Spend(1 + len(x.Cells)/2)
	}
	return false
}

// compares reports whether the clause is about differences.
func (x *Checker) compares(d *detectors.Document, clause int16) bool {
	return x.clauseHas(d, clause, comparisons)
}
