package detectors

import (
	"math"
	"strings"

	"confab/internal/text"
)

// polarity fills the columns of words that the claim negates and the sources never do, and the other way around.
func (p *groundingPass) polarity() {
	v := &p.vector
	for i := range p.words {
		w := &p.words[i]
		if w.id < 0 {
			continue
		}
		switch {
		case w.negated && p.x.neverNegated(w.id):
			v[colNewlyNegated]++
		case !w.negated && p.x.alwaysNegated(w.id):
			v[colNoLongerNegated]++
		}
	}
}

// namedSource is the source that the sentence of the claim names in prose ("passage 2 states that"), unknownSource for
// none.
func (p *groundingPass) namedSource(c text.Claim) int32 {
	r := p.doc.SentenceTokens(int(c.Sentence))
	for t := r.First; t+1 < r.Last; t++ {
		if p.tokens[t+1].Kind == text.Number && namesSource(p.tokens[t].In(p.answer)) {
			return int32(sourceOf(p.doc, p.tokens[t+1].In(p.answer)))
		}
	}
	return unknownSource
}

// namesSource reports "passage" and what else sources are called before their number.
func namesSource(word string) bool {
	word = strings.TrimSuffix(word, "s")
	switch len(word) {
	case len("source"):
		return strings.EqualFold(word, "source")
	case len("passage"):
		return strings.EqualFold(word, "passage")
	case len("document"):
		return strings.EqualFold(word, "document")
	default:
		return false
	}
}

// namedShare is the share of what the best window holds that the source named in prose holds, NaN where none is.
func (p *groundingPass) namedShare() float32 {
	if p.named < 0 {
		return float32(math.NaN())
	}
	return float32(p.sums.named / max(p.sums.window, 1e-9))
}
