package cellcheck

import (
	"slices"

	"confab/detectors"
)

// Strengths of an address.
const (
	unnamed  = iota // no record is named: any may be meant
	carried         // named by an earlier claim
	inClaim         // named elsewhere in the claim
	inClause        // named in the same clause
)

// maxNamed is the maximum of records that one clause names.
const maxNamed = 6

// address is the records that the words around a place of the claim may mean.
type address struct {
	records  [maxNamed]int32
	n        int
	strength int
}

// addressAt returns the records named around the token: in its clause, else before it in the claim, else after it, else by
// an earlier claim. Leading names outrank others.
func (x *Checker) addressAt(token int32) address { return x.addressWithout(token, -1) }

// addressWithout is addressAt without what the token except names.
func (x *Checker) addressWithout(token, except int32) (a address) {
	r := &x.claim
	x.Work.Spend(1 + len(r.namings)/detectors.ScanRows)
	clause := r.clauseOf(token)
	for _, lead := range [...]bool{true, false} {
		for i := range r.namings {
			if n := &r.namings[i]; n.lead == lead && r.clauseOf(n.token) == clause && n.token != except {
				a.add(n.record)
			}
		}
		if a.n > 0 {
			a.strength = inClause
			return a
		}
	}
	for _, lead := range [...]bool{true, false} {
		if x.nearestNamed(&a, clause, lead, except); a.n > 0 {
			a.strength = inClaim
			if x.namesOthers(&a, lead, except) {
				a.strength = carried
			}
			return a
		}
	}
	if x.current >= 0 {
		a.add(x.current)
		a.strength = carried
	}
	return a
}

// nearestNamed adds the records of the last clause before that names any, else of the first clause after.
func (x *Checker) nearestNamed(a *address, clause int16, lead bool, except int32) {
	r := &x.claim
	before, after := int16(-1), int16(-1)
	for i := range r.namings {
		n := &r.namings[i]
		k := r.clauseOf(n.token)
		switch {
		case n.lead != lead || n.token == except:
		case k < clause:
			before = max(before, k)
		case after < 0 || k < after:
			after = k
		}
	}
	if before < 0 {
		before = after
	}
	for i := range r.namings {
		if n := &r.namings[i]; n.lead == lead && r.clauseOf(n.token) == before && n.token != except {
			a.add(n.record)
		}
	}
}

// namesOthers adds the other records that the claim names, which "it" may mean, and reports whether there are any.
func (x *Checker) namesOthers(a *address, lead bool, except int32) bool {
	before := a.n
	for i := range x.claim.namings {
		if n := &x.claim.namings[i]; n.lead == lead && n.token != except {
			a.add(n.record)
		}
	}
	return a.n > before
}

func (a *address) add(rec int32) {
	if a.n < maxNamed && !slices.Contains(a.records[:a.n], rec) {
		a.records[a.n] = rec
		a.n++
	}
}

// covers reports whether the record, or what it belongs to, may be meant.
func (x *Checker) covers(a *address, rec int32) bool {
	if a.n == 0 {
		return true
	}
	for _, named := range a.records[:a.n] {
		if x.Compatible(named, rec) {
			return true
		}
	}
	return false
}
