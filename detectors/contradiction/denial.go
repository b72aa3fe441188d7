package contradiction

import (
	"confab/detectors"
	"confab/detectors/contradiction/parity"
)

// findDenial returns a negation that only the claim or the sentence has, in another language than English.
func findDenial(d *detectors.Document, c *Claim) (found Finding, ok bool) {
	said := parity.Side{Text: d.Text(), Tokens: d.Tokens(), First: c.First, Last: c.Last}
	for i := c.Window.First; i < c.Window.Last; i++ {
		s := &d.AllSourceSentences()[i]
		if n := s.Last - s.First; !c.compares(i) || n > maxTokens || !d.Work().Spend(tokenCost*int(c.Last-c.First+n)) {
			continue
		}
		m, denied := parity.Compare(d, said, parity.Side{Text: d.Source(int(s.Source)), Tokens: d.SourceTokens(), First: s.First, Last: s.Last})
		if denied {
			return Finding{
				Kind: Negation, Start: int(c.Start), End: int(c.End), Source: int(s.Source),
				SourceStart: int(s.Start), SourceEnd: int(s.End), QuoteStart: m.Start, QuoteEnd: m.End,
			}, true
		}
	}
	return Finding{}, false
}
