package detectors

import (
	"cmp"
	"math/bits"
	"slices"

	"confab/internal/text"
	"confab/schemas"
)

// citationPass is one answer's measurement.
type citationPass struct {
	doc        *Document
	comparable bool
	references []reference // of the answer
	scratch    *citationScratch

	next, holder int // sentences are looked up in order: the next one, and the last one with words of its own
	claim        int // likewise for claims

	checked  int // sentences that were compared with their sources
	unknown  int
	sum      float64 // of the sentences' support
	worst    float64
	overflow bool
}

// citationScratch is what the detector keeps of a document while it reads it.
type citationScratch struct {
	rows     []citationRow // of one sentence
	evidence []Evidence
}

func newCitationPass(doc *Document) citationPass {
	scratch, _ := Scratch[citationScratch](doc)
	scratch.evidence = scratch.evidence[:0]
	return citationPass{doc: doc, worst: 1, comparable: doc.Comparable(), scratch: scratch}
}

// citationRow is one source that a sentence cites.
type citationRow struct {
	reference
	window  window
	weight  float64 // of the sentence's words that the window holds
	missing int     // figures of the sentence that the source does not hold
}

// maxSentenceCitations bounds the sources that one sentence is compared with.
const maxSentenceCitations = MaxSources + 14

// sentence measures one sentence with the markers it owns.
func (p *citationPass) sentence(c *citation, sentence int, markers []marker) {
	p.scratch.rows = p.scratch.rows[:0]
	unknown := 0
	for i := range markers {
		if c.counts(markers[i]) {
			unknown += p.cite(p.references[markers[i].first:markers[i].last])
		}
	}
	p.unknown += unknown
	if len(p.scratch.rows) == 0 {
		return
	}
	first, last, at := p.body(sentence)
	total, share := p.compare(first, last)
	switch {
	case unknown > 0:
		p.worst = 0
	case total == 0:
		return
	}
	if total > 0 {
		p.checked++
		p.sum += share
		p.worst = min(p.worst, share)
	}
	p.show(at, total)
}

// cite adds the references that the sentence does not cite yet, and returns how many of them name no source.
func (p *citationPass) cite(references []reference) (unknown int) {
	scratch := p.scratch
	for _, r := range references {
		if !p.doc.Work().Spend(1 + len(scratch.rows)/Glances) {
			return unknown
		}
		if r.source == unmeasuredSource || slices.ContainsFunc(scratch.rows, func(row citationRow) bool {
			return row.source == r.source && (r.source >= 0 || row.label == r.label)
		}) {
			continue
		}
		if len(scratch.rows) == maxSentenceCitations {
			p.overflow = true
			return unknown
		}
		scratch.rows = append(scratch.rows, citationRow{reference: r})
		if r.source == unknownSource {
			unknown++
		}
	}
	return unknown
}

// body is what the sentence states, as tokens and as bytes: its claim, or all of a sentence too short to be one. A
// longer sentence that is no claim, such as a question or "the sources do not say", states nothing.
func (p *citationPass) body(sentence int) (first, last int32, at claimSpan) {
	claims := p.doc.Claims()
	for p.claim < len(claims) && int(claims[p.claim].Sentence) < sentence {
		p.claim++
	}
	span, r := p.doc.Sentences()[sentence], p.doc.SentenceTokens(sentence)
	at = claimSpan{start: int(span.Start), end: int(span.End)}
	switch {
	case p.claim < len(claims) && int(claims[p.claim].Sentence) == sentence:
		c := claims[p.claim]
		return c.First, c.Last, claimSpan{start: int(c.Start), end: int(c.End)}
	case p.words(r) < text.MinClaimWords:
		return r.First, r.Last, at
	default:
		return r.First, r.First, at
	}
}

