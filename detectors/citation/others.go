package citation

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"confab/detectors/support"
	"confab/internal/text/citations"
)

const (
	noSupporter = -1
	maxOthers   = 16 // sentences compared with all sources: each costs as much as a claim of the grounding detector
)

// A sentence cites the wrong source if another source supports it well and leads by far. Below these limits a paraphrase of
// the cited source would count.
const (
	maxWrongShare  = 0.6 // support by the cited sources
	minOtherShare  = 0.8 // support by the other source
	minWrongLead   = 0.35
	wrongLeadScale = 2 // support lost per lead
)

// compareOthers looks for a source that is not cited and supports the sentence. It returns the source, or noSupporter, and the
// support of the sentence, which is lower if there is one.
func (p *answerPass) compareOthers(first, last int32, share float64) (supporter int, reduced float64) {
	if p.others++; p.others > maxOthers {
		return noSupporter, share
	}
	supporter, other := p.bestOther(first, last)
	lead := other - share
	if supporter == noSupporter || other < minOtherShare || lead < minWrongLead {
		return noSupporter, share
	}
	p.wrong = max(p.wrong, lead)
	return supporter, share * max(0, 1-wrongLeadScale*lead)
}

// bestOther is the source of the best window of the sentence, and its support; noSupporter if that source is cited.
func (p *answerPass) bestOther(first, last int32) (source int, similarity float64) {
	x := support.Of(p.doc)
	source = noSupporter
	total, held, missing := 0.0, 0.0, 0
	for next := first; next < last && p.doc.Work().Spend(1); {
		next = x.Load(next, last)
		w := x.BestWindow(support.AnySource)
		if found, _, _, ok := w.Place(p.doc); ok && source == noSupporter {
			source = found
		}
		if source != noSupporter {
			w = x.BestWindow(int32(source))
			missing += bits.OnesCount64(x.Figures &^ x.HeldWords(int32(source)))
		}
		total += x.Total
		held += w.Weight
	}
	if source == noSupporter || total == 0 || slices.ContainsFunc(p.scratch.rows, func(r citedSource) bool { return r.Source == source }) {
		return noSupporter, 0
	}
	return source, support.Similarity(held, total, missing)
}

// sourceName is the id of a source, or its position from 1.
func (p *answerPass) sourceName(source int) string {
	return cmp.Or(p.doc.Interaction().Sources[source].ID, strconv.Itoa(source+1))
}

// onlyRefers reports a sentence that says nothing but where something is said, such as "This is described in passage 2".
func (p *answerPass) onlyRefers(first, last int32) bool {
	x, tokens := support.Of(p.doc), p.doc.Tokens()
	for t := first; t < last && p.doc.Work().Spend(1); t++ {
		if x.Stem(t) >= 0 && !citations.IsReferral(tokens[t].In(p.doc.Answer())) {
			return false
		}
	}
	return true
}
