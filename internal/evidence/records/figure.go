package records

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// bound is what the fields say of a figure.
type bound struct {
	matched, other             *field // that have it: in scope, in another record
	near, cross                *field // with the nearest label, and another figure; cross also if the unit has that one, too
	kin                        *field // of the same measure
	kins                       int
	atMatched, atNear, atCross int32 // distances of the labels
}

// checkFigure holds a figure against the fields.
func (r *Reading) checkFigure(f *evidence.Figure) {
	if r.isNoValue(f) {
		return
	}
	r.setVague(f.Term)
	if r.summed && r.checkTotal(f) {
		return
	}
	switch b := r.bind(f); {
	case b.matched != nil:
		r.checkMatched(f, &b)
	case r.isElsewhere(&f.Figure):
	case b.other != nil:
		r.checkOther(f, &b)
	case b.near != nil || b.kin != nil:
		r.checkMissing(f, &b)
	}
}

// isNoValue reports a figure that is part of a name or label, and "two times".
func (r *Reading) isNoValue(f *evidence.Figure) bool {
	if f.Kind == figures.Label || f.Kind == figures.Ordinal || r.term(f.Term).Has(evidence.Head) || r.isNamed(f.Term) {
		return true
	}
	if f.IsBare() && f.Term+1 < r.last && times.Has(r.term(f.Term+1).Word) {
		return true
	}
	return r.isInPath(f.Term) || r.isInKey(f.Term)
}

// isInKey reports a term with a digit that is part of the key of a field.
func (r *Reading) isInKey(term int32) bool {
	for _, i := range r.live {
		for _, id := range r.idsOf(r.fields[i].key) {
			if isDigit(r.parts[id].text[0]) && r.isExact(id, term) {
				return true
			}
		}
	}
	return false
}

// isInPath reports a word of digits and letters, such as 55Q, that is in the path of a record.
func (r *Reading) isInPath(term int32) bool {
	named := r.anyWord(term, func(w *word) bool {
		return strings.ContainsFunc(w.text, unicode.IsDigit) && strings.ContainsFunc(w.text, unicode.IsLetter)
	})
	word := r.term(term).Word
	return named && r.work.Spend(len(r.x.Evidence.Terms)) &&
		slices.ContainsFunc(r.x.Evidence.Terms, func(t evidence.Term) bool { return t.Word == word && t.Has(evidence.Head) })
}

// isPrecise reports a figure that is exact, no part of something, and in a clause that does not compare.
func (r *Reading) isPrecise(f *evidence.Figure) bool {
	return !r.vague && !r.isPart(f) && f.Sense == figures.Exact
}

// checkMatched accuses a figure of one field that stands beside the label of another one.
func (r *Reading) checkMatched(f *evidence.Figure, b *bound) {
	if b.cross == nil {
		r.Agreed[r.unit]++
		return
	}
	own := r.near(b.matched.label, b.cross.label, f.Term)
	if own <= r.near(b.cross.label, b.matched.label, f.Term)+2 {
		r.Agreed[r.unit]++
		return
	}
	sure := own >= far && b.atCross <= 1 && !r.records[b.cross.record].single && !r.isUsed(b.cross) && r.isPrecise(f) && r.isClear(b.cross, f.Term)
	r.find(Crossed, sure, f.Term, f.Term, b.cross)
	r.cross(b.cross, b.matched)
}

// checkTotal holds a total against the sum of the field beside whose label it stands, and reports whether there is one. What is less
// than one of the values, or far from the sum, is a total of something else.
func (r *Reading) checkTotal(f *evidence.Figure) bool {
	d := r.totalOf(f)
	if d == nil {
		return false
	}
	n, sum, most := r.column(d)
	if n < 2 || len(r.scopeAt(f.Term)) > 0 || f.Sense != figures.Exact || f.Value < most || f.Value > 2*sum || r.isElsewhere(&f.Figure) {
		return true
	}
	g := r.figures[d.figures.First]
	if g.Value = sum; figurematch.Compare(&f.Figure, &g) == figurematch.NoMatch {
		r.find(Figure, !r.isPart(f), f.Term, f.Term, d)
	}
	return true
}

