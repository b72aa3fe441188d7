package grounding

import (
	"confab/detectors/contradiction"
	"confab/detectors/support"
	"confab/internal/text"
)

// denial looks for a negation that only the i-th claim or its best window has, in another language than English.
func (p *answerPass) denial(i int, c *support.Claim) (found contradiction.Finding, ok bool) {
	claim := &p.List[i]
	said := contradiction.Side{Text: p.answer, Tokens: p.tokens, First: claim.First, Last: claim.Last}
	for k := c.Window.First; k < c.Window.Last; k++ {
		s := &p.Doc.AllSourceSentences()[k]
		if p.similar != 0 && p.similar>>(k-c.Window.First)&1 == 0 {
			continue
		}
		sentence := contradiction.Side{Text: p.Doc.Source(int(s.Source)), Tokens: p.Doc.SourceTokens(), First: s.First, Last: s.Last}
		if m, denied := contradiction.Compare(p.Doc, said, sentence); denied {
			return contradiction.Finding{
				Kind: contradiction.Negation, Start: int(claim.Start), End: int(claim.End), Source: int(s.Source),
				SourceStart: int(s.Start), SourceEnd: int(s.End), QuoteStart: m.Start, QuoteEnd: m.End,
			}, true
		}
	}
	return contradiction.Finding{}, false
}

// isForeign reports a claim in another language than English.
func (p *answerPass) isForeign(i int) bool {
	c := &p.List[i]
	return p.Doc.MatchMode() == text.Foreign || c.First < c.Last && p.tokens[c.First].Kind == text.Gram
}
