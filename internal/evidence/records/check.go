package records

import (
	"cmp"
	"slices"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

//nolint:gochecknoglobals // read-only tables, not only English
var (
	joins    = text.HashSet("and or but while whereas so because which und aber oder wahrend et mais ou y pero o")
	contrast = text.HashSet("but while whereas however although though aber wahrend mais pero")
	doubts   = text.HashSet(`unless without lacks except missing missed fail failed refused declined yet if whether neither nor instead only out free
outstanding ohne sauf sans sin sofern falls unable no none zero absent unclear unknown need needs`)
	fillers  = text.HashSet("allowed required included includes enabled available possible is has can ordered supported in of the a to on at for and active contains only used date number id no")
	articles = text.HashSet("the der die das le la el o a")
	highest  = text.HashSet("most highest largest biggest greatest maximum")
	lowest   = text.HashSet("least lowest smallest fewest minimum")
	totals   = text.HashSet("total totals together altogether overall combined sum insgesamt zusammen gesamt ensemble juntos")
	compares = text.HashSet("more less than total together difference average increase decrease rise fell rose gap longer shorter remaining combined additional extra plus minus below above ahead behind including would could if should mehr weniger insgesamt durchschnitt moins mas menos wurde sollte")
	shifts   = text.HashSet("per left over under up down each back from all both")
)

// check holds one unit of the answer against the fields.
func (r *Reading) check(unit int32) {
	u := &r.x.Answer.Units[unit]
	r.unit, r.first, r.last, r.skipped = unit, u.Terms.First, u.Terms.Last, -1
	if u.Kind != units.Statement && u.Kind != units.Short || r.first == r.last {
		return
	}
	r.row = u.Form != units.Sentence && u.Form != units.Item
	r.readClauses()
	r.readScopes()
	r.own = r.x.Answer.FiguresOf(int(unit))
	r.own = r.own[:min(len(r.own), maxOwn)]
	for i := range r.own {
		r.checkFigure(&r.own[i])
	}
	for _, i := range r.live {
		switch f := &r.fields[i]; {
		case f.state != plain:
			r.checkState(f)
		case f.figures.Len() == 0:
			r.checkWords(f)
		}
	}
	for i := r.first; i < r.last; i++ {
		if high := highest.Has(r.term(i).Word); high || lowest.Has(r.term(i).Word) {
			r.checkExtreme(i, high)
		}
	}
	r.carry()
}

// checkExtreme accuses "the highest price" of a record that does not have it.
func (r *Reading) checkExtreme(at int32, high bool) {
	scope := r.scopeAt(at)
	if len(scope) != 1 || !r.names(r.scopeOf[r.clause[at-r.first]]) {
		return
	}
	var wrong *field
	rec := &r.records[scope[0]]
	for i := rec.fields.First; i < rec.fields.Last; i++ {
		d := &r.fields[i]
		if d.figures.Len() != 1 || !r.followsLabel(d.label, at) {
			continue
		}
		if r.isExtreme(d, high) {
			return
		}
		wrong = d
	}
	if wrong != nil {
		r.find(Figure, true, at, at, wrong)
	}
}

// followsLabel reports a word of the label behind the term.
func (r *Reading) followsLabel(label text.Range, at int32) bool {
	for k := label.First; k < label.Last; k++ {
		id := r.partIDs[k]
		if !fillers.Has(text.Hash(r.parts[id].text)) && slices.ContainsFunc(r.hitsOf(id), func(t int32) bool { return t > at && t <= at+2 && t < r.last }) {
			return true
		}
	}
	return false
}

// isExtreme reports that no record of the table has more, or less, in the field.
func (r *Reading) isExtreme(d *field, high bool) bool {
	v := r.figures[d.figures.First].Value
	for i := range r.records {
		if r.records[i].table != r.records[d.record].table {
			continue
		}
		o := r.sameField(int32(i), d)
		if o == nil || o.figures.Len() != 1 {
			return true // not known
		}
		if w := r.figures[o.figures.First].Value; high && w > v || !high && w < v {
			return false
		}
	}
	return true
}

const maxOwn = 24

func (r *Reading) term(i int32) *evidence.Term { return &r.x.Answer.Terms[i] }

// setVague notes whether the unit speaks of totals, whether the clause of the term compares, or may say what no field says.
func (r *Reading) setVague(at int32) {
	r.compared, r.vague, r.summed = false, false, false
	for i := r.first; i < r.last; i++ {
		r.summed = r.summed || totals.Has(r.term(i).Word)
		if r.clause[i-r.first] == r.clause[at-r.first] {
			r.compared = r.compared || compares.Has(r.term(i).Word)
			r.vague = r.vague || r.compared || shifts.Has(r.term(i).Word)
		}
	}
}

// readClauses numbers the clauses of the unit, and its parts.
func (r *Reading) readClauses() {
	r.clause, r.part = r.clause[:0], r.part[:0]
	clause, part := int16(0), int16(0)
	for i := r.first; i < r.last; i++ {
		t := r.term(i)
		if i > r.first {
			switch {
			case r.row:
				if t.Has(evidence.Halt) && (t.Has(evidence.Head) || !r.term(i-1).Has(evidence.Head)) {
					clause, part = clause+1, part+1
				}
			case t.Has(evidence.Pause) || joins.Has(t.Word):
				clause++
				if t.Has(evidence.Halt) || contrast.Has(t.Word) {
					part++
				}
			}
		}
		r.clause, r.part = append(r.clause, clause), append(r.part, part)
	}
}

// readScopes lists the records that each clause speaks of: those that it names, else those of the clause before.
func (r *Reading) readScopes() {
	r.scope, r.scopeOf = append(r.scope[:0], r.carried...), r.scopeOf[:0]
	before := text.Range{Last: int32(len(r.carried))}
	n := r.clause[len(r.clause)-1] + 1
	at := r.first
	m, _ := slices.BinarySearchFunc(r.mentions, at, func(m mention, t int32) int { return cmp.Compare(m.term, t) })
	for c := range n {
		set := text.Range{First: int32(len(r.scope))}
		for ; at < r.last && r.clause[at-r.first] == c; at++ {
		}
		from := m
		for m < len(r.mentions) && r.mentions[m].term < at {
			m++
		}
		first := slices.ContainsFunc(r.mentions[from:m], func(m mention) bool { return m.first })
		for _, n := range r.mentions[from:m] {
			if n.first == first && !slices.Contains(r.scope[set.First:], n.record) {
				r.scope = append(r.scope, n.record)
			}
		}
		if set.Last = int32(len(r.scope)); set.Len() == 0 || !first && r.isWithin(before, set) {
			set = before
		}
		r.scopeOf = append(r.scopeOf, set)
		before = set
	}
	if len(r.scopeOf) > 1 && !r.names(r.scopeOf[0]) && r.names(r.scopeOf[1]) { // an opening before the first name
		r.scopeOf[0] = r.scopeOf[1]
	}
}

// isWithin reports records that are all in the other range, too.
func (r *Reading) isWithin(a, b text.Range) bool {
	for _, rec := range r.scope[a.First:a.Last] {
		if !slices.Contains(r.scope[b.First:b.Last], rec) {
			return false
		}
	}
	return a.Len() > 0
}

// names reports a scope that the unit itself names.
func (r *Reading) names(s text.Range) bool { return s.Len() > 0 && int(s.First) >= len(r.carried) }

// carry keeps the records that the last clause speaks of, for the next unit.
func (r *Reading) carry() {
	s := r.scopeOf[len(r.scopeOf)-1]
	r.carried = append(r.carried[:0], r.scope[s.First:s.Last]...)
}

// scopeAt are the records that the clause of the term speaks of.
func (r *Reading) scopeAt(term int32) []int32 {
	s := r.scopeOf[r.clause[term-r.first]]
	return r.scope[s.First:s.Last]
}

// inScope reports a field of a record that the clause of the term speaks of.
func (r *Reading) inScope(f *field, term int32) bool {
	return r.records[f.record].single || slices.Contains(r.scopeAt(term), f.record)
}

// isExplicit reports a field of the only record of its kind, or of one that the unit names.
func (r *Reading) isExplicit(f *field, term int32) bool {
	return r.records[f.record].single && !r.row || r.names(r.scopeOf[r.clause[term-r.first]])
}

// near is the distance of the nearest word of the label in the clause of the term, far for none. Of words of equal
// distance that behind is nearer.
func (r *Reading) near(label, without text.Range, term int32) int32 {
	best := int32(far)
	for k := label.First; k < label.Last; k++ {
		id := r.partIDs[k]
		if fillers.Has(text.Hash(r.parts[id].text)) || slices.Contains(r.partIDs[without.First:without.Last], id) {
			continue
		}
		for _, t := range r.hitsOf(id) {
			if t < r.first || t >= r.last || r.clause[t-r.first] != r.clause[term-r.first] || t == term {
				continue
			}
			if d := 2*(t-term) - 1; d > 0 {
				best = min(best, d)
			} else {
				best = min(best, 2*(term-t))
			}
		}
	}
	return best
}

const (
	far   = 1000
	reach = 12 // twice the words between a figure and its label
)

// labelled is how many words of the label, fillers left out, stand in the unit, of how many.
func (r *Reading) labelled(label text.Range) (n, all int, last int32) {
	last = -1
	for k := label.First; k < label.Last; k++ {
		id := r.partIDs[k]
		if fillers.Has(text.Hash(r.parts[id].text)) {
			continue
		}
		all++
		for _, t := range r.hitsOf(id) {
			if t >= r.first && t < r.last && (r.row || !r.term(t).Has(evidence.Head)) {
				n++
				last = max(last, t)
				break
			}
		}
	}
	return n, all, last
}

// isTold reports whether the unit has all of the value.
func (r *Reading) isTold(value text.Range, some bool) bool {
	n := int32(0)
	for k := value.First; k < value.Last; k++ {
		if slices.ContainsFunc(r.hitsOf(r.partIDs[k]), func(t int32) bool { return t >= r.first && t < r.last }) {
			n++
		}
	}
	return n > 0 && (some || int(n) == value.Len())
}

func (r *Reading) find(k Kind, sure bool, first, last int32, f *field) {
	a, b := r.x.Evidence.Terms[f.terms.First], r.x.Evidence.Terms[f.terms.Last-1]
	r.Findings = append(r.Findings, Finding{
		Kind: k, Sure: sure, Unit: r.unit, Start: r.term(first).Start, End: r.term(last).End,
		Source: r.x.Evidence.Units[r.records[f.record].unit].Source, From: a.Start, To: b.End,
	})
}

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
	if f.Kind == figures.Label || f.Kind == figures.Ordinal || r.term(f.Term).Has(evidence.Head) || r.isNamed(f.Term) {
		return
	}
	at := f.Term
	r.setVague(at)
	if r.summed && r.checkTotal(f) {
		return
	}
	b := r.bind(f)
	switch {
	case b.matched != nil && (b.cross == nil || r.near(b.matched.label, b.cross.label, at) <= r.near(b.cross.label, b.matched.label, at)+2):
		r.Agreed[r.unit]++
	case b.matched != nil:
		r.find(Crossed, b.atCross <= 1 && !r.records[b.cross.record].single && r.near(b.matched.label, b.cross.label, at) >= far && !r.vague && !r.isPart(f) && r.isClear(b.cross, at), at, at, b.cross)
		r.cross(b.cross, b.matched)
	case r.isElsewhere(&f.Figure):
	case b.other != nil:
		r.checkOther(f, &b)
	case b.near != nil || b.kin != nil:
		r.checkMissing(f, &b)
	}
}

