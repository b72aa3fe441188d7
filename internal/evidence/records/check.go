package records

import (
	"slices"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/units"
)

//nolint:gochecknoglobals // read-only tables, not only English
var (
	joins    = text.HashSet("and or but while whereas so because which und aber oder wahrend et mais ou y pero o")
	contrast = text.HashSet("but while whereas however although though aber wahrend mais pero")
	doubts   = text.HashSet(`unless without lacks except missing missed fail failed refused declined yet if whether neither nor instead only out free
off disabled inactive closed stopped idle outstanding ohne sauf sans sin sofern falls unable no none zero absent unclear unknown need needs`)
	cases     = text.HashSet("once when after until if unless wenn sobald nach quand après dès cuando después")
	fillers   = text.HashSet("allowed required included includes enabled available possible is has can ordered supported in of the a to on at for and active contains only used date number id no")
	flagWords = text.HashSet("allowed required included includes enabled available possible supported") // fillers of names of flags that say what a thing is
	costs     = text.HashSet("cost costs kostet kosten coûte coûtent cuesta cuestan costa costano")
	flagVerbs = text.HashSet("may can could use has have comes offers there provides includes include darf kann können hat bietet gibt enthält schliesst peut offre comprend puede tiene ofrece hay incluye")
	totals    = text.HashSet("total totals together altogether overall combined sum insgesamt zusammen gesamt ensemble juntos")
	compares  = text.HashSet("before after both any most least highest lowest best worst rest again more less than total together difference average increase decrease rise fell rose gap longer shorter remaining combined additional extra plus minus below above ahead behind including would could if should mehr weniger insgesamt durchschnitt moins mas menos wurde sollte than grew grows growth led leads wuchs stieg sank")
	times     = text.HashSet("time times mal fois vez veces")
	shifts    = text.HashSet("per left over under up down each back from all both")
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
	last := r.scopeOf[len(r.scopeOf)-1]
	r.carried = append(r.carried[:0], r.scope[last.First:last.Last]...)
}

// column sums up a field over the n records of its table. most is the largest value.
func (r *Reading) column(d *field) (n int, sum, most float64) {
	r.work.Spend(len(r.fields))
	for i := range r.records {
		if r.records[i].table != r.records[d.record].table {
			continue
		}
		n++
		if o := r.sameField(int32(i), d); o != nil && o.figures.Len() == 1 {
			sum += r.figures[o.figures.First].Value
			most = max(most, r.figures[o.figures.First].Value)
		}
	}
	return n, sum, most
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

// near is the distance of the nearest word of the label in the clause of the term, far for none. Of words of equal
// distance that behind is nearer.
func (r *Reading) near(label, without text.Range, term int32) int32 {
	best := int32(far)
	for _, id := range r.idsOf(label) {
		if slices.Contains(r.idsOf(without), id) {
			continue
		}
		for _, t := range r.here(id) {
			switch d := 2*(t-term) - 1; {
			case r.clause[t-r.first] != r.clause[term-r.first] || t == term:
			case d > 0:
				best = min(best, d)
			default:
				best = min(best, -d-1)
			}
		}
	}
	return best
}

const (
	far    = 1000
	reach  = 12 // twice the words between a figure and its label
	beside = 5  // the same, where there are other figures
)

// labelled reports a unit with all words of the label, and the last of them.
func (r *Reading) labelled(label text.Range) (last int32, ok bool) {
	last = -1
	for _, id := range r.idsOf(label) {
		n := slices.IndexFunc(r.here(id), func(t int32) bool { return r.row || !r.term(t).Has(evidence.Head) })
		if n < 0 {
			return -1, false
		}
		last = max(last, r.here(id)[n])
	}
	return last, last >= 0
}

// told counts the parts that the unit has, those of the other range left out.
func (r *Reading) told(parts, without text.Range) (n int) {
	for _, id := range r.idsOf(parts) {
		if len(r.here(id)) > 0 && !slices.Contains(r.idsOf(without), id) {
			n++
		}
	}
	return n
}

func (r *Reading) find(k Kind, sure bool, first, last int32, f *field) {
	a, b := r.x.Evidence.Terms[f.terms.First], r.x.Evidence.Terms[f.terms.Last-1]
	r.Findings = append(r.Findings, Finding{
		Kind: k, Sure: sure, Unit: r.unit, Start: r.term(first).Start, End: r.term(last).End,
		Source: r.x.Evidence.Units[r.records[f.record].unit].Source, From: a.Start, To: b.End,
	})
}
