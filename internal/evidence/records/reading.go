// Package records reads the records and tables among the sources as fields, and holds the claims of an answer against the fields
// that they name. A claim is bound to records by their names, to fields by their labels, and to values by their kind.
package records

import (
	"cmp"
	"slices"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// Kind is what is wrong with a claim.
type Kind uint8

// The kinds.
const (
	Figure  Kind = iota // another figure for the field that the claim names
	Crossed             // the value of another field of the record
	Swap                // the value that another record has
	Flag                // the opposite of a yes or no
	Null                // a value for an empty field
	Other               // other words for a field whose label the claim has
)

// Finding is a claim that a field contradicts.
type Finding struct {
	Kind       Kind
	Sure       bool
	Unit       int32 // of the answer
	Start, End int32 // bytes of the answer
	Source     int32
	From, To   int32 // bytes of the source

	field, matched int32 // of a crossed figure
}

// Reading holds the findings of one answer. Its storage is reused.
type Reading struct {
	Findings []Finding
	Agreed   []int16 // by unit of the answer: values that the bound field has

	x        *evidence.Index
	work     evidence.Meter
	records  []record
	fields   []field
	figures  []figures.Figure
	parts    []part
	partIDs  []int32
	byHash   map[uint64]int32
	words    []word
	heads    [256]int32 // by first byte: index of the first word, and 1
	next     []int32    // index of the next word with that byte, and 1
	hits     []int32
	nameList []name
	mentions []mention

	// of a claim
	unit                         int32
	first, last                  int32   // terms
	clause, part                 []int16 // by term: its clause; its part, which contrast and semicolons divide
	scope                        []int32 // records in the scope of each clause, ends in scopeOf
	scopeOf                      []text.Range
	carried                      []int32 // records that the claim before has named
	live                         []int32 // fields of which a label or value has words in the answer
	own                          []evidence.Figure
	row, compared, vague, summed bool
	skipped                      int32 // a negation that is part of a label
}

// maxCost is the work after which the rest of an answer is not held against the fields.
const maxCost = 500_000

// Read fills the reading with the findings of the answer.
func (r *Reading) Read(x *evidence.Index, answer evidence.Prepared, sources []evidence.Prepared, work evidence.Meter) {
	r.x, r.Findings = x, r.Findings[:0]
	r.Agreed = append(r.Agreed[:0], make([]int16, len(x.Answer.Units))...)
	if x.Records == 0 {
		return
	}
	r.records, r.fields, r.figures = r.records[:0], r.fields[:0], r.figures[:0]
	r.parts, r.partIDs, r.words, r.hits, r.nameList, r.carried = r.parts[:0], r.partIDs[:0], r.words[:0], r.hits[:0], r.nameList[:0], r.carried[:0]
	if r.byHash == nil {
		r.byHash = map[uint64]int32{}
	}
	clear(r.byHash)
	r.work = work
	r.readRecords(sources)
	r.readWords(answer.Text)
	if len(r.fields) == 0 || !work.Spend(20*len(r.fields)+4*len(r.words)+len(r.parts)*len(r.words)/64) {
		return
	}
	r.findLive()
	r.findNames()
	spent := 0
	for i := range x.Answer.Units {
		u := &x.Answer.Units[i]
		cost := u.Terms.Len()*8 + len(r.live)*(1+2*min(u.Figures.Len(), maxOwn))
		if spent += cost; spent > maxCost || !work.Spend(cost) {
			return
		}
		r.check(int32(i))
	}
}

// findLive lists the fields of which the answer has a word of the label or all of the value, and those with figures.
func (r *Reading) findLive() {
	r.live = r.live[:0]
	for i := range r.fields {
		f := &r.fields[i]
		if f.figures.Len() > 0 || r.anyHit(f.label) || r.allHit(f.value) {
			r.live = append(r.live, int32(i))
		}
	}
}

func (r *Reading) anyHit(parts text.Range) bool {
	for k := parts.First; k < parts.Last; k++ {
		if len(r.hitsOf(r.partIDs[k])) > 0 {
			return true
		}
	}
	return false
}

func (r *Reading) allHit(parts text.Range) bool {
	for k := parts.First; k < parts.Last; k++ {
		if len(r.hitsOf(r.partIDs[k])) == 0 {
			return false
		}
	}
	return parts.Len() > 0
}

// here are the terms of the unit that have the part.
func (r *Reading) here(id int32) []int32 {
	hits := r.hitsOf(id)
	from, _ := slices.BinarySearch(hits, r.first)
	to, _ := slices.BinarySearch(hits[from:], r.last)
	return hits[from : from+to]
}

// idsOf are the parts of a range.
func (r *Reading) idsOf(parts text.Range) []int32 { return r.partIDs[parts.First:parts.Last] }

// mention is a term of the answer that names a record.
type mention struct {
	term, record int32
	first        bool // by the first field
}

const maxMentions = 2000

// findNames lists the terms of the answer that name a record.
func (r *Reading) findNames() {
	r.mentions = r.mentions[:0]
	for i := range r.nameList {
		n := &r.nameList[i]
		hits := r.hitsOf(r.partIDs[n.parts.Last-1])
		if !r.work.Spend(8*len(hits)) || len(r.mentions) > maxMentions {
			return
		}
		for _, t := range hits {
			if r.endsName(n.parts, t) && !r.isInside(n.parts, t) {
				r.mentions = append(r.mentions, mention{t, n.record, n.first})
			}
		}
	}
	for i := range r.x.Answer.Figures {
		r.findDate(&r.x.Answer.Figures[i])
	}
	for id := range r.parts {
		if owner := r.parts[id].owner; owner > 1 {
			r.findPart(int32(id), owner-2)
		}
	}
	slices.SortFunc(r.mentions, func(a, b mention) int { return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.record, b.record)) })
}

