package consistency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/facts"
	"confab/detectors/figureindex"
)

// factAgreement is a figure, date or name of the answer that some sampled responses lack.
type factAgreement struct {
	start, end  int
	missing     int    // sampled responses without it
	alternative string // the nearest fact in the first of them
}

// addFacts records the facts of the answer that this sampled response does not support.
func (c *comparison) addFacts(doc *detectors.Document) {
	for _, f := range facts.Findings(doc) {
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

// evidence lists the figures, dates and names that too few sampled responses contain, then such claims, each by rising share.
func (c *comparison) evidence(doc *detectors.Document, texts []string) []detectors.Evidence {
	var facts, claims []detectors.Evidence
	for i := range c.facts {
		f := &c.facts[i]
		have := c.sampleCount - f.missing
		share := float64(have) / float64(c.sampleCount)
		if share >= agreedShare {
			continue
		}
		note := fmt.Sprintf("%s: in %d of %d sampled responses", doc.Answer()[f.start:f.end], have, c.sampleCount)
		if f.alternative != "" {
			note += "; another says " + f.alternative
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
			note = "sampled responses: " + strings.Join(texts, " | ")
		}
		claims = append(claims, detectors.Evidence{Start: claim.Start, End: claim.End, Source: -1, Similarity: claim.Share, Note: note})
	}
	byShare := func(a, b detectors.Evidence) int { return cmp.Compare(a.Similarity, b.Similarity) }
	slices.SortStableFunc(facts, byShare)
	slices.SortStableFunc(claims, byShare)
	rows := append(facts, claims...)
	return doc.Evidence(rows[:min(len(rows), detectors.MaxEvidence)]...)
}
