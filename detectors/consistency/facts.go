package consistency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/factcheck"
	"confab/detectors/figureindex"
)

// factAgreement is a figure, date or name of the answer that some fresh answers do not have.
type factAgreement struct {
	start, end  int
	missing     int    // fresh answers without it
	alternative string // what the first of them has nearest to it
}

// addFacts notes the facts that this fresh answer does not bear out.
func (c *comparison) addFacts(doc *detectors.Document) {
	for _, f := range factcheck.Findings(doc) {
		if f.Kind != figureindex.Number && f.Kind != figureindex.Date && f.Kind != figureindex.Name {
			continue
		}
		i := slices.IndexFunc(c.facts, func(a factAgreement) bool { return a.start == int(f.Start) && a.end == int(f.End) })
		if i < 0 {
			i = len(c.facts)
			c.facts = append(c.facts, factAgreement{start: int(f.Start), end: int(f.End)})
		}
		c.facts[i].missing++
		if c.facts[i].alternative == "" && f.Source >= 0 {
			c.facts[i].alternative = strings.Clone(doc.Source(int(f.Source))[f.SourceStart:f.SourceEnd])
		}
	}
}

// evidence shows first the figures, dates and names that too few fresh answers have, then the claims, each by how few.
func (c *comparison) evidence(doc *detectors.Document, texts []string, agreedShare float64) []detectors.Evidence {
	var facts, claims []detectors.Evidence
	for i := range c.facts {
		f := &c.facts[i]
		have := c.sampleCount - f.missing
		share := float64(have) / float64(c.sampleCount)
		if share >= agreedShare {
			continue
		}
		note := fmt.Sprintf("%s: in %d of %d fresh answers", doc.Answer()[f.start:f.end], have, c.sampleCount)
		if f.alternative != "" {
			note += "; another has " + f.alternative
		}
		facts = append(facts, detectors.Evidence{Start: f.start, End: f.end, Source: -1, Similarity: share, Note: note})
	}
	for i := range c.claims {
		claim := &c.claims[i]
		if claim.Share >= agreedShare {
			continue
		}
		note := ""
		if c.short {
			note = "asked again: " + strings.Join(texts, " | ")
		}
		claims = append(claims, detectors.Evidence{Start: claim.Start, End: claim.End, Source: -1, Similarity: claim.Share, Note: note})
	}
	byShare := func(a, b detectors.Evidence) int { return cmp.Compare(a.Similarity, b.Similarity) }
	slices.SortStableFunc(facts, byShare)
	slices.SortStableFunc(claims, byShare)
	rows := append(facts, claims...)
	return doc.Evidence(rows[:min(len(rows), detectors.MaxEvidence)]...)
}