// checkTotal holds a total against the sum of the field beside whose label it stands, and reports whether there is one.
func (r *Reading) checkTotal(f *evidence.Figure) bool {
	for _, i := range r.live {
		d := &r.fields[i]
		if r.records[d.record].single || !r.isComparable(f, d) || r.near(d.label, text.Range{}, f.Term) > 5 {
			continue
		}
		if n, all, _ := r.labelled(d.label); n == 0 || n < all {
			continue
		}
		sum, n := r.sum(d)
		g := r.figures[d.figures.First]
		g.Value = sum
		if n < 2 || len(r.scopeAt(f.Term)) > 0 || f.Sense != figures.Exact || figurematch.Compare(&f.Figure, &g) != figurematch.NoMatch {
			return n > 1
		}
		for _, k := range r.live {
			if r.matches(f, &r.fields[k]) {
				return true
			}
		}
		r.find(Figure, !r.isElsewhere(&f.Figure) && !r.isPart(f), f.Term, f.Term, d)
		return true
	}
	return false
}

// sum adds up the field over the n records of its table.
func (r *Reading) sum(d *field) (sum float64, n int) {
	for i := range r.records {
		if r.records[i].table != r.records[d.record].table {
			continue
		}
		n++
		if o := r.sameField(int32(i), d); o != nil && o.figures.Len() > 0 {
			sum += r.figures[o.figures.First].Value
		}
	}
	return sum, n
}

