package cellcheck

import (
	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/synonyms"
)

// checkScales finds values of which a record has another one: "monthly" for annual.
func (x *Checker) checkScales(d *detectors.Document) {
	r := &x.claim
	for t := r.first; t < r.last && int(t) < len(x.Roots); t++ {
		concept := x.Concepts[t]
		scale := x.Synonyms.Scale(concept)
		if scale < 0 || r.polarity[t-r.first] < 0 || x.clauseHas(d, r.clauseOf(t), extraDenials) || x.clauseHas(d, r.clauseOf(t), openWords) || !x.Work.Spend(2*len(x.Cells)) {
			continue
		}
		if at := x.otherMember(d, t, concept, scale); at >= 0 {
			x.list.Checked++
			x.report(x.finding(at, d.Tokens()[t].Start, d.Tokens()[t].End, weightCell))
		}
	}
}

// otherMember returns the only named cell with another member of the scale than the word at t, -1 for none.
func (x *Checker) otherMember(d *detectors.Document, t int32, concept synonyms.Concept, scale int16) int32 {
	a := x.addressAt(t)
	only := int32(-1)
	named := x.namedScale(t, scale, &a)
	for i := range x.Cells {
		c := &x.Cells[i]
		if !x.isOfScale(c, &a, t, named) {
			continue
		}
		same, other := x.MembersOf(c, concept, scale)
		if same || other && only >= 0 {
			return -1
		}
		if other {
			only = int32(i)
		}
	}
	if only < 0 || x.isMentioned(only, x.claim.clauseOf(t)) || !x.isAbout(d, t, only) {
		return -1
	}
	return only
}

// isOfScale reports a text of a named record; if named is set, one whose key is in the clause.
func (x *Checker) isOfScale(c *cells.Cell, a *address, t int32, named bool) bool {
	return c.Kind == cells.TextValue && x.covers(a, c.Record) && (!named || x.claim.namesAll(x, c.Column, x.claim.clauseOf(t)))
}

// namedScale reports whether the clause has the key of a named cell with a member of the scale.
func (x *Checker) namedScale(t int32, scale int16, a *address) bool {
	for i := range x.Cells {
		c := &x.Cells[i]
		if !x.isOfScale(c, a, t, true) {
			continue
		}
		if _, other := x.MembersOf(c, synonyms.NoConcept, scale); other {
			return true
		}
	}
	return false
}

// isAbout reports whether the words around t are about the cell: they have a word of its key or of the rest of its value, or
// the word can hardly mean anything else.
func (x *Checker) isAbout(d *detectors.Document, t, at int32) bool {
	r, c := &x.claim, &x.Cells[at]
	for i := range r.keys {
		if k := &r.keys[i]; k.column == c.Column && k.token != t && r.clauseOf(k.token) == r.clauseOf(t) {
			return true
		}
	}
	if x.hasWordNear(c, t) || x.isPredicate(d, t, c) {
		return true
	}
	return c.EndWord-c.FirstWord <= 2 && !vagueMembers.Has(d.Tokens()[t].Hash) && !r.hasKeyAt(t)
}

// hasWordNear reports whether a word next to t is in the cell's text.
func (x *Checker) hasWordNear(c *cells.Cell, t int32) bool {
	for k := t - 1; k <= t+1; k += 2 {
		for w := c.FirstWord; w < c.EndWord && k >= x.claim.first && k < x.claim.last; w++ {
			if x.sameWord(w, k) {
				return true
			}
		}
	}
	return false
}

// isPredicate reports "RECORD is WORD" about the record of the cell.
func (x *Checker) isPredicate(d *detectors.Document, t int32, c *cells.Cell) bool {
	a := x.addressAt(t)
	return a.n == 1 && a.strength == inClause && t > x.claim.first && predicateWords.Has(d.Tokens()[t-1].Hash) && x.Groups[x.Records[c.Record].Group].Records > 1
}
