package grounding

import (
	"confab/detectors"
	"confab/detectors/facts"
	"confab/detectors/figureindex"
)

// Records and tables without prose have no wording that an answer could share: every sentence about them is a paraphrase.
// There a claim is as unsupported as the worst value that the records refute.
const (
	plainMissing = 0.15 // probability of a claim of which no word is in the sources
	plainFinding = 1.2  // factor of a refuted value's weight
	plainRefuted = 1.4  // factor of a value that a named field contradicts; nearly all of ours are faults (records.golden)
	plainName    = 0.5  // factor of an unknown name's weight
	plainMost    = 0.985
)

// plainProbability is the probability that the measured claim about records without prose is unsupported.
func (p *answerPass) plainProbability() float64 {
	worst := plainMissing * float64(p.vector[colMissingShare])
	findings := facts.Findings(p.Doc)
	p.Doc.Work().Spend(len(findings) / detectors.ScanRows)
	for i := range findings {
		f := &findings[i]
		if int(f.Claim) != p.at {
			continue
		}
		factor := plainFinding
		switch f.Kind {
		case figureindex.Name, figureindex.Weak:
			factor = plainName
		case figureindex.Contradicted:
			factor = plainRefuted
		default:
		}
		worst = max(worst, min(plainMost, factor*float64(f.Weight)))
	}
	return worst
}

// claimProbability is the probability that the measured claim is unsupported.
func (p *answerPass) claimProbability() float64 {
	if p.plain {
		return p.plainProbability()
	}
	return p.probability()
}

// answerScore is the probability that the answer has a fault.
func (p *answerPass) answerScore(t *claimTally) float64 {
	if p.plain {
		return t.highest
	}
	return p.score(&t.answer)
}
