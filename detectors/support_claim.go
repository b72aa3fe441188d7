package detectors

import (
	"confab/internal/text"
	"confab/schemas"
)

// claimPass measures the claims of one answer, one after the other.
type claimPass struct {
	doc    *Document
	x      *supportIndex
	list   []text.Claim
	claims int // of them in the text, before a list of references
}

// newClaimPass begins to measure the claims of the document.
func newClaimPass(doc *Document) claimPass {
	p := claimPass{doc: doc, x: supportOf(doc), list: doc.Statements()}
	end := int32(citationsOf(doc).end)
	for _, c := range p.list {
		if c.Start >= end {
			break // a list of references
		}
		p.claims++
	}
	return p
}

// measure compares the i-th claim with the sources; ok is false when it has no words to look for. each, unless nil, sees
// the parts of the claim while they are loaded.
func (p *claimPass) measure(i int, each func(from, to int32, w window)) (s claimSupport, ok bool) {
	c := &p.list[i]
	p.x.work.Spend(int(c.Last-c.First) / Glances)
	s = p.x.support(c.First, c.Last, claimSpan{start: int(c.Start), end: int(c.End)}, each)
	return s, s.total > 0
}

// claimSpan is where a claim stands in the answer.
type claimSpan struct{ start, end int }

// claimSupport is how far the sources bear out one claim.
type claimSupport struct {
	at           claimSpan
	total, best  float64 // weight of its content words, and of those that the best window holds
	window       window
	missing, run int     // content words that no source holds, and the longest run of them
	figures      int     // numbers among those
	from, to     int     // where that run stands
	doubt        float64 // that it is unsupported: the model's probability, or the share that its best window leaves out
}

// similarity is the share of the claim that its best window holds, 0 to 1.
func (c *claimSupport) similarity() float64 { return similarity(c.best, c.total, c.figures) }

// support compares the answer's tokens first..last with the sources. A claim of more distinct words than the index
// has bits is compared part by part; the first part's window stands for it. each, unless nil, sees the parts while they are
// loaded.
func (x *supportIndex) support(first, last int32, at claimSpan, each func(from, to int32, w window)) claimSupport {
	c := claimSupport{at: at, from: schemas.NoPlace, to: schemas.NoPlace}
	for next := first; next < last && x.work.Spend(1); {
		from := next
		next = x.load(next, last)
		w := x.best(anySource)
		if each != nil {
			each(from, next, w)
		}
		c.total += x.total
		c.best += w.weight
		if c.window.last == 0 {
			c.window = w
		}
		x.unload()
	}
	tokens := x.tokens
	x.work.Spend(int(last-first) / Glances)
	run, from := 0, first
	for t := first; t < last; t++ {
		switch {
		case x.ids[t] < 0:
			continue // stop words and markers do not end a run
		case !x.missing(t):
			run = 0
			continue
		case run == 0:
			from = t
		}
		run++
		c.missing++
		if x.figure[x.ids[t]] && !x.records {
			c.figures++
		}
		if run > c.run {
			c.run, c.from, c.to = run, int(tokens[from].Start), int(tokens[t].End)
		}
	}
	return c
}

// evidence shows the claim beside its best window, and the longest stretch of it that no source knows.
func (c *claimSupport) evidence(doc *Document) Evidence {
	e := Evidence{Start: c.at.start, End: c.at.end, Source: -1, Similarity: c.similarity()}
	if c.run > 0 {
		e.Note = doc.Answer()[c.from:c.to]
	}
	if source, start, end, ok := c.window.place(doc); ok {
		e.Source, e.SourceStart, e.SourceEnd = source, start, end
	}
	return e
}
