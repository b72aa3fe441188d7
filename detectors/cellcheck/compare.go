package cellcheck

import (
	"confab/detectors/cells"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
	"confab/internal/text"
)

//nolint:gochecknoglobals // read-only tables
var (
	groupWords     = text.HashSet("both all every each everyone everything either")
	silenceWords   = text.HashSet("listed specified stated recorded given mentioned known unknown documented indicated provided noted set")
	extraDenials   = text.HashSet("nobody none nothing neither nor never not no without cannot lacks lack lacking missing unavailable unlikely non outstanding pending behind off disabled deactivated inactive forbidden prohibited declined refused excluded kein keine nicht")
	vagueMembers   = text.HashSet("all first new left hard final business part low high good meets right full front east west medium")
	predicateWords = text.HashSet("is are was were too slightly rated remains stays")
	roleVerbs      = text.HashSet("won led wrote owns leads manages runs drew")
	roleJoints     = text.HashSet("is as by was are")
	hashFree       = text.Hash("free")
	hashOut        = text.Hash("out")
	maxRoleTokens  = int32(4)
)

// checkBooleans compares what the claim asserts or denies with cells that are true, false or null.
func (x *Checker) checkBooleans(d *detectors.Document) {
	r := &x.claim
	for i := range r.keys {
		k := &r.keys[i]
		c := &x.Columns[k.column]
		if !x.Work.Spend(1 + len(r.keys)) {
			return
		}
		if (c.Has(cells.TrueValue) || c.Has(cells.FalseValue) || c.Has(cells.NullValue)) && !slices.ContainsFunc(r.keys[:i], func(o keyHit) bool { return o.column == k.column }) {
			x.checkBoolean(d, k.column)
		}
	}
}

// mention is a clause that has the words of a key.
type mention struct {
	first, last int32 // tokens, closed
	matched     int32
	opposite    bool
	clause      int16
}

// mentionOf returns the first clause with enough words of the column's key.
func (x *Checker) mentionOf(column int32) (m mention, ok bool) {
	r, c := &x.claim, &x.Columns[column]
	for i := 0; i < len(r.keys); i++ {
		if r.keys[i].column != column || x.Words[r.keys[i].word].Generic || x.Words[r.keys[i].word].Optional {
			continue
		}
		m = mention{first: r.keys[i].token, last: r.keys[i].token, clause: r.clauseOf(r.keys[i].token)}
		seen := uint64(0)
		for k := i; k < len(r.keys) && r.clauseOf(r.keys[k].token) == m.clause; k++ {
			h := &r.keys[k]
			if h.column != column || x.Words[h.word].Generic || x.Words[h.word].Optional {
				continue
			}
			bit := uint64(1) << min(63, h.word-c.FirstWord)
			if seen&bit != 0 {
				continue
			}
			seen |= bit
			m.matched++
			m.last = max(m.last, h.token)
			m.opposite = m.opposite != h.opposite
		}
		if m.matched >= c.Content || c.Content > 2 && 3*m.matched >= 2*c.Content {
			return m, true
		}
	}
	return m, false
}

// counts reports whether the word of the column's key is one that a mention needs.
func (x *Checker) counts(at int32, c *cells.Column) bool {
	w := &x.Words[at]
	return !w.Generic && !w.Optional && !(c.Distinct && w.Shared)
}

func (x *Checker) checkBoolean(d *detectors.Document, column int32) {
	m, ok := x.mentionOf(column)
	if !ok || x.inValue(m, column) {
		return
	}
	a := x.addressAt(m.first)
	state, first, count := x.booleanOf(&a, column)
	x.list.Checked++
	isDenied := x.isDenied(d, m) != m.opposite
	switch {
	case state == 0 || count > 1 && a.n == 0 && !x.clauseHas(d, m.clause, groupWords):
		return
	case state == mixedBoolean && !(x.clauseHas(d, m.clause, groupWords) && a.n == count && !isDenied):
		return
	case state == nullBoolean:
		if isDenied || x.Columns[column].Kinds&(1<<cells.TrueValue|1<<cells.FalseValue) != 0 || x.clauseHas(d, m.clause, silenceWords) || a.n > 1 || x.Columns[column].Naming {
			return
		}
		x.addMissing(d, m, first)
		return
	case state == trueBoolean && !isDenied, state == falseBoolean && isDenied:
		return
	}
	x.list.Add(x.finding(first, d.Tokens()[m.first].Start, d.Tokens()[m.last].End, weightCell))
}

// addMissing adds a claim about a value that is null. A claim that gives no value is none.
func (x *Checker) addMissing(d *detectors.Document, m mention, at int32) {
	if m.matched < x.Columns[x.Cells[at].Column].Content {
		return
	}
	g := x.finding(at, d.Tokens()[m.first].Start, d.Tokens()[m.last].End, weightNull)
	g.Kind = figureindex.Missing
	x.list.Add(g)
}

