package support

import (
	"math"

	"confab/detectors"
	textclaims "confab/internal/text/claims"
	"confab/schemas"
)

// Pass measures the claims of one answer in order.
type Pass struct {
	Doc    *detectors.Document
	Index  *Index
	List   []textclaims.Claim
	Claims int // how many of List are before a list of references
}

// NewPass starts a pass over the claims of the document.
func NewPass(doc *detectors.Document) Pass {
	p := Pass{Doc: doc, Index: Of(doc), List: doc.Statements()}
	end := int32(doc.Markers().End)
	for _, c := range p.List {
		if c.Start >= end {
			break
		}
		p.Claims++
	}
	return p
}

// Measure compares the i-th claim with the sources; ok is false if the claim has no content words. each, unless nil, is
// called for each part of the claim while it is loaded.
func (p *Pass) Measure(i int, each func(from, to int32, w Window)) (s Claim, ok bool) {
	c := &p.List[i]
	p.Index.work.Spend(int(c.Last-c.First) / detectors.ScanRows)
	s = p.Index.measureClaim(c.First, c.Last, Span{Start: int(c.Start), End: int(c.End)}, each)
	return s, s.Total > 0
}

// Span is a range of bytes of the answer, half open.
type Span struct{ Start, End int }

// Claim is how far the sources support one claim.
type Claim struct {
	At           Span
	Total, best  float64 // weight of its content words, and of those in the best window
	Window       Window
	Missing, Run int     // content words that are in no source, and the longest run of them
	figures      int     // missing numbers
	from, to     int     // bytes of the longest run
	Unsupported  float64 // probability by the model, or without a model the share outside of the best window
}

// Similarity is the share of the claim in its best window, 0 to 1.
func (c *Claim) Similarity() float64 { return Similarity(c.best, c.Total, c.figures) }

// missingFigureFactor multiplies a similarity for each figure that is not in the sources: one wrong figure makes a
// well-copied sentence wrong. It tripled the recall of the citation rule at the same precision; the exact value matters
// little.
const missingFigureFactor = 0.25

// Similarity is the held share of the total weight, reduced for missing figures.
func Similarity(held, total float64, missingFigures int) float64 {
	return min(1, held/total) * math.Pow(missingFigureFactor, float64(missingFigures))
}

// SimilarityOf is the share of the answer's tokens first..last in their best window, 0 to 1.
func (x *Index) SimilarityOf(first, last int32) float64 {
	c := x.measureClaim(first, last, Span{}, nil)
	return c.Similarity()
}

// measureClaim compares the answer's tokens first..last with the sources. A claim with more distinct words than the index
// has bits is compared in parts; its window is that of the first part.
func (x *Index) measureClaim(first, last int32, at Span, each func(from, to int32, w Window)) Claim {
	c := Claim{At: at, from: schemas.NoPlace, to: schemas.NoPlace}
	for next := first; next < last && x.work.Spend(1); {
		from := next
		next = x.Load(next, last)
		w := x.BestWindow(AnySource)
		if each != nil {
			each(from, next, w)
		}
		c.Total += x.Total
		c.best += w.Weight
		if c.Window.Last == 0 {
			c.Window = w
		}
	}
	x.work.Spend(int(last-first) / detectors.ScanRows)
	x.countMissing(&c, first, last)
	return c
}

// countMissing counts the words of the claim that are in no source.
func (x *Index) countMissing(c *Claim, first, last int32) {
	tokens := x.tokens[first:last]
	run, from := 0, 0
	for t, id := range x.ids[first:last] {
		if id < 0 {
			continue // stop words and markers do not end a run
		}
		s := &x.stems[id]
		switch {
		case s.count > 0:
			run = 0
			continue
		case run == 0:
			from = t
		}
		run++
		c.Missing++
		if s.isFigure && !x.OnlyRecords {
			c.figures++
		}
		if run > c.Run {
			c.Run, c.from, c.to = run, int(tokens[from].Start), int(tokens[t].End)
		}
	}
}

// Evidence pairs the claim with its best window. The note is the longest run of missing words.
func (c *Claim) Evidence(doc *detectors.Document) detectors.Evidence {
	e := detectors.Evidence{Start: c.At.Start, End: c.At.End, Source: -1, Similarity: c.Similarity()}
	if c.Run > 0 {
		e.Note = doc.Answer()[c.from:c.to]
	}
	if source, start, end, ok := c.Window.Place(doc); ok {
		e.Source, e.SourceStart, e.SourceEnd = source, start, end
	}
	return e
}