// totalOf is a field of a table beside whose label the figure stands.
func (r *Reading) totalOf(f *evidence.Figure) *field {
	for _, i := range r.live {
		d := &r.fields[i]
		if !r.records[d.record].single && r.isComparable(f, d) && r.near(d.label, text.Range{}, f.Term) <= beside {
			if _, ok := r.labelled(d.label); ok {
				return d
			}
		}
	}
	return nil
}

// checkMissing accuses a figure that no field has, beside the label of one, or of the only measure of its kind.
func (r *Reading) checkMissing(f *evidence.Figure, b *bound) {
	d := b.near
	if d == nil {
		d = b.kin
	}
	derived := r.isDerived(f)
	byChance := b.near != nil && !r.vague && f.Kind != figures.Percent && f.Value > 1
	if r.isAggregate(f, d) || derived && !byChance || r.isGap(f, d) {
		return
	}
	r.find(Figure, r.isPrecise(f) && (r.isBeside(f, b) || !derived && r.isOnlyKin(f, b)), f.Term, f.Term, d)
}

// isBeside reports a figure right beside the label of a field, or a measure that is the only figure of its clause.
func (r *Reading) isBeside(f *evidence.Figure, b *bound) bool {
	return b.near != nil && b.near.isPure() && (b.atNear <= beside || (!f.IsBare() || f.Decimals > 0) && r.isAlone(f.Term)) && r.isClear(b.near, f.Term)
}

// isAlone reports the only figure of a clause.
func (r *Reading) isAlone(at int32) bool {
	n := 0
	for i := range r.own {
		if r.clause[r.own[i].Term-r.first] == r.clause[at-r.first] {
			n++
		}
	}
	return n == 1
}

// isOnlyKin reports that one field alone measures what the figure does: of the record that the clause names, or of all. Ages
// and the like are told of much that no record has.
func (r *Reading) isOnlyKin(f *evidence.Figure, b *bound) bool {
	if b.kins != 1 || !b.kin.isPure() || !r.isExplicit(b.kin, f.Term) {
		return false
	}
	if !r.records[b.kin.record].single {
		return len(r.scopeAt(f.Term)) == 1
	}
	dim := f.Figure.Unit.Dimension
	return b.near == b.kin || f.Kind < figures.Date && (b.kin.named || dim != figures.Duration && dim != figures.Calendar)
}

// cross makes the last finding sure if another figure of the unit is crossed with it.
func (r *Reading) cross(field, matched *field) {
	last := &r.Findings[len(r.Findings)-1]
	last.field, last.matched = r.indexOf(field), r.indexOf(matched)
	for i := range r.Findings {
		if o := &r.Findings[i]; o.Kind == Crossed && o.Unit == r.unit && !r.row && o.field == last.matched && o.matched == last.field {
			o.Sure, last.Sure = true, true
		}
	}
}

// indexOf is the index of a field among those of all records.
func (r *Reading) indexOf(f *field) int32 {
	list := r.fieldsOf(f.record)
	for i := range list {
		if &list[i] == f {
			return r.records[f.record].fields.First + int32(i)
		}
	}
	return -1
}

// checkOther accuses a figure that another record has in the same field.
func (r *Reading) checkOther(f *evidence.Figure, b *bound) {
	for _, rec := range r.scopeAt(f.Term) {
		d := r.sameField(rec, b.other)
		if d == nil || !r.isComparable(f, d) || r.isUsed(d) {
			continue
		}
		if r.vague && r.isDerived(f) {
			return
		}
		sure := r.isExplicit(d, f.Term) && len(r.scopeAt(f.Term)) == 1 && !r.compared && !r.isPart(f) && !r.isAggregate(f, d)
		r.find(Swap, sure && r.isTelling(f, d, b), f.Term, f.Term, d)
		return
	}
}

// isTelling reports a figure that can hardly be of another field than d.
func (r *Reading) isTelling(f *evidence.Figure, d *field, b *bound) bool {
	return d == b.near && b.atNear <= beside || b.kin != nil && r.isMeasured(d, f.Kind) || f.Kind == figures.Count && f.Value >= minRare
}

// minRare is the least number that hardly stands in a claim by chance.
const minRare = 3000

// isPart reports "four of five".
func (r *Reading) isPart(f *evidence.Figure) bool {
	return f.IsBare() && (f.Term > r.first && r.term(f.Term-1).Word == hashOf || f.Term+1 < r.last && r.term(f.Term+1).Word == hashOf)
}

