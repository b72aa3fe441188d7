package citation

import (
	"cmp"
	"math/bits"
	"slices"

	"confab/detectors"
	"confab/detectors/support"
	"confab/internal/text"
	"confab/internal/text/citations"
	textclaims "confab/internal/text/claims"
	"confab/schemas"
)

// answerPass is the state of measuring one answer.
type answerPass struct {
	doc        *detectors.Document
	comparable bool
	references []citations.Reference // of the answer
	scratch    *passScratch

	nextSentence, lastWorded int // sentences are visited in order: the next one, and the last one with words
	nextClaim                int

	checked  int // sentences compared with their sources
	unknown  int
	unread   int     // sentences whose support may lie in text that was not read
	sum      float64 // of the support of those sentences
	worst    float64
	overflow bool
	wrong    float64 // the largest lead of a source that is not cited over the cited ones

	others           int // sentences compared with sources that they do not cite
	quotes, speakers int // quotations that are nowhere or somebody else's; those that are somebody else's
}

// passScratch holds buffers that are reused across documents.
type passScratch struct {
	rows     []citedSource // of one sentence
	evidence []detectors.Evidence
}

func newPass(doc *detectors.Document) answerPass {
	scratch, _ := detectors.Scratch[passScratch](doc)
	scratch.evidence = scratch.evidence[:0]
	return answerPass{doc: doc, worst: 1, comparable: doc.Comparable(), scratch: scratch}
}

type citedSource struct {
	citations.Reference
	window  support.Window
	weight  float64 // of the sentence's words in the window
	missing int     // figures of the sentence that are not in the source
}

// maxSentenceCitations is the maximum of sources compared with one sentence.
const maxSentenceCitations = 64

// measureSentence compares a sentence with the sources named by its markers.
func (p *answerPass) measureSentence(c *citationDetector, sentence int, markers []citations.Marker) {
	p.scratch.rows = p.scratch.rows[:0]
	unknown, unread := p.addMarkers(c, markers)
	p.unknown += unknown
	if len(p.scratch.rows) == 0 {
		return
	}
	first, last, at := p.sentenceBody(sentence)
	if unknown == 0 && p.onlyRefers(first, last) {
		return
	}
	total, share := p.compareSources(first, last)
	if unread {
		if share, unread = p.shareOfRest(unknown, total, share, text.Range{First: first, Last: last}); unread {
			p.unread++
			return
		}
	}
	switch {
	case unknown > 0:
		p.worst = 0
	case total == 0:
		return
	}
	supporter := noSupporter
	if total > 0 {
		if share <= maxWrongShare && unknown == 0 {
			supporter, share = p.compareOthers(first, last, share)
		}
		p.checked++
		p.sum += share
		p.worst = min(p.worst, share)
	}
	p.addEvidence(at, total, supporter)
}

// addReferences adds references without duplicates, and returns how many of them name an unknown source.
func (p *answerPass) addReferences(references []citations.Reference) (unknown int) {
	scratch := p.scratch
	for _, r := range references {
		if !p.doc.Work().Spend(1 + len(scratch.rows)/detectors.ScanRows) {
			return unknown
		}
		if r.Source == citations.UnmeasuredSource || slices.ContainsFunc(scratch.rows, func(row citedSource) bool {
			return row.Source == r.Source && (r.Source >= 0 || row.Label == r.Label)
		}) {
			continue
		}
		if len(scratch.rows) == maxSentenceCitations {
			p.overflow = true
			return unknown
		}
		scratch.rows = append(scratch.rows, citedSource{Reference: r})
		if r.Source == citations.UnknownSource {
			unknown++
		}
	}
	return unknown
}

// sentenceBody is the part of the sentence to compare, as tokens and as bytes: its claim, or all of a sentence that is too
// short for a claim. The token range is empty for a longer sentence without a claim, such as a question.
func (p *answerPass) sentenceBody(sentence int) (first, last int32, at support.Span) {
	claims := p.doc.Claims()
	for p.nextClaim < len(claims) && int(claims[p.nextClaim].Sentence) < sentence {
		p.nextClaim++
	}
	span, r := p.doc.Sentences()[sentence], p.doc.SentenceTokens(sentence)
	at = support.Span{Start: int(span.Start), End: int(span.End)}
	switch {
	case p.nextClaim < len(claims) && int(claims[p.nextClaim].Sentence) == sentence:
		c := claims[p.nextClaim]
		return c.First, c.Last, support.Span{Start: int(c.Start), End: int(c.End)}
	case p.countWords(r) < textclaims.MinWords:
		return r.First, r.Last, at
	default:
		return r.First, r.First, at
	}
}

