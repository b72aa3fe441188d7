package cellcheck

import (
	"slices"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/figureindex"
	"confab/internal/text"
)

//nolint:gochecknoglobals // read-only tables
var (
	groupWords     = text.HashSet("both all every each everyone everything either")
	silenceWords   = text.HashSet("listed specified stated recorded given mentioned known unknown documented indicated provided noted set")
	extraDenials   = text.HashSet("nobody none nothing neither nor never not no without cannot lacks lack lacking missing unavailable unlikely non outstanding pending behind off disabled deactivated inactive forbidden prohibited declined refused excluded kein keine nicht")
	openWords      = text.HashSet("expected estimated planned eta delivery deliveries")
	vagueMembers   = text.HashSet("all first new left hard final business part low high good meets right full front east west medium")
	predicateWords = text.HashSet("is are was were too slightly rated remains stays")
	roleVerbs      = text.HashSet("won led wrote owns leads manages runs drew")
	articles       = text.HashSet("the a an its their his her our your this")
	roleJoints     = text.HashSet("is as by was are")
	hashFalse      = text.Hash("false")
	hashFree       = text.Hash("free")
	hashOut        = text.Hash("out")
)

const maxRoleTokens = 4 // between a value and its role

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
	for i := range r.keys {
		if !x.isContent(&r.keys[i], column) {
			continue
		}
		m = x.mentionFrom(i, column)
		if m.matched >= c.Content || c.Content > 2 && 3*m.matched >= 2*c.Content {
			return m, true
		}
	}
	return m, false
}

// isContent reports a word that says what the column is about.
func (x *Checker) isContent(k *keyHit, column int32) bool {
	return k.column == column && !x.Words[k.word].Generic && !x.Words[k.word].Optional
}

// mentionFrom collects the words of the column's key from the i-th key word on, within its clause.
func (x *Checker) mentionFrom(i int, column int32) mention {
	r, c := &x.claim, &x.Columns[column]
	m := mention{first: r.keys[i].token, last: r.keys[i].token, clause: r.clauseOf(r.keys[i].token)}
	seen := uint64(0)
	for k := i; k < len(r.keys) && r.clauseOf(r.keys[k].token) == m.clause; k++ {
		h := &r.keys[k]
		if !x.isContent(h, column) {
			continue
		}
		if bit := uint64(1) << min(63, h.word-c.FirstWord); seen&bit == 0 {
			seen |= bit
			m.matched++
			m.last = max(m.last, h.token)
			m.opposite = m.opposite != h.opposite
		}
	}
	return m
}

// counts reports whether the word of the column's key is one that a mention needs.
func (x *Checker) counts(at int32, c *cells.Column) bool {
	w := &x.Words[at]
	return !w.Generic && !w.Optional && (!c.Distinct || !w.Shared)
}

func (x *Checker) checkBoolean(d *detectors.Document, column int32) {
	m, ok := x.mentionOf(column)
	if !ok || x.inValue(m, column) {
		return
	}
	a := x.addressAt(m.first)
	b := x.booleanOf(&a, column)
	x.list.Checked++
	isDenied := x.isDenied(d, m) != m.opposite
	ofAll := x.clauseHas(d, m.clause, groupWords)
	isSure := b.count == 1 || a.n > 0 || ofAll
	switch {
	case !isSure:
	case b.state == nullBoolean:
		if !isDenied && a.n <= 1 {
			x.addMissing(d, m, b.first)
		}
	case b.isWrong(isDenied, ofAll && a.n == b.count):
		x.report(x.finding(b.first, d.Tokens()[m.first].Start, d.Tokens()[m.last].End, weightCell))
	}
}

// isWrong reports whether the cells contradict a claim about them. ofAll is true if it is about each of them.
func (b *booleans) isWrong(isDenied, ofAll bool) bool {
	switch b.state {
	case mixedBoolean:
		return ofAll && !isDenied
	case trueBoolean:
		return isDenied
	case falseBoolean:
		return !isDenied
	default:
		return false
	}
}

// isOpen reports a column of other values than true and false that the clause does not call unknown.
func (x *Checker) isOpen(d *detectors.Document, m mention, column int32) bool {
	c := &x.Columns[column]
	return !c.Has(cells.TrueValue) && !c.Has(cells.FalseValue) && !c.Naming && !x.clauseHas(d, m.clause, silenceWords)
}

// addMissing adds a claim about a value that is null. A claim that gives no value is none.
func (x *Checker) addMissing(d *detectors.Document, m mention, at int32) {
	if column := x.Cells[at].Column; m.matched < x.Columns[column].Content || !x.isOpen(d, m, column) {
		return
	}
	g := x.finding(at, d.Tokens()[m.first].Start, d.Tokens()[m.last].End, weightNull)
	g.Kind = figureindex.Missing
	x.report(g)
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

// booleans are the named cells of one column.
type booleans struct {
	state int   // their common value, 0 without one
	first int32 // the first of them that is not true, else the first
	count int
}

// booleanOf returns the cells of the column that the address names.
func (x *Checker) booleanOf(a *address, column int32) (b booleans) {
	b.first = -1
	x.Work.Spend(1 + len(x.Cells)/detectors.ScanRows)
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Column != column || !x.covers(a, c.Record) {
			continue
		}
		s := stateOf(c.Kind)
		if b.first < 0 || b.state == trueBoolean && s != trueBoolean {
			b.first = int32(i)
		}
		if b.count == 0 {
			b.state = s
		} else if b.state != s {
			b.state = mixedBoolean
		}
		b.count++
	}
	return b
}

func stateOf(kind cells.ValueKind) int {
	switch kind {
	case cells.TrueValue:
		return trueBoolean
	case cells.FalseValue:
		return falseBoolean
	case cells.NullValue:
		return nullBoolean
	default:
		return 0
	}
}

func (x *Checker) clauseHas(d *detectors.Document, clause int16, set text.WordSet) bool {
	r := &x.claim
	for t := r.first; t < r.last; t++ {
		if r.clauseOf(t) == clause && set.Has(d.Tokens()[t].Hash) {
			return true
		}
	}
	return false
}

// isDenied reports whether the clause denies the mention.
func (x *Checker) isDenied(d *detectors.Document, m mention) bool {
	r := &x.claim
	if r.polarity[m.first-r.first] < 0 || x.isFalse(d, m) {
		return true
	}
	for t := r.first; t < r.last; t++ {
		if r.clauseOf(t) == m.clause && extraDenials.Has(d.Tokens()[t].Hash) && (t < m.first || t > m.last || !r.hasKeyAt(t)) {
			return true
		}
		if t < m.first && m.first-t <= maxRoleTokens && x.isFreeOf(d, t) {
			return true
		}
	}
	return false
}

// isFalse reports a mention with "false" after it, as in JSON.
func (x *Checker) isFalse(d *detectors.Document, m mention) bool {
	return m.last+1 < x.claim.last && d.Tokens()[m.last+1].Hash == hashFalse
}

// isFreeOf reports "free of" and "out of".
func (x *Checker) isFreeOf(d *detectors.Document, t int32) bool {
	tokens := d.Tokens()
	h := tokens[t].Hash
	return (h == hashFree || h == hashOut) && !x.claim.hasKeyAt(t) && t+1 < x.claim.last && tokens[t+1].In(d.Answer()) == "of"
}

func (r *claimReader) hasKeyAt(token int32) bool {
	for i := range r.keys {
		if r.keys[i].token == token {
			return true
		}
	}
	return false
}
