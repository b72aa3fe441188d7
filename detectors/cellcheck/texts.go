package cellcheck

import (
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
)

// checkTexts finds text values that other records have in the column, but not the record that the claim names.
func (x *Checker) checkTexts(d *detectors.Document) {
	r := &x.claim
	for i := range r.values {
		v := &r.values[i]
		c := &x.Cells[v.cell]
		if !v.full || x.Columns[c.Column].Lead || x.Groups[x.Columns[c.Column].Group].Records < 2 || !x.Work.Spend(1+len(r.values)) {
			continue
		}
		a := x.addressWithout(v.first, v.first)
		if x.Columns[c.Column].Naming && !r.namesAll(x, c.Column, r.clauseOf(v.first)) {
			continue
		}
		if a.n != 1 || a.strength < inClaim || x.isExplained(v.first, &a) || r.polarity[v.first-r.first] < 0 || x.clauseHas(d, r.clauseOf(v.first), extraDenials) {
			continue
		}
		own := x.CellAt(a.records[0], c.Column)
		if own < 0 || x.Cells[own].Element || x.isMentioned(own, r.clauseOf(v.first)) {
			continue
		}
		g := x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap)
		x.list.Add(g)
	}
}

// isExplained reports whether the words at the token are a value or the name of a named record, or of none of its siblings.
func (x *Checker) isExplained(token int32, a *address) bool {
	r := &x.claim
	for i := range r.values {
		if v := &r.values[i]; v.first == token && x.covers(a, x.Cells[v.cell].Record) {
			return true
		}
	}
	for i := range r.namings {
		if n := &r.namings[i]; n.token == token && n.lead {
			return true
		}
	}
	return r.hasKeyAt(token)
}

// isMentioned reports whether the clause has the value of the cell.
func (x *Checker) isMentioned(at int32, clause int16) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.cell == at && x.claim.clauseOf(v.first) == clause {
			return true
		}
	}
	return false
}

// checkRoles finds a value under the key of another cell: "Brightside is the landlord" of {"tenant": "Brightside"}.
func (x *Checker) checkRoles(d *detectors.Document) {
	r := &x.claim
	for i := range r.values {
		v := &r.values[i]
		c := &x.Cells[v.cell]
		if !v.full || c.Kind != cells.TextValue {
			continue
		}
		for k := range r.keys {
			h := &r.keys[k]
			if !x.Work.Spend(1) {
				return
			}
			if h.opposite || x.Words[h.word].Generic || x.Columns[h.column].Content != 1 || r.namesAll(x, c.Column, r.clauseOf(v.first)) || !x.joinsRole(d, v, h.token) {
				continue
			}
			own := x.CellAt(c.Record, h.column)
			if own < 0 || own == v.cell || x.Cells[own].Kind != cells.TextValue || x.isMentioned(own, r.clauseOf(v.first)) ||
				r.polarity[v.first-r.first] < 0 || x.columnAt(v.first, h.column) {
				continue
			}
			x.list.Add(x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap))
			return
		}
	}
}

// columnAt reports whether a cell of the column has the words at the token.
func (x *Checker) columnAt(token, column int32) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.first == token && x.Cells[v.cell].Column == column {
			return true
		}
	}
	return false
}

// joinsRole reports "NAME is the KEY", "as the KEY NAME" and "KEY by NAME".
func (x *Checker) joinsRole(d *detectors.Document, v *valueHit, key int32) bool {
	from, to := v.last, key
	if key < v.first {
		from, to = key+1, v.first
	}
	if to == from && key >= v.last && x.isRoleVerb(d, key) {
		return len(x.claim.namings) == 0
	}
	if to-from < 1 || to-from > maxRoleTokens || key >= v.first && key < v.last || x.claim.clauseOf(key) != x.claim.clauseOf(v.first) {
		return false
	}
	joint := false
	for t := from; t < to; t++ {
		w := &d.Tokens()[t]
		joint = joint || roleJoints[w.Hash]
		if !w.Stop() {
			return false
		}
	}
	return joint
}

// isRoleVerb reports a verb that makes the words before it the subject: "won", "approved", but not "approved by".
func (x *Checker) isRoleVerb(d *detectors.Document, token int32) bool {
	tokens := d.Tokens()
	if token+1 < x.claim.last && tokens[token+1].In(d.Answer()) == "by" {
		return false
	}
	return roleVerbs[tokens[token].Hash] || strings.HasSuffix(tokens[token].In(d.Answer()), "ed")
}
