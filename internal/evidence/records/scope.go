package records

import (
	"cmp"
	"slices"

	"confab/internal/evidence"
	"confab/internal/text"
)

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
	m, _ := slices.BinarySearchFunc(r.mentions, r.first, func(m mention, t int32) int { return cmp.Compare(m.term, t) })
	for c := range r.clause[len(r.clause)-1] + 1 {
		from := m
		for m < len(r.mentions) && r.mentions[m].term < r.last && r.clause[r.mentions[m].term-r.first] == c {
			m++
		}
		set, first := r.named(r.mentions[from:m])
		if set.Len() == 0 || !first && r.isWithin(before, set) {
			set = before
		}
		r.scopeOf = append(r.scopeOf, set)
		before = set
	}
}

// named adds the records that are mentioned; those by the first field go before others.
func (r *Reading) named(list []mention) (set text.Range, first bool) {
	set.First = int32(len(r.scope))
	first = slices.ContainsFunc(list, func(m mention) bool { return m.first })
	for _, m := range list {
		if m.first == first && !slices.Contains(r.scope[set.First:], m.record) {
			r.scope = append(r.scope, m.record)
		}
	}
	set.Last = int32(len(r.scope))
	return set, first
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