// inValue reports whether a text value of another column explains the words.
func (x *Checker) inValue(m mention, column int32) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.full && v.first <= m.first && m.last < v.last && x.Cells[v.cell].Column != column {
			return true
		}
	}
	return false
}

// Values of the cells of one column.
const (
	trueBoolean = 1 + iota
	falseBoolean
	nullBoolean
	mixedBoolean
)

// booleanOf returns the common value of the named cells of the column, 0 without one, and the first cell that is not true.
func (x *Checker) booleanOf(a *address, column int32) (state int, first int32, count int) {
	first = -1
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Column != column || !x.covers(a, c.Record) {
			continue
		}
		s := 0
		switch c.Kind {
		case cells.TrueValue:
			s = trueBoolean
		case cells.FalseValue:
			s = falseBoolean
		case cells.NullValue:
			s = nullBoolean
		default:
		}
		if first < 0 || state == trueBoolean && s != trueBoolean {
			first = int32(i)
		}
		switch {
		case count == 0:
			state = s
		case state != s:
			state = mixedBoolean
		}
		count++
	}
	x.Work.Spend(1 + len(x.Cells)/detectors.ScanRows)
	return state, first, count
}

func (x *Checker) clauseHas(d *detectors.Document, clause int16, set map[uint64]bool) bool {
	r := &x.claim
	for t := r.first; t < r.last; t++ {
		if r.clauseOf(t) == clause && set[d.Tokens()[t].Hash] {
			return true
		}
	}
	return false
}

// isDenied reports whether the clause denies the mention.
func (x *Checker) isDenied(d *detectors.Document, m mention) bool {
	r := &x.claim
	if r.polarity[m.first-r.first] < 0 {
		return true
	}
	tokens := d.Tokens()
	for t := r.first; t < r.last; t++ {
		h := tokens[t].Hash
		if r.clauseOf(t) == m.clause && extraDenials[h] && !(t >= m.first && t <= m.last && r.hasKeyAt(t)) {
			return true
		}
		if t < m.first && m.first-t <= maxRoleTokens && (h == hashFree || h == hashOut) && !r.hasKeyAt(t) && t+1 < r.last && tokens[t+1].In(d.Answer()) == "of" {
			return true
		}
	}
	return false
}

func (r *claimReader) hasKeyAt(token int32) bool {
	for i := range r.keys {
		if r.keys[i].token == token {
			return true
		}
	}
	return false
}

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

// checkScales finds values of which a record has another one: "monthly" for annual.
func (x *Checker) checkScales(d *detectors.Document) {
	r := &x.claim
	for t := r.first; t < r.last && int(t) < len(x.Roots); t++ {
		concept := x.Concepts[t]
		scale := x.Synonyms.Scale(concept)
		if scale < 0 || r.polarity[t-r.first] < 0 || x.clauseHas(d, r.clauseOf(t), extraDenials) || !x.Work.Spend(2*len(x.Cells)) {
			continue
		}
		if at := x.otherMember(d, t, concept, scale); at >= 0 {
			x.list.Checked++
			x.list.Add(x.finding(at, d.Tokens()[t].Start, d.Tokens()[t].End, weightCell))
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
		if c.Kind != cells.TextValue || !x.covers(&a, c.Record) || named && !x.claim.namesAll(x, c.Column, x.claim.clauseOf(t)) {
			continue
		}
		for w := c.FirstWord; w < c.EndWord; w++ {
			switch {
			case x.Words[w].Concept == concept:
				return -1
			case x.Synonyms.Scale(x.Words[w].Concept) != scale:
			case only >= 0 && only != int32(i):
				return -1
			default:
				only = int32(i)
			}
		}
	}
	if only < 0 || x.isMentioned(only, x.claim.clauseOf(t)) || !x.isAbout(d, t, only) {
		return -1
	}
	return only
}

// namedScale reports whether the clause has the key of a named cell with a member of the scale.
func (x *Checker) namedScale(t int32, scale int16, a *address) bool {
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Kind != cells.TextValue || !x.covers(a, c.Record) || !x.claim.namesAll(x, c.Column, x.claim.clauseOf(t)) {
			continue
		}
		for w := c.FirstWord; w < c.EndWord; w++ {
			if x.Synonyms.Scale(x.Words[w].Concept) == scale {
				return true
			}
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
	for k := t - 1; k <= t+1; k += 2 {
		for w := c.FirstWord; w < c.EndWord && k >= r.first && k < r.last; w++ {
			if x.sameWord(w, k) {
				return true
			}
		}
	}
	if a := x.addressAt(t); a.n == 1 && a.strength == inClause && t > r.first && predicateWords[d.Tokens()[t-1].Hash] && x.Groups[x.Records[c.Record].Group].Records > 1 {
		return true
	}
	return c.EndWord-c.FirstWord <= 2 && !vagueMembers[d.Tokens()[t].Hash] && !r.hasKeyAt(t)
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
