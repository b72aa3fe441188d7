package citation

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// claim is a part of a sentence and the markers behind it, or before it if nothing stands there.
type claim struct {
	start, end  int        // bytes of the markers
	tokens      text.Range // of the part
	sentence    text.Range // around it
	subject     bool       // the part stands behind the marker
	first, last int        // references among index.references
	unknown     int        // of them
	unread      bool       // text of a cited source was not read
}

// maxReferences is the most of one claim.
const maxReferences = 64

// addClaims reads the claims of the answer's markers.
func (x *index) addClaims(forms []string) {
	markers := x.doc.Markers()
	sentence, worded := -1, -1 // the marker's, and the last one with words up to it
	from := int32(0)           // the token behind the last marker
	for _, m := range markers.List {
		if !slices.Contains(forms, m.Form) || !x.doc.Work().Spend(1) {
			continue
		}
		for s := x.doc.Sentences(); sentence+1 < len(s) && int(s[sentence+1].Start) <= m.Start; {
			sentence++
			if r := x.doc.SentenceTokens(sentence); x.says(r) {
				worded = sentence
			}
		}
		if worded < 0 {
			worded = min(sentence+1, len(x.doc.Sentences())-1) // nothing before it
		}
		if worded < 0 {
			return
		}
		from = x.addClaim(m, markers.References[m.First:m.Last], worded, from)
	}
}

// addClaim adds the marker to the last claim if no words stand between, or adds a claim. It returns the token behind the marker.
func (x *index) addClaim(m citations.Marker, references []citations.Reference, sentence int, from int32) int32 {
	own := x.doc.SentenceTokens(sentence)
	to, behind := x.tokenAt(m.Start), x.tokenAt(m.End)
	before := rangeOf(max(from, own.First), min(to, own.Last))
	after := rangeOf(max(behind, own.First), own.Last)
	c, subject := x.lastClaim(own), false
	switch {
	case c != nil && !x.says(before):
		c.end = max(c.end, m.End)
		if c.subject {
			c.tokens = after
		}
		x.addReferences(c, references)
		return behind
	case c == nil && !x.says(before):
		subject = true
	case c != nil && c.subject:
		c.tokens.Last = max(c.tokens.First, to)
		subject = x.says(after)
	}
	part := before
	if subject {
		part = after
	}
	if subject && !x.mayBeSubject(m) || x.announces(m) {
		part.Last, subject = part.First, false
	}
	x.claims = append(x.claims, claim{
		start: m.Start, end: m.End, tokens: part, sentence: own, subject: subject, first: len(x.references), last: len(x.references),
	})
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

// lastClaim is the last claim if it is of this sentence, else nil.
func (x *index) lastClaim(sentence text.Range) *claim {
	if n := len(x.claims); n > 0 && x.claims[n-1].sentence == sentence {
		return &x.claims[n-1]
	}
	return nil
}

// place is the claim with its markers, in bytes of the answer.
func (x *index) place(c *claim) (start, end int) {
	start, end = c.start, c.end
	if tokens := x.doc.Tokens(); c.tokens.Len() > 0 {
		start, end = min(start, int(tokens[c.tokens.First].Start)), max(end, int(tokens[c.tokens.Last-1].End))
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

// tokenAt is the first token of the answer that starts at the byte or behind it.
func (x *index) tokenAt(at int) int32 {
	i, _ := slices.BinarySearchFunc(x.doc.Tokens(), at, func(t text.Token, at int) int { return int(t.Start) - at })
	return int32(i)
}

// says reports whether a token of the range is content.
func (x *index) says(r text.Range) bool {
	for i := r.First; i < r.Last; i++ {
		if x.isContent(&x.doc.Tokens()[i]) {
			x.doc.Work().Spend(int(i-r.First) / detectors.ScanRows)
			return true
		}
	}
	x.doc.Work().Spend(r.Len() / detectors.ScanRows)
	return false
}

// isContent reports a word of the answer that a source may support.
func (x *index) isContent(t *text.Token) bool {
	return !t.Has(text.Marker) && x.mode.IsContent(t) && !citations.IsReferral(t)
}
