package citation

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// claim is a part of a unit of the answer and the markers behind it, or before it if nothing stands there.
type claim struct {
	start, end  int        // bytes of the markers
	terms       text.Range // of the part, among the terms of the answer
	unit        int        // around it
	subject     bool       // the part stands behind the marker
	first, last int        // references among index.references
	unknown     int        // of them
	unread      bool       // text of a cited source was not read
}

// maxReferences is the most of one claim.
const maxReferences = 64

// index holds the claims of one answer.
type index struct {
	*evidence.Index
	doc        *detectors.Document
	claims     []claim
	references []citations.Reference
	overflow   bool                 // references were left out
	rows       []detectors.Evidence // of the finding

	pass   int32     // of comparing a claim
	passes []int32   // by number of a term: the last pass that chose it
	chosen []int32   // terms of the claim
	covers []float64 // by source: weight of its terms there
	pairs  []float64 // by unit of the evidence: weight of its terms there and in the next unit; 0 between passes
}

func (x *index) reset(doc *detectors.Document) {
	x.doc, x.Index, x.overflow, x.pass = doc, doc.Index(), false, 0
	x.claims, x.references = x.claims[:0], x.references[:0]
	x.passes, x.covers, x.pairs = cleared(x.passes, len(x.Entries)), cleared(x.covers, doc.Sources()), cleared(x.pairs, len(x.Evidence.Units))
}

func cleared[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// addClaims reads the claims of the answer's markers.
func (x *index) addClaims(forms []string) {
	markers, answer := x.doc.Markers(), x.Answer.Units
	unit, worded := -1, -1 // the marker's, and the last one with words up to it
	from := int32(0)       // the term behind the last marker
	for _, m := range markers.List {
		if !slices.Contains(forms, m.Form) || !x.doc.Work().Spend(1) {
			continue
		}
		for unit+1 < len(answer) && int(answer[unit+1].Start) <= m.Start {
			if unit++; x.says(answer[unit].Terms) {
				worded = unit
			}
		}
		if own := max(worded, 0); own < len(answer) {
			from = x.addClaim(m, markers.References[m.First:m.Last], own, from)
		}
	}
}

// addClaim adds the marker to the last claim if no words stand between, or adds a claim. It returns the term behind the marker.
func (x *index) addClaim(m citations.Marker, references []citations.Reference, unit int, from int32) int32 {
	own := x.Answer.Units[unit].Terms
	from = max(from, own.First)
	to := x.termAt(m.Start, from, own.Last)
	behind := x.termAt(m.End, to, own.Last)
	before, after := rangeOf(from, to), rangeOf(behind, own.Last)
	c, subject := x.lastClaim(unit), false
	switch {
	case c != nil && !x.says(before):
		c.end = max(c.end, m.End)
		if c.subject {
			c.terms = after
		}
		x.addReferences(c, references)
		return behind
	case c == nil && !x.says(before):
		subject = true
	case c != nil && c.subject:
		c.terms.Last = max(c.terms.First, to)
		subject = x.says(after)
	}
	part := before
	if subject {
		part = after
	}
	if subject && !x.mayBeSubject(m) || x.announces(m) {
		part.Last, subject = part.First, false
	}
	n := len(x.references)
	x.claims = append(x.claims, claim{start: m.Start, end: m.End, terms: part, unit: unit, subject: subject, first: n, last: n})
	x.addReferences(&x.claims[len(x.claims)-1], references)
	return behind
}

// mayBeSubject is false for a marker that a pause follows: "Sources: [1], for the fees [2]".
func (x *index) mayBeSubject(m citations.Marker) bool {
	if m.Form == citations.FormProse || m.Form == citations.FormAuthor {
		return true
	}
	rest := strings.TrimLeft(x.doc.Text()[m.End:], " *_")
	return rest != "" && !strings.ContainsRune(",;.)|", rune(rest[0]))
}

// announces reports a marker at the end of a lead-in: "Three values were on the table [2]:" and a list.
func (x *index) announces(m citations.Marker) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(x.doc.Text()[m.End:], " *_"), ":")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " *_\r"), "\n")
}

func rangeOf(first, last int32) text.Range { return text.Range{First: first, Last: max(first, last)} }

// lastClaim is the last claim if it is of this unit, else nil.
func (x *index) lastClaim(unit int) *claim {
	if n := len(x.claims); n > 0 && x.claims[n-1].unit == unit {
		return &x.claims[n-1]
	}
	return nil
}

// place is the claim with its markers, in bytes of the answer.
func (x *index) place(c *claim) (start, end int) {
	start, end = c.start, c.end
	for i := c.terms.First; i < c.terms.Last; i++ {
		if t := &x.Answer.Terms[i]; !t.Has(evidence.Head) {
			start, end = min(start, int(t.Start)), max(end, int(t.End))
		}
	}
	return start, end
}

// addReferences adds references without duplicates.
func (x *index) addReferences(c *claim, references []citations.Reference) {
	for _, r := range references {
		own := x.references[c.first:]
		if !x.doc.Work().Spend(1+len(own)/detectors.ScanRows) || len(own) == maxReferences {
			x.overflow = true
			return
		}
		if slices.ContainsFunc(own, func(o citations.Reference) bool { return o.Source == r.Source && (r.Source >= 0 || o.Label == r.Label) }) {
			continue
		}
		x.references = append(x.references, r)
		c.last = len(x.references)
		if r.Source == citations.UnknownSource {
			c.unknown++
		}
		c.unread = c.unread || r.Source == citations.UnmeasuredSource || r.Source >= 0 && x.doc.SourceTruncated(r.Source)
	}
}

// termAt is the first of the terms first..last that starts at the byte or behind it.
func (x *index) termAt(at int, first, last int32) int32 {
	i := first
	for i < last && (int(x.Answer.Terms[i].Start) < at || x.Answer.Terms[i].Has(evidence.Head)) {
		i++
	}
	x.doc.Work().Spend(int(i-first) / detectors.ScanRows)
	return i
}

// says reports whether a term of the range is content.
func (x *index) says(r text.Range) bool {
	for i := r.First; i < r.Last; i++ {
		if x.isContent(i) {
			return true
		}
	}
	x.doc.Work().Spend(r.Len() / detectors.ScanRows)
	return false
}

// isContent reports a word or figure of the answer that a source may support.
func (x *index) isContent(i int32) bool {
	t := &x.Answer.Terms[i]
	return !t.Has(evidence.Stop|evidence.Head) && t.ID >= 0 && !citations.IsReferral(t.Word)
}