// compare measures the tokens against each cited source. Support is the share of their weight that the best source
// holds, or the best windows of all of them.
func (p *citationPass) compare(first, last int32) (total, share float64) {
	if !p.comparable {
		return 0, 0
	}
	x, rows := supportOf(p.doc), p.scratch.rows
	joint, missing := 0.0, 0
	for next := first; next < last && p.doc.Work().Spend(1); {
		next = x.load(next, last)
		total += x.total
		union, held := uint64(0), uint64(0)
		for i := range rows {
			row := &rows[i]
			if row.source < 0 {
				continue
			}
			if !p.doc.Work().Spend(1) {
				break
			}
			w, holds := x.best(int32(row.source)), x.holds(int32(row.source))
			row.weight += w.weight
			row.missing += bits.OnesCount64(x.figures &^ holds)
			union |= w.mask
			held |= holds
			if row.window.last == 0 {
				row.window = w
			}
		}
		joint += x.weightOf(union)
		missing += bits.OnesCount64(x.figures &^ held)
		x.unload()
	}
	if total == 0 {
		return 0, 0
	}
	share = similarity(joint, total, missing)
	for i := range rows {
		share = max(share, similarity(rows[i].weight, total, rows[i].missing))
	}
	return total, share
}

// show keeps a row of evidence for each cited source.
func (p *citationPass) show(at claimSpan, total float64) {
	for i := range p.scratch.rows {
		row := &p.scratch.rows[i]
		e := Evidence{Start: at.start, End: at.end, Citation: row.label, Source: row.source}
		switch {
		case row.source == unknownSource:
			e.Note = noteUnknown
		case total == 0:
			continue // nothing was compared
		default:
			e.Similarity = similarity(row.weight, total, row.missing)
		}
		if _, start, end, ok := row.window.place(p.doc); ok {
			e.SourceStart, e.SourceEnd = start, end
		}
		p.scratch.evidence = append(p.scratch.evidence, e)
	}
}

func (p *citationPass) finding(truncated bool) Finding {
	truncated = truncated || p.overflow
	if p.checked == 0 && p.unknown == 0 {
		why := ReasonNoClaims
		if !p.comparable {
			why = ReasonLanguage
		}
		return Finding{NotCheckable: why, Truncated: truncated}
	}
	rows := p.scratch.evidence
	slices.SortStableFunc(rows, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.Similarity, b.Similarity), cmp.Compare(min(a.Source, 0), min(b.Source, 0)))
	})
	f := Finding{
		Score:     1 - p.worst,
		Type:      schemas.Attribution,
		Reason:    reasonUnsupported,
		Evidence:  rows,
		Truncated: truncated,
	}
	if p.unknown > 0 {
		f.Reason = reasonUnknown
	}
	mean := 0.0
	if p.checked > 0 {
		mean = p.sum / float64(p.checked)
	}
	f.Measures = p.doc.Measures(
		Measure{Name: "citations", Value: float64(len(rows))}, Measure{Name: "cited_sentences", Value: float64(p.checked)},
		Measure{Name: "unknown_citations", Value: float64(p.unknown)}, Measure{Name: "worst_support", Value: p.worst}, Measure{Name: "mean_support", Value: mean},
	)
	return f
}

// owner is the sentence that a marker at this byte belongs to: the one around it, or the one before where markers stand
// alone. Offsets must not decrease from call to call.
func (p *citationPass) owner(at int) int {
	sentences := p.doc.Sentences()
	for p.next < len(sentences) && int(sentences[p.next].Start) <= at {
		r := p.doc.SentenceTokens(p.next)
		if p.words(r) > 0 {
			p.holder = p.next
		}
		p.next++
	}
	return p.holder
}

// words counts the tokens that are no part of a marker.
func (p *citationPass) words(r text.Range) (n int) {
	p.doc.Work().Spend(r.Len() / Glances)
	x, tokens := supportOf(p.doc), p.doc.Tokens()
	for t := r.First; t < r.Last; t++ {
		if x.stem(t) >= 0 || tokens[t].Stop() {
			n++
		}
	}
	return n
}