// isClear reports a field that the unit names with its whole label, in a clause without negation.
func (r *Reading) isClear(f *field, at int32) bool {
	_, ok := r.labelled(f.label)
	_, doubted := r.denials(at)
	return ok && !doubted && r.isExplicit(f, at)
}

// isAggregate reports the number of records, or the total or mean of the field over them, where no single one is named.
func (r *Reading) isAggregate(f *evidence.Figure, d *field) bool {
	n, sum, _ := r.column(d)
	if n < 2 || f.Value == float64(n) {
		return n > 1
	}
	one := len(r.scopeAt(f.Term)) == 1 && !r.vague
	return !one && (figurematch.SameNumber(f.Value, sum) || figurematch.SameNumber(f.Value, sum/float64(n)))
}

// minGap is the least difference that hardly is that of two values by chance.
const minGap = 10

// isGap reports the difference between the field and that of another record of its table, or one step from it: a balance after a payment; and a count
// beside it.
func (r *Reading) isGap(f *evidence.Figure, d *field) bool {
	if r.work.Spend(len(r.fields)); r.isCountOf(f, d) {
		return true
	}
	isStep := r.work.Spend(len(r.x.Evidence.Figures)/4) && r.x.IsStep(&f.Figure, r.x.Evidence.Terms[d.terms.First:d.terms.Last])
	return isStep || f.Value >= minGap && slices.ContainsFunc(r.fields, func(o field) bool {
		return o.figures.Len() == 1 && r.records[o.record].table == r.records[d.record].table && slices.Equal(r.idsOf(o.key), r.idsOf(d.key)) &&
			figurematch.SameNumber(f.Value, math.Abs(r.figures[o.figures.First].Value-r.figures[d.figures.First].Value))
	})
}

// isCountOf reports a small number of people, things, days or weeks beside the label of a field that is much larger: "for two weeks".
func (r *Reading) isCountOf(f *evidence.Figure, d *field) bool {
	const most, times = 12, 5
	return (f.IsBare() || f.Spelled) && f.Value <= most && f.Decimals == 0 && math.Abs(r.figures[d.figures.First].Value) >= times*f.Value
}

// bind finds the fields of the figure.
func (r *Reading) bind(f *evidence.Figure) (b bound) {
	b.atNear, b.atCross, b.atMatched = reach+1, reach+1, far+1
	for _, i := range r.live {
		d := &r.fields[i]
		if d.figures.Len() == 0 {
			continue
		}
		switch scope := r.inScope(d, f.Term); {
		case r.matches(f, d):
			r.bindSame(f, d, scope, &b)
		case scope && r.isComparable(f, d):
			r.bindOther(f, d, &b)
		}
	}
	return b
}

// isPure reports a field with a figure and at most one word beside it.
func (d *field) isPure() bool { return d.figures.Len() == 1 && d.terms.Len() <= 2 }

// bindSame notes a field that has the figure.
func (r *Reading) bindSame(f *evidence.Figure, d *field, scope bool, b *bound) {
	at := r.near(d.label, text.Range{}, f.Term)
	if scope && at < b.atMatched {
		b.matched, b.atMatched = d, at
	}
	if !scope && (b.other == nil || r.isComparable(f, d) && at < far) {
		b.other = d
	}
}

// bindOther notes a field that the figure could be of, but is not.
func (r *Reading) bindOther(f *evidence.Figure, d *field, b *bound) {
	at := r.near(d.label, text.Range{}, f.Term)
	if at < b.atCross {
		b.cross, b.atCross = d, at
	}
	if r.isUsed(d) {
		return
	}
	if at < b.atNear {
		b.near, b.atNear = d, at
	}
	if f.Kind == figures.Code || f.IsBare() || !r.isMeasured(d, f.Kind) {
		return
	}
	if b.kin == nil || r.figures[b.kin.figures.First].Value != r.figures[d.figures.First].Value || f.Kind == figures.Date {
		b.kins++
	}
	b.kin = d
}

// isMeasured reports a field that says what its figure measures.
func (r *Reading) isMeasured(d *field, kind figures.Kind) bool {
	g := &r.figures[d.figures.First]
	if kind == figures.Money && r.isPrice(d) {
		return true
	}
	return g.Kind != figures.Count || g.Unit.Dimension != figures.None
}

