package cells

import (
	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
	"confab/internal/text"
)

//nolint:gochecknoglobals // read-only tables
var (
	genericWords = text.HashSet(`is has was are have id name no number num type value state flag date at on of per the to by
available cover coverage allowed enabled required included includes include used expected advised permitted present provided possible active total amount
list info data field item code ref key kind level`)
	percentWords   = text.HashSet("pct percent percentage prozent")
	groupWords     = text.HashSet("both all every each everyone everything either")
	silenceWords   = text.HashSet("listed specified stated recorded given mentioned known unknown documented indicated provided noted set")
	extraDenials   = text.HashSet("nobody none nothing neither nor never not no without cannot lacks lack lacking missing unavailable unlikely non outstanding pending behind off disabled deactivated inactive forbidden prohibited declined refused excluded kein keine nicht")
	vagueMembers   = text.HashSet("all first new left hard final business part low high good meets right full front east west medium")
	predicateWords = text.HashSet("is are was were too slightly rated remains stays")
	roleJoints     = text.HashSet("is as by was are")
	hashFree       = text.Hash("free")
	hashOut        = text.Hash("out")
	maxRoleTokens  = int32(4)
)

// checkBooleans compares what the claim asserts or denies with cells that are true, false or null.
func (x *Index) checkBooleans(d *detectors.Document) {
	for i := range x.columns {
		if c := &x.columns[i]; c.has(trueValue) || c.has(falseValue) || c.has(nullValue) {
			if !x.work.Spend(1 + len(x.claim.keys)) {
				return
			}
			x.checkBoolean(d, int32(i))
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
func (x *Index) mentionOf(column int32) (m mention, ok bool) {
	r, c := &x.claim, &x.columns[column]
	for i := 0; i < len(r.keys); i++ {
		if r.keys[i].column != column || x.words[r.keys[i].word].generic || x.words[r.keys[i].word].optional {
			continue
		}
		m = mention{first: r.keys[i].token, last: r.keys[i].token, clause: r.clauseOf(r.keys[i].token)}
		seen := uint64(0)
		for k := i; k < len(r.keys) && r.clauseOf(r.keys[k].token) == m.clause; k++ {
			h := &r.keys[k]
			if h.column != column || x.words[h.word].generic || x.words[h.word].optional {
				continue
			}
			bit := uint64(1) << min(63, h.word-c.firstWord)
			if seen&bit != 0 {
				continue
			}
			seen |= bit
			m.matched++
			m.last = max(m.last, h.token)
			m.opposite = m.opposite != h.opposite
		}
		if m.matched >= c.content || c.content > 2 && 3*m.matched >= 2*c.content {
			return m, true
		}
	}
	return m, false
}

// counts reports whether the word of the column's key is one that a mention needs.
func (x *Index) counts(at int32, c *column) bool {
	w := &x.words[at]
	return !w.generic && !w.optional && !(c.distinct && w.shared)
}

func (x *Index) checkBoolean(d *detectors.Document, column int32) {
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
		if isDenied || x.columns[column].kinds&(1<<trueValue|1<<falseValue) != 0 || x.clauseHas(d, m.clause, silenceWords) || a.n > 1 || x.columns[column].naming {
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
func (x *Index) addMissing(d *detectors.Document, m mention, at int32) {
	if m.matched < x.columns[x.cells[at].column].content {
		return
	}
	g := x.finding(at, d.Tokens()[m.first].Start, d.Tokens()[m.last].End, weightNull)
	g.Kind = figureindex.Missing
	x.list.Add(g)
}

// inValue reports whether a text value of another column explains the words.
func (x *Index) inValue(m mention, column int32) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.full && v.first <= m.first && m.last < v.last && x.cells[v.cell].column != column {
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
func (x *Index) booleanOf(a *address, column int32) (state int, first int32, count int) {
	first = -1
	for i := range x.cells {
		c := &x.cells[i]
		if c.column != column || !x.covers(a, c.record) {
			continue
		}
		s := 0
		switch c.kind {
		case trueValue:
			s = trueBoolean
		case falseValue:
			s = falseBoolean
		case nullValue:
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
	x.work.Spend(1 + len(x.cells)/detectors.ScanRows)
	return state, first, count
}

func (x *Index) clauseHas(d *detectors.Document, clause int16, set map[uint64]bool) bool {
	r := &x.claim
	for t := r.first; t < r.last; t++ {
		if r.clauseOf(t) == clause && set[d.Tokens()[t].Hash] {
			return true
		}
	}
	return false
}

// isDenied reports whether the clause denies the mention.
func (x *Index) isDenied(d *detectors.Document, m mention) bool {
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
func (x *Index) checkTexts(d *detectors.Document) {
	r := &x.claim
	for i := range r.values {
		v := &r.values[i]
		c := &x.cells[v.cell]
		if !v.full || x.columns[c.column].lead || x.groups[x.columns[c.column].group].records < 2 || !x.work.Spend(1+len(r.values)) {
			continue
		}
		a := x.addressWithout(v.first, v.first)
		if x.columns[c.column].naming && !r.namesAll(x, c.column, r.clauseOf(v.first)) {
			continue
		}
		if a.n != 1 || a.strength < inClaim || x.isExplained(v.first, &a) || r.polarity[v.first-r.first] < 0 || x.clauseHas(d, r.clauseOf(v.first), extraDenials) {
			continue
		}
		own := x.cellAt(a.records[0], c.column)
		if own < 0 || x.cells[own].element || x.isMentioned(own, r.clauseOf(v.first)) {
			continue
		}
		g := x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap)
		x.list.Add(g)
	}
}

// isExplained reports whether the words at the token are a value or the name of a named record, or of none of its siblings.
func (x *Index) isExplained(token int32, a *address) bool {
	r := &x.claim
	for i := range r.values {
		if v := &r.values[i]; v.first == token && x.covers(a, x.cells[v.cell].record) {
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
func (x *Index) isMentioned(at int32, clause int16) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.cell == at && x.claim.clauseOf(v.first) == clause {
			return true
		}
	}
	return false
}

// checkScales finds values of which a record has another one: "monthly" for annual.
func (x *Index) checkScales(d *detectors.Document) {
	r := &x.claim
	for t := r.first; t < r.last && int(t) < len(x.roots); t++ {
		concept := x.concepts[t]
		scale := x.synonyms.Scale(concept)
		if scale < 0 || r.polarity[t-r.first] < 0 || x.clauseHas(d, r.clauseOf(t), extraDenials) || !x.work.Spend(2*len(x.cells)) {
			continue
		}
		if at := x.otherMember(d, t, concept, scale); at >= 0 {
			x.list.Checked++
			x.list.Add(x.finding(at, d.Tokens()[t].Start, d.Tokens()[t].End, weightCell))
		}
	}
}

// otherMember returns the only named cell with another member of the scale than the word at t, -1 for none.
func (x *Index) otherMember(d *detectors.Document, t int32, concept synonyms.Concept, scale int16) int32 {
	a := x.addressAt(t)
	only := int32(-1)
	named := x.namedScale(t, scale, &a)
	for i := range x.cells {
		c := &x.cells[i]
		if c.kind != textValue || !x.covers(&a, c.record) || named && !x.claim.namesAll(x, c.column, x.claim.clauseOf(t)) {
			continue
		}
		for w := c.firstWord; w < c.endWord; w++ {
			switch {
			case x.words[w].concept == concept:
				return -1
			case x.synonyms.Scale(x.words[w].concept) != scale:
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
func (x *Index) namedScale(t int32, scale int16, a *address) bool {
	for i := range x.cells {
		c := &x.cells[i]
		if c.kind != textValue || !x.covers(a, c.record) || !x.claim.namesAll(x, c.column, x.claim.clauseOf(t)) {
			continue
		}
		for w := c.firstWord; w < c.endWord; w++ {
			if x.synonyms.Scale(x.words[w].concept) == scale {
				return true
			}
		}
	}
	return false
}

// isAbout reports whether the words around t are about the cell: they have a word of its key or of the rest of its value, or
// the word can hardly mean anything else.
func (x *Index) isAbout(d *detectors.Document, t, at int32) bool {
	r, c := &x.claim, &x.cells[at]
	for i := range r.keys {
		if k := &r.keys[i]; k.column == c.column && k.token != t && r.clauseOf(k.token) == r.clauseOf(t) {
			return true
		}
	}
	for k := t - 1; k <= t+1; k += 2 {
		for w := c.firstWord; w < c.endWord && k >= r.first && k < r.last; w++ {
			if x.sameWord(w, k) {
				return true
			}
		}
	}
	if a := x.addressAt(t); a.n == 1 && a.strength == inClause && t > r.first && predicateWords[d.Tokens()[t-1].Hash] && x.groups[x.records[c.record].group].records > 1 {
		return true
	}
	return c.endWord-c.firstWord <= 2 && !vagueMembers[d.Tokens()[t].Hash] && !r.hasKeyAt(t)
}

// checkRoles finds a value under the key of another cell: "Brightside is the landlord" of {"tenant": "Brightside"}.
func (x *Index) checkRoles(d *detectors.Document) {
	r := &x.claim
	for i := range r.values {
		v := &r.values[i]
		c := &x.cells[v.cell]
		if !v.full || c.kind != textValue {
			continue
		}
		for k := range r.keys {
			h := &r.keys[k]
			if !x.work.Spend(1) {
				return
			}
			if h.opposite || x.words[h.word].generic || x.columns[h.column].content != 1 || r.namesAll(x, c.column, r.clauseOf(v.first)) || !x.joinsRole(d, v, h.token) {
				continue
			}
			own := x.cellAt(c.record, h.column)
			if own < 0 || own == v.cell || x.cells[own].kind != textValue || x.isMentioned(own, r.clauseOf(v.first)) ||
				r.polarity[v.first-r.first] < 0 || x.columnAt(v.first, h.column) {
				continue
			}
			x.list.Add(x.finding(own, d.Tokens()[v.first].Start, d.Tokens()[v.last-1].End, weightSwap))
			return
		}
	}
}

// columnAt reports whether a cell of the column has the words at the token.
func (x *Index) columnAt(token, column int32) bool {
	for i := range x.claim.values {
		if v := &x.claim.values[i]; v.first == token && x.cells[v.cell].column == column {
			return true
		}
	}
	return false
}

// joinsRole reports "NAME is the KEY", "as the KEY NAME" and "KEY by NAME".
func (x *Index) joinsRole(d *detectors.Document, v *valueHit, key int32) bool {
	from, to := v.last, key
	if key < v.first {
		from, to = key+1, v.first
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
