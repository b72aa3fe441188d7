package cellcheck

import (
	"strings"

	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// maxClaimTokens is the longest claim that is compared with cells.
const maxClaimTokens = 300

// maxHits bounds the places of a claim that name columns, and those that name values.
const maxHits = 256

// keyHit is a word of the claim that is in the key of a column.
type keyHit struct {
	token, column, word int32
	opposite            bool // the word means the opposite: "closed" for open
}

// valueHit is a stretch of the claim with the words of a text value.
type valueHit struct {
	first, last int32 // tokens, half open
	cell        int32
	full        bool // all words of the value
}

// claimReader is what one claim names.
type claimReader struct {
	first, last int32
	clauses     []int16 // by token of the claim
	polarity    []int8  // by token of the claim; -1 where it is denied
	keys        []keyHit
	values      []valueHit
	namings     []naming
	figures     []figures.Figure
	states      []figureState // by figure
	covered     []bool        // by token: part of a value
	stops       []bool        // by token: a stop word
	counts      []columnCount
	conditional bool
}

// clauseWords begin a clause.
var clauseWords = text.HashSet("and but while whereas although though however or nor because so which who plus") //nolint:gochecknoglobals // a read-only table

//nolint:gochecknoglobals // a read-only table
var conditions = text.HashSet("if unless whether assuming suppose would should")

func (r *claimReader) reset() {
	r.first, r.last, r.polarity, r.conditional = 0, 0, nil, false
	r.clauses, r.keys, r.values, r.namings = r.clauses[:0], r.keys[:0], r.values[:0], r.namings[:0]
	r.states, r.covered, r.stops, r.figures = r.states[:0], r.covered[:0], r.stops[:0], r.figures[:0]
}

// readClaim finds what the claim names, and compares it.
func (x *Checker) readClaim(d *detectors.Document, found []figures.Figure) {
	r := &x.claim
	x.Prepare(d)
	x.splitClauses(d)
	for t := r.first; t < r.last && len(r.keys) < maxHits && len(r.values) < maxHits; {
		t = x.readToken(d, t)
	}
	if len(r.keys)+len(r.values)+len(r.namings)+len(found) == 0 {
		return
	}
	x.dropCoveredKeys()
	x.adjustFigures(d, found)
	x.nameRecords(d)
	x.checkFigures(d)
	if r.conditional {
		return
	}
	x.checkBooleans(d)
	x.checkTexts(d)
	x.checkSuperlatives(d)
	x.checkScales(d)
	x.checkRoles(d)
	x.carryRecord()
}

// dropCoveredKeys drops words of keys that are part of a longer value: "point" of the value "point guard".
func (x *Checker) dropCoveredKeys() {
	r := &x.claim
	kept := r.keys[:0]
	for _, k := range r.keys {
		inside := false
		for i := range r.values {
			v := &r.values[i]
			inside = inside || v.full && v.last-v.first > 1 && k.token >= v.first && k.token < v.last && x.Cells[v.cell].Column != k.column
		}
		if !inside {
			kept = append(kept, k)
		}
	}
	x.Work.Spend(1 + len(r.keys)*len(r.values)/detectors.ScanRows)
	r.keys = kept
}

// splitClauses numbers the clauses of the claim.
func (x *Checker) splitClauses(d *detectors.Document) {
	r, tokens, clause := &x.claim, d.Tokens(), int16(0)
	for t := r.first; t < r.last; t++ {
		if t > r.first {
			gap := text.Between(d.Answer(), tokens[t-1].End, tokens[t].Start)
			if clauseWords.Has(tokens[t].Hash) || strings.ContainsAny(gap, ",;:—(") {
				clause++
			}
		}
		r.conditional = r.conditional || conditions.Has(tokens[t].Hash)
		r.clauses = append(r.clauses, clause)
		r.covered, r.stops = append(r.covered, false), append(r.stops, tokens[t].Stop())
	}
}

func (r *claimReader) clauseOf(token int32) int16 { return r.clauses[token-r.first] }

// readToken adds what the word at token t names, and returns the next token.
func (x *Checker) readToken(d *detectors.Document, t int32) int32 {
	r, tokens := &x.claim, d.Tokens()
	w := &tokens[t]
	if w.Stop() && w.Kind == text.Word || int(t) >= len(x.Roots) {
		return t + 1
	}
	root := x.Roots[t]
	concept := x.Concepts[t]
	longest, firstValue := int32(0), len(r.values)
	x.readJoined(d, t)
	x.readEntries(d, t, x.EntriesOf(root), &longest)
	if concept != synonyms.NoConcept {
		x.readEntries(d, t, x.EntriesOf(cells.ConceptRoot(concept)), &longest)
	}
	if opposite := x.Synonyms.Opposite(concept); opposite != synonyms.NoConcept {
		x.addKeys(x.EntriesOf(cells.ConceptRoot(opposite)), t, true)
	}
	kept := r.values[:firstValue]
	for _, v := range r.values[firstValue:] {
		if v.last-v.first == longest {
			kept = append(kept, v)
		}
	}
	r.values = kept
	if len(kept) == firstValue {
		return t + 1
	}
	for i := t; i < t+longest; i++ {
		r.covered[i-r.first] = true
	}
	return t + longest
}

// readJoined reads keys in one word that the answer hyphenates ("Wi-Fi"), and words with a negating prefix ("unpaid").
func (x *Checker) readJoined(d *detectors.Document, t int32) {
	r, tokens := &x.claim, d.Tokens()
	if t+1 < r.last && text.Between(d.Answer(), tokens[t].End, tokens[t+1].Start) == "-" {
		var buf [32]byte
		joined := append(append(buf[:0], tokens[t].In(d.Answer())...), tokens[t+1].In(d.Answer())...)
		x.addKeys(x.EntriesOf(synonyms.RootOf(string(joined))), t, false)
	}
	for _, prefix := range [...]string{"un", "non", "in", "dis"} {
		if rest, ok := strings.CutPrefix(tokens[t].In(d.Answer()), prefix); ok && len(rest) > 3 {
			x.addKeys(x.EntriesOf(synonyms.RootOf(rest)), t, true)
		}
	}
}

func (x *Checker) addKeys(entries []cells.Entry, t int32, opposite bool) {
	for _, e := range entries {
		if e.Kind == cells.KeyEntry && len(x.claim.keys) < maxHits {
			x.claim.keys = append(x.claim.keys, keyHit{token: t, column: e.Column, word: e.Ref, opposite: opposite})
		}
	}
}

func (x *Checker) readEntries(d *detectors.Document, t int32, entries []cells.Entry, longest *int32) {
	r := &x.claim
	for _, e := range entries {
		switch {
		case len(r.keys) == maxHits || len(r.values) == maxHits:
			return
		case e.Kind == cells.RecordEntry:
			r.namings = append(r.namings, naming{token: t, record: e.Ref, lead: true})
		case e.Kind == cells.KeyEntry:
			r.keys = append(r.keys, keyHit{token: t, column: e.Column, word: e.Ref})
		default:
			if v := x.matchValue(d, t, e.Ref); v.last > v.first {
				*longest = max(*longest, v.last-v.first)
				r.values = append(r.values, v)
			}
		}
	}
}

// matchValue matches the words of the cell's text from token t on. One word of a name is enough.
func (x *Checker) matchValue(d *detectors.Document, t, at int32) valueHit {
	c := &x.Cells[at]
	r, tokens := &x.claim, d.Tokens()
	k := c.FirstWord
	for k < c.EndWord && !x.sameWord(k, t) {
		k++
	}
	from, next, matched := k, t, int32(0)
	for i := t; i < r.last && k < c.EndWord; i++ {
		if x.sameWord(k, i) {
			matched++
			k++
			next = i + 1
		} else if !tokens[i].Stop() {
			break
		}
	}
	v := valueHit{first: t, last: next, cell: at, full: matched == c.EndWord-c.FirstWord}
	inside := from > c.FirstWord && k < c.EndWord
	if matched == 0 || !v.full && (inside || !x.isNamePart(d, &v)) {
		return valueHit{}
	}
	return v
}

// minNamePart is the least number of bytes that stand for a longer name.
const minNamePart = 3

// isNamePart reports whether one word of the cell's text may stand for all of it, as a family name does.
func (x *Checker) isNamePart(d *detectors.Document, v *valueHit) bool {
	c, tokens := &x.Cells[v.cell], d.Tokens()
	if tokens[v.last-1].End-tokens[v.first].Start < minNamePart || !text.IsUpper(d.Answer()[tokens[v.first].Start]) {
		return false
	}
	value := d.Source(int(c.Source))[c.Start:c.End]
	return c.EndWord-c.FirstWord <= 4 && text.IsUpper(value[0]) && x.Columns[c.Column].Naming
}

// sameWord reports whether the cell's word k and the token have one root or concept.
func (x *Checker) sameWord(k, token int32) bool {
	if int(token) >= len(x.Roots) {
		return false
	}
	w := &x.Words[k]
	return w.Root == x.Roots[token] || w.Concept != synonyms.NoConcept && w.Concept == x.Concepts[token]
}