// isInside reports a name that is the end of another value that the answer has there: "North Melbourne".
func (r *Reading) isInside(parts text.Range, t int32) bool {
	r.work.Spend(len(r.fields) / 8)
	return slices.ContainsFunc(r.fields, func(d field) bool {
		n := d.value.Len() - parts.Len()
		return n > 0 && slices.Equal(r.idsOf(d.value)[n:], r.idsOf(parts)) && r.endsName(d.value, t)
	})
}

// findPart lists the terms that are a part of the name of one record alone.
func (r *Reading) findPart(id, rec int32) {
	for _, t := range r.hitsOf(id) {
		u := &r.x.Answer.Terms[t]
		if r.isExact(id, t) && (!r.parts[id].capital || u.Has(evidence.Capital)) && !u.Has(evidence.Stop|evidence.Numeric) {
			r.mentions = append(r.mentions, mention{t, rec, false})
		}
	}
}

// findDate lists the records of tables that the date tells apart.
func (r *Reading) findDate(f *evidence.Figure) {
	if f.Kind != figures.Date || f.Day == 0 {
		return
	}
	for i := range r.records {
		rec := &r.records[i]
		for k := rec.fields.First; k < min(rec.fields.Last, rec.fields.First+nameFields) && !rec.single; k++ {
			if d := &r.fields[k]; d.figures.Len() > 0 && r.figures[d.figures.First].Kind == figures.Date && figurematch.Compare(&f.Figure, &r.figures[d.figures.First]) == figurematch.Equal {
				r.mentions = append(r.mentions, mention{f.Term, int32(i), k == rec.fields.First})
			}
		}
	}
}

// endsName reports a term that ends the parts, one after the other.
func (r *Reading) endsName(parts text.Range, t int32) bool {
	for k := parts.Last - 1; k >= parts.First; k-- {
		switch id := r.partIDs[k]; {
		case t >= 0 && r.isExact(id, t) && (!r.parts[id].capital || !r.term(t).Has(evidence.Stop) || r.term(t).Has(evidence.Capital)):
		case k < parts.Last-1 && t > 0 && r.isExact(id, t-1):
			t--
		default:
			return false
		}
	}
	return true
}

// isExact reports a term that is the part, not another form of it.
func (r *Reading) isExact(id, term int32) bool {
	p := &r.parts[id]
	return r.anyWord(term, func(w *word) bool { return w.text == p.text || w.stem == p.stem })
}

// anyWord reports a word of the term for which is holds.
func (r *Reading) anyWord(term int32, is func(w *word) bool) bool {
	i, _ := slices.BinarySearchFunc(r.words, term, func(w word, t int32) int { return cmp.Compare(w.term, t) })
	for ; i < len(r.words) && r.words[i].term == term; i++ {
		if is(&r.words[i]) {
			return true
		}
	}
	return false
}

// isNamed reports a term that is the end of a name.
func (r *Reading) isNamed(term int32) bool {
	_, ok := slices.BinarySearchFunc(r.mentions, term, func(m mention, t int32) int { return cmp.Compare(m.term, t) })
	return ok
}

// Sure returns the sure findings of the kinds within the bytes of the answer.
func (r *Reading) Sure(start, end int32, kinds []Kind) (list []Finding) {
	for _, f := range r.Findings {
		if f.Sure && f.Start >= start && f.End <= end && slices.Contains(kinds, f.Kind) {
			list = append(list, f)
		}
	}
	return list
}
