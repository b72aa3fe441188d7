package cellcheck

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
)

// checkTexts finds text values that other records have in the column, but not the record that the claim names.
func (x *Checker) checkTexts(d *detectors.Document) {
	r := &x.claim
	for i := range r.values {
		v := &r.values[i]
		if !v.full || !x.isAttribute(x.Cells[v.cell].Column) || !x.Work.Spend(1+len(r.values)) || x.deniesAt(d, v.first) {
			continue
		}
		if own := x.ownText(d, v); own >= 0 {
			x.report(x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap))
		}
	}
}

// ownText returns the cell of the named record in the column of the value, -1 if it may have the value or is not named.
func (x *Checker) ownText(d *detectors.Document, v *valueHit) int32 {
	column, clause := x.Cells[v.cell].Column, x.claim.clauseOf(v.first)
	a := x.addressWithout(v.first, v.first)
	if a.n != 1 || a.strength < inClaim || x.isExplained(v.first, &a) {
		return -1
	}
	if x.Columns[column].Naming && !x.claim.namesAll(x, column, clause) && !x.isLed(d, v.first) {
		return -1
	}
	own := x.CellAt(a.records[0], column)
	if own < 0 || x.Cells[own].Element || x.isMentioned(own, clause) {
		return -1
	}
	return own
}

// isAttribute reports a column of sibling records that is not the first one to name them.
func (x *Checker) isAttribute(column int32) bool {
	c := &x.Columns[column]
	return !c.Lead && x.Groups[c.Group].Records > 1
}

// isLed reports whether the clause of the token has the leading name of a record before it, and compares nothing. Another
// name is then what the clause says of the record: "Pottery is on Friday".
func (x *Checker) isLed(d *detectors.Document, token int32) bool {
	r := &x.claim
	if clause := r.clauseOf(token); !x.compares(d, clause) && !x.isCompared(d, token) {
		return slices.ContainsFunc(r.namings, func(n naming) bool { return n.lead && n.token < token && r.clauseOf(n.token) == clause })
	}
	return false
}

// deniesAt reports whether the clause of the token denies it, or speaks of the future.
func (x *Checker) deniesAt(d *detectors.Document, token int32) bool {
	clause := x.claim.clauseOf(token)
	return x.claim.polarity[token-x.claim.first] < 0 || x.clauseHas(d, clause, extraDenials) || x.clauseHas(d, clause, openWords)
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
		if clause := r.clauseOf(v.first); !v.full || x.Cells[v.cell].Kind != cells.TextValue || r.polarity[v.first-r.first] < 0 || r.namesAll(x, x.Cells[v.cell].Column, clause) {
			continue
		}
		for k := range r.keys {
			h := &r.keys[k]
			if !x.Work.Spend(1) {
				return
			}
			if own := x.otherRole(d, v, h); own >= 0 {
				x.report(x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap))
				return
			}
		}
	}
}

// otherRole returns the cell whose key the claim gives to the value of another cell, -1 for none.
func (x *Checker) otherRole(d *detectors.Document, v *valueHit, h *keyHit) int32 {
	if h.opposite || x.Columns[h.column].Lead || x.Words[h.word].Generic || x.Columns[h.column].Content != 1 || !x.joinsRole(d, v, h.token) {
		return -1
	}
	own := x.CellAt(x.Cells[v.cell].Record, h.column)
	if own < 0 || own == v.cell || x.Cells[own].Kind != cells.TextValue || x.isMentioned(own, x.claim.clauseOf(v.first)) || x.columnAt(v.first, h.column) {
		return -1
	}
	return own
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
	inside := key >= v.first && key < v.last
	if inside || to-from < 1 || to-from > maxRoleTokens || x.claim.clauseOf(key) != x.claim.clauseOf(v.first) {
		return false
	}
	return x.isJoint(d, from, to)
}

// isJoint reports "is the", "as its", "by" and the like.
func (x *Checker) isJoint(d *detectors.Document, from, to int32) bool {
	joint := false
	for t := from; t < to; t++ {
		h := d.Tokens()[t].Hash
		joint = joint || roleJoints.Has(h)
		if !roleJoints.Has(h) && !articles.Has(h) {
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
	return roleVerbs.Has(tokens[token].Hash) || strings.HasSuffix(tokens[token].In(d.Answer()), "ed")
}
