package grounding

import (
	"math"
	"strings"

	"confab/internal/text"
	"confab/internal/text/citations"
	textclaims "confab/internal/text/claims"
)

// countNegationChange counts a word that the claim negates and the sources never do, or the reverse.
func (p *answerPass) countNegationChange(w *claimWord) {
	switch {
	case w.negated && p.Index.NeverNegated(w.id):
		p.vector[colNewlyNegated]++
	case !w.negated && p.Index.AlwaysNegated(w.id):
		p.vector[colNoLongerNegated]++
	}
}

// namedSource is the source that the claim's sentence names in prose ("passage 2 states that"), else UnknownSource.
func (p *answerPass) namedSource(c textclaims.Claim) int32 {
	r := p.Doc.SentenceTokens(int(c.Sentence))
	tokens := p.tokens[r.First:r.Last]
	for t := 1; t < len(tokens); t++ {
		if tokens[t].Kind == text.Number && namesSource(tokens[t-1].In(p.answer)) {
			return int32(p.Doc.Markers().SourceOf(tokens[t].In(p.answer)))
		}
	}
	return citations.UnknownSource
}

// namesSource reports the words for a source before its number.
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

// namedShare is the weight held by the source named in prose relative to the best window; NaN if none is named.
func (p *answerPass) namedShare() float32 {
	if p.named < 0 {
		return float32(math.NaN())
	}
	return float32(p.sums.named / max(p.sums.window, 1e-9))
}