// compareSources compares the tokens with each cited source. share is the share of their weight in the best source or in
// the best windows of all sources.
func (p *answerPass) compareSources(first, last int32) (total, share float64) {
	if !p.comparable {
		return 0, 0
	}
	x, rows := support.Of(p.doc), p.scratch.rows
	joint, missing := 0.0, 0
	for next := first; next < last && p.doc.Work().Spend(1); {
		next = x.Load(next, last)
		total += x.Total
		union, held := uint64(0), uint64(0)
		for i := range rows {
			row := &rows[i]
			if row.Source < 0 {
				continue
			}
			if !p.doc.Work().Spend(1) {
				break
			}
			w, holds := x.BestWindow(int32(row.Source)), x.HeldWords(int32(row.Source))
			row.weight += w.Weight
			row.missing += bits.OnesCount64(x.Figures &^ holds)
			union |= w.Mask
			held |= holds
			if row.window.Last == 0 {
				row.window = w
			}
		}
		joint += x.WeightOf(union)
		missing += bits.OnesCount64(x.Figures &^ held)
	}
	if total == 0 {
		return 0, 0
	}
	share = support.Similarity(joint, total, missing)
	for i := range rows {
		share = max(share, support.Similarity(rows[i].weight, total, rows[i].missing))
	}
	return total, share
}

// addEvidence adds a row for each cited source. supporter is a source that is not cited and supports the sentence.
func (p *answerPass) addEvidence(at support.Span, total float64, supporter int) {
	for i := range p.scratch.rows {
		row := &p.scratch.rows[i]
		e := detectors.Evidence{Start: at.Start, End: at.End, Citation: row.Label, Source: row.Source}
		switch {
		case row.Source == citations.UnknownSource:
			e.Note = noteUnknown
		case total == 0:
			continue // nothing was compared
		default:
			e.Similarity = support.Similarity(row.weight, total, row.missing)
			if supporter != noSupporter {
				e.Note = "source " + p.sourceName(supporter) + " supports this, source " + row.Label + " is cited"
			}
		}
		if _, start, end, ok := row.window.Place(p.doc); ok {
			e.SourceStart, e.SourceEnd = start, end
		}
		p.scratch.evidence = append(p.scratch.evidence, e)
	}
}

func (p *answerPass) finding(truncated bool) detectors.Finding {
	truncated = truncated || p.overflow
	if p.checked == 0 && p.unknown == 0 && p.quotes == 0 {
		return detectors.Finding{NotCheckable: p.notCheckable(), Truncated: truncated}
	}
	rows := p.scratch.evidence
	citations := len(rows) - p.quotes
	slices.SortStableFunc(rows, func(a, b detectors.Evidence) int {
		return cmp.Or(cmp.Compare(a.Similarity, b.Similarity), cmp.Compare(min(a.Source, 0), min(b.Source, 0)))
	})
	f := detectors.Finding{
		Score:     1 - p.worst,
		Type:      schemas.Attribution,
		Reason:    reasonUnsupported,
		Evidence:  rows,
		Truncated: truncated,
	}
	switch {
	case p.unknown > 0:
		f.Reason = reasonUnknown
	case p.wrong > 0:
		f.Reason = reasonWrong
	case p.speakers > 0:
		f.Reason = reasonSpeaker
	case p.quotes > 0:
		f.Reason = reasonQuote
	}
	mean := 0.0
	if p.checked > 0 {
		mean = p.sum / float64(p.checked)
	}
	f.Measures = p.doc.Measures(
		detectors.Measure{Name: "citations", Value: float64(citations)}, detectors.Measure{Name: "cited_sentences", Value: float64(p.checked)},
		detectors.Measure{Name: "unknown_citations", Value: float64(p.unknown)}, detectors.Measure{Name: "worst_support", Value: p.worst}, detectors.Measure{Name: "mean_support", Value: mean},
		detectors.Measure{Name: "wrong_source", Value: p.wrong},
		detectors.Measure{Name: "false_quotes", Value: float64(p.quotes)},
	)
	return f
}

// notCheckable is the reason why no cited sentence was compared.
func (p *answerPass) notCheckable() string {
	switch {
	case !p.comparable:
		return detectors.ReasonLanguage
	case p.unread > 0 || p.doc.SourcesTruncated():
		return detectors.ReasonTruncated
	default:
		return detectors.ReasonNoClaims
	}
}

// owningSentence is the sentence that a marker at this byte belongs to: the one around it, or the last one before it that
// has words. Offsets must not decrease from call to call.
func (p *answerPass) owningSentence(at int) int {
	sentences := p.doc.Sentences()
	for p.nextSentence < len(sentences) && int(sentences[p.nextSentence].Start) <= at {
		r := p.doc.SentenceTokens(p.nextSentence)
		if p.countWords(r) > 0 {
			p.lastWorded = p.nextSentence
		}
		p.nextSentence++
	}
	return p.lastWorded
}

// countWords counts the tokens outside of markers.
func (p *answerPass) countWords(r text.Range) (n int) {
	p.doc.Work().Spend(r.Len() / detectors.ScanRows)
	x, tokens := support.Of(p.doc), p.doc.Tokens()
	for t := r.First; t < r.Last; t++ {
		if x.Stem(t) >= 0 || tokens[t].Stop() {
			n++
		}
	}
	return n
}