// isPrice reports a field that is an amount of money by its label.
func (r *Reading) isPrice(d *field) bool {
	return slices.ContainsFunc(r.idsOf(d.label), func(id int32) bool { return prices.Has(text.Hash(r.parts[id].text)) })
}

// matches reports a field with the figure.
func (r *Reading) matches(f *evidence.Figure, d *field) bool {
	for i := d.figures.First; i < d.figures.Last; i++ {
		g := &r.figures[i]
		switch level := figurematch.Compare(&f.Figure, g); {
		case level > figurematch.SameValue, isRatio(&f.Figure, g):
			return true
		case level == figurematch.SameValue:
			if a, b := f.Figure.Unit, g.Unit; a.Dimension == figures.None || b.Dimension == figures.None || a == b {
				return true
			}
		}
	}
	return false
}

// isRatio reports a percentage that is written as a ratio: 20 % and 0.2.
func isRatio(f, g *figures.Figure) bool {
	return f.Kind == figures.Percent && g.Kind == figures.Count && g.Value > 0 && g.Value < 1 && figurematch.SameNumber(f.Value, g.Value*100)
}

// isUsed reports whether another figure of the unit is that of the field.
func (r *Reading) isUsed(d *field) bool {
	for i := range r.own {
		if r.inScope(d, r.own[i].Term) && r.matches(&r.own[i], d) {
			return true
		}
	}
	return false
}

// isComparable reports a figure that could stand for the only one of its kind in the field.
func (r *Reading) isComparable(f *evidence.Figure, d *field) bool {
	isAmount := !f.IsBare() || f.End-f.Start != r.x.Evidence.Terms[d.terms.First].End-r.x.Evidence.Terms[d.terms.First].Start // where a code has as many digits
	if u := f.Figure.Unit.Dimension; d.code && isAmount || (u == figures.Duration || u == figures.Calendar) && r.isPrice(d) { // "three months' rent"
		return false
	}
	n := 0
	for i := d.figures.First; i < d.figures.Last; i++ {
		if canStand(&f.Figure, &r.figures[i]) {
			n++
		}
	}
	return n == 1
}

// canStand reports figures of which one may stand for the other.
func canStand(f, g *figures.Figure) bool {
	if f.Kind >= figures.Date || g.Kind >= figures.Date {
		return f.Kind == g.Kind && (f.Kind != figures.Date || (f.Day != 0) == (g.Day != 0) && (f.Month != 0) == (g.Month != 0))
	}
	if f.Kind == figures.Money && g.Kind == figures.Count && g.Counts {
		return false
	}
	return (f.Kind == figures.Percent) == (g.Kind == figures.Percent) && (f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None)
}

// isElsewhere reports a figure that a passage or the user has.
func (r *Reading) isElsewhere(f *figures.Figure) bool {
	r.work.Spend(len(r.x.Evidence.Figures))
	for i := range r.x.Evidence.Figures {
		g := &r.x.Evidence.Figures[i]
		if u := &r.x.Evidence.Units[g.Unit]; u.Form != units.Record && u.Form != units.Row && figurematch.Compare(f, &g.Figure) >= figurematch.SameValue {
			return true
		}
	}
	return false
}

const maxTold = 6 // figures of the answer that another one may follow from

// isDerived reports a figure that follows from those of the records in scope, of the claim, or told before.
func (r *Reading) isDerived(f *evidence.Figure) bool {
	var from [evidence.MaxOperands]figures.Figure
	n := 0
	r.work.Spend(evidence.DerivationWork(len(from)))
	told := r.x.Answer.Figures[:r.x.Answer.Units[r.unit].Figures.Last]
	for i := len(told) - 1; i >= 0 && n < maxTold; i-- {
		if told[i].Term != f.Term {
			from[n] = told[i].Figure
			n++
		}
	}
	for _, i := range r.live {
		d := &r.fields[i]
		for k := d.figures.First; k < d.figures.Last && n < len(from) && r.inScope(d, f.Term); k++ {
			from[n] = r.figures[k]
			if g := &from[n]; g.Kind == figures.Count && g.Value > 0 && g.Value < 1 {
				g.Kind, g.Value = figures.Percent, 100*g.Value
			}
			n++
		}
	}
	return evidence.Derivable(&f.Figure, from[:n])
}
