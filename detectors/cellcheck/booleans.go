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