// checkMissing accuses a figure that no field has, beside the label of one, or of the only measure of its kind.
func (r *Reading) checkMissing(f *evidence.Figure, b *bound) {
	at, d := f.Term, b.near
	if d == nil {
		d = b.kin
	}
	derived := r.isDerived(f)
	if r.isAggregate(f, d) || derived && (b.near == nil || r.vague || f.Kind == figures.Percent || f.Value <= 1) {
		return
	}
	sure := b.near != nil && (b.atNear <= 5 || r.isAlone(at)) && r.isClear(d, at)
	if b.kins == 1 && !derived && r.isExplicit(b.kin, at) {
		dim := f.Figure.Unit.Dimension
		single := r.records[b.kin.record].single
		sure = sure || len(r.scopeAt(at)) == 1 && !single || single && (b.near == b.kin || f.Kind < figures.Date && (b.kin.named || dim != figures.Duration && dim != figures.Calendar))
	}
	r.find(Figure, sure && !r.vague && !r.isPart(f) && f.Sense == figures.Exact, at, at, d)
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

func (r *Reading) indexOf(f *field) int32 {
	for i := r.records[f.record].fields.First; i < r.records[f.record].fields.Last; i++ {
		if &r.fields[i] == f {
			return i
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
		if r.compared && r.isDerived(f) {
			return
		}
		sure := r.isExplicit(d, f.Term) && !r.compared && !r.isPart(f) && !r.isAggregate(f, d)
		r.find(Swap, sure && (d == b.near || b.kin != nil && r.isMeasured(d, f.Kind) || f.Kind == figures.Count && f.Value >= minRare), f.Term, f.Term, d)
		return
	}
}

// minRare is the least number that hardly stands in a claim by chance.
const minRare = 3000

// isPart reports "four of five".
func (r *Reading) isPart(f *evidence.Figure) bool {
	return f.Kind == figures.Count && f.Figure.Unit.Dimension == figures.None && (f.Term > r.first && r.term(f.Term-1).Word == hashOf || f.Term+1 < r.last && r.term(f.Term+1).Word == hashOf)
}

// isClear reports a field that the unit names with its whole label, in a clause without negation.
func (r *Reading) isClear(f *field, at int32) bool {
	n, all, _ := r.labelled(f.label)
	_, doubted := r.denials(at)
	return n > 0 && n == all && !doubted && r.isExplicit(f, at)
}

// isAggregate reports the number of records, or the total or mean of the field over them, where no single one is named.
func (r *Reading) isAggregate(f *evidence.Figure, d *field) bool {
	sum, n := r.sum(d)
	if n < 2 || f.Value == float64(n) {
		return n > 1
	}
	one := len(r.scopeAt(f.Term)) == 1 && !r.vague
	return !one && (figurematch.SameNumber(f.Value, sum) || figurematch.SameNumber(f.Value, sum/float64(n)))
}

// bind finds the fields of the figure.
func (r *Reading) bind(f *evidence.Figure) (b bound) {
	b.atNear, b.atCross, b.atMatched = reach+1, reach+1, far+1
	for _, i := range r.live {
		d := &r.fields[i]
		if d.figures.Len() == 0 {
			continue
		}
		scope := r.inScope(d, f.Term)
		switch {
		case r.matches(f, d):
			if !scope {
				if b.other == nil || r.isComparable(f, d) && r.near(d.label, text.Range{}, f.Term) < far {
					b.other = d
				}
				continue
			}
			if n := r.near(d.label, text.Range{}, f.Term); n < b.atMatched {
				b.matched, b.atMatched = d, n
			}
		case scope && r.isComparable(f, d):
			used := r.isUsed(d)
			n := r.near(d.label, text.Range{}, f.Term)
			if n < b.atCross {
				b.cross, b.atCross = d, n
			}
			if n < b.atNear && !used {
				b.near, b.atNear = d, n
			}
			if !used && f.Kind != figures.Code && (f.Kind != figures.Count || f.Figure.Unit.Dimension != figures.None) && r.isMeasured(d, f.Kind) {
				if b.kin == nil || r.figures[b.kin.figures.First].Value != r.figures[d.figures.First].Value || f.Kind == figures.Date {
					b.kins++
				}
				b.kin = d
			}
		}
	}
	return b
}

// isMeasured reports a field that says what its figure measures.
func (r *Reading) isMeasured(d *field, kind figures.Kind) bool {
	g := &r.figures[d.figures.First]
	if kind == figures.Money && d.label.Len() > 0 && prices.Has(text.Hash(r.parts[r.partIDs[d.label.Last-1]].text)) {
		return true
	}
	return g.Kind != figures.Count || g.Unit.Dimension != figures.None
}

func (r *Reading) matches(f *evidence.Figure, d *field) bool {
	for i := d.figures.First; i < d.figures.Last; i++ {
		g := &r.figures[i]
		switch figurematch.Compare(&f.Figure, g) {
		case figurematch.NoMatch:
		case figurematch.SameValue:
			if a, b := f.Figure.Unit, g.Unit; a.Dimension == figures.None || b.Dimension == figures.None || a == b {
				return true
			}
		default:
			return true
		}
		if f.Kind == figures.Percent && g.Kind == figures.Count && g.Value > 0 && g.Value < 1 && figurematch.SameNumber(f.Value, g.Value*100) {
			return true
		}
	}
	return false
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

// checkState holds the claim against a field that is true, false or empty.
func (r *Reading) checkState(f *field) {
	n, all, last := r.labelled(f.label)
	if n == 0 || n < all || !r.inScope(f, last) {
		return
	}
	for k := f.label.First; k < f.label.Last; k++ {
		if r.parts[r.partIDs[k]].text == "non" {
			r.skipped = last - 1
		}
	}
	denied, doubted := r.denials(last)
	r.skipped = -1
	switch {
	case f.state == isNull && !doubted:
		r.find(Null, false, last, last, f)
	case f.state == isTrue && denied, f.state == isFalse && !doubted:
		r.find(Flag, r.isPlain(f, last), last, last, f)
	case f.state != isNull:
		r.Agreed[r.unit]++
	}
}

// maxFlags is how many flags a group may have whose name the unit need not say.
const maxFlags = 4

// isPlain reports a claim that has the words of the label themselves.
func (r *Reading) isPlain(f *field, last int32) bool {
	rec := &r.records[f.record]
	if !r.isExplicit(f, last) || rec.fields.Len() > maxFlags && r.isGroup(rec) && !r.isTold(rec.names, true) {
		return false
	}
	exact, all := 0, 0
	for k := f.label.First; k < f.label.Last; k++ {
		id := r.partIDs[k]
		if fillers.Has(text.Hash(r.parts[id].text)) {
			continue
		}
		all++
		if slices.ContainsFunc(r.hitsOf(id), func(t int32) bool { return t >= r.first && t < r.last && last-t < 6 && r.isForm(id, t) }) {
			exact++
		}
	}
	t := r.term(last)
	upper := t.Has(evidence.Capital) && !t.Has(evidence.First)
	short := t.End-t.Start <= 4
	return (exact == all || all > 1 && exact > 0) && upper == (upper && short) && (!short || upper || t.End-t.Start == 4)
}

// hasForm reports a label of which the unit has a word as it is written.
func (r *Reading) hasForm(label text.Range) bool {
	for k := label.First; k < label.Last; k++ {
		id := r.partIDs[k]
		if slices.ContainsFunc(r.hitsOf(id), func(t int32) bool { return t >= r.first && t < r.last && r.isForm(id, t) }) {
			return true
		}
	}
	return false
}

// isGroup reports a record that has only flags.
func (r *Reading) isGroup(rec *record) bool {
	return !slices.ContainsFunc(r.fields[rec.fields.First:rec.fields.Last], func(f field) bool { return f.state == plain })
}

// isForm reports a term that begins with the part, or with it up to "able".
func (r *Reading) isForm(id, term int32) bool {
	if r.isExact(id, term) {
		return true
	}
	p := strings.TrimSuffix(r.parts[id].text, "able")
	for i := r.heads[p[0]]; i > 0; i = r.next[i-1] {
		if w := &r.words[i-1]; w.term == term && (len(p) >= minPrefix && strings.HasPrefix(w.text, p) || len(p) < minPrefix && isAbbreviation(p, w.text)) {
			return true
		}
	}
	return false
}

// denials reports whether a negation stands closely before the term, and whether there is any doubt in its part of the unit.
func (r *Reading) denials(at int32) (near, doubt bool) {
	for i := r.first; i < r.last; i++ {
		t := r.term(i)
		negates := (t.Has(evidence.Negates) || t.Word == hashNon) && i != r.skipped
		near = near || negates && i < at && i >= at-3 && r.part[i-r.first] == r.part[at-r.first]
		doubt = doubt || (negates || doubts.Has(t.Word)) && r.part[i-r.first] == r.part[at-r.first]
	}
	return near, doubt
}

var hashNon, hashOf = text.Hash("non"), text.Hash("of") //nolint:gochecknoglobals // read-only

// checkWords holds the claim against a field of words.
func (r *Reading) checkWords(f *field) {
	if f.value.Len() == 0 {
		return
	}
	if r.records[f.record].single {
		r.checkLabel(f)
		return
	}
	if !r.isTold(f.value, false) {
		return
	}
	for k := f.value.First; k < f.value.Last; k++ {
		for _, t := range r.hitsOf(r.partIDs[k]) {
			if t >= r.first && t < r.last && !r.term(t).Has(evidence.Stop) {
				r.checkSwap(f, t)
				return
			}
		}
	}
}

// checkSwap accuses the value, told at the term, where the record that the clause names has another one.
func (r *Reading) checkSwap(f *field, t int32) {
	if r.inScope(f, t) {
		r.Agreed[r.unit]++
		return
	}
	e := &r.x.Entries
	if id := r.term(t).ID; id >= 0 && (*e)[id].Asked {
		return
	}
	var own *field
	for _, rec := range r.scopeAt(t) {
		if r.records[rec].table != r.records[f.record].table {
			continue
		}
		d := r.sameField(rec, f)
		if d == nil || d.state != plain || r.isToldBeside(d, f) || r.isValueOf(rec, f) {
			return
		}
		own = d
	}
	if own != nil {
		_, doubted := r.denials(t)
		r.find(Swap, !doubted && r.isExplicit(own, t), t, t, own)
	}
}

// checkRole accuses the value of another field that is said to be what the label names: "Ann is the buyer".
func (r *Reading) checkRole(f *field, last int32) bool {
	at := last - 1
	for at > r.first && r.term(at).Has(evidence.Stop) && !r.term(at).Has(evidence.Pause) {
		at--
	}
	if at == last-1 || r.clause[at-r.first] != r.clause[last-r.first] {
		return false
	}
	for i := r.records[f.record].fields.First; i < r.records[f.record].fields.Last; i++ {
		d := &r.fields[i]
		if d != f && d.value.Len() > 0 && d.figures.Len() == 0 && r.endsName(d.value, at) && r.near(d.label, f.label, last) >= far {
			r.find(Other, articles.Has(r.term(last-1).Word) && r.endsName(f.label, last), at, last, f)
			return true
		}
	}
	return false
}

// isToldBeside reports a value of which the unit has words that the other one does not have.
func (r *Reading) isToldBeside(d, other *field) bool {
	o := r.partIDs[other.value.First:other.value.Last]
	for k := d.value.First; k < d.value.Last; k++ {
		if id := r.partIDs[k]; !slices.Contains(o, id) && slices.ContainsFunc(r.hitsOf(id), func(t int32) bool { return t >= r.first && t < r.last }) {
			return true
		}
	}
	return false
}

// sameField is the field of the record with the label of f.
func (r *Reading) sameField(rec int32, f *field) *field {
	a := r.partIDs[f.label.First:f.label.Last]
	for i := r.records[rec].fields.First; i < r.records[rec].fields.Last; i++ {
		if d := &r.fields[i]; slices.Equal(r.partIDs[d.label.First:d.label.Last], a) {
			return d
		}
	}
	return nil
}

// isValueOf reports a value of f that some field of the record has.
func (r *Reading) isValueOf(rec int32, f *field) bool {
	for i := r.records[rec].fields.First; i < r.records[rec].fields.Last; i++ {
		d := &r.fields[i]
		if r.holds(d.value, f.value) || r.holds(d.label, f.value) {
			return true
		}
	}
	return false
}

// holds reports a range of parts that has all of the other.
func (r *Reading) holds(in, parts text.Range) bool {
	for k := parts.First; k < parts.Last; k++ {
		if !slices.Contains(r.partIDs[in.First:in.Last], r.partIDs[k]) {
			return false
		}
	}
	return true
}

// checkLabel accuses words beside the label of a field whose value they are not.
func (r *Reading) checkLabel(f *field) {
	n, all, last := r.labelled(f.label)
	if n == 0 || n < all || r.records[f.record].fields.First == r.indexOf(f) || !r.hasForm(f.label) {
		return
	}
	if r.isTold(f.value, true) {
		r.Agreed[r.unit]++
		return
	}
	if _, doubted := r.denials(last); doubted || r.checkRole(f, last) {
		return
	}
	for i := max(r.first, last-4); i < min(r.last, last+5); i++ {
		t := r.term(i)
		if t.ID >= 0 && !t.Has(evidence.Stop|evidence.Head|evidence.Numeric) && r.x.Entries[t.ID].Level == 0 && r.clause[i-r.first] == r.clause[last-r.first] {
			r.find(Other, false, i, i, f)
			return
		}
	}
}
