package detectors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// factAgreement is a figure, date or name of the answer that some fresh answers do not have.
type factAgreement struct {
	start, end int
	missing    int    // fresh answers without it
	instead    string // what the first of them has nearest to it
}

// readFacts notes the facts that this fresh answer does not bear out.
func (c *freshComparison) readFacts(doc *Document) {
	for _, f := range factsOf(doc) {
		if f.kind != factNumber && f.kind != factDate && f.kind != factName {
			continue
		}
		i := slices.IndexFunc(c.facts, func(a factAgreement) bool { return a.start == int(f.start) && a.end == int(f.end) })
		if i < 0 {
			i = len(c.facts)
			c.facts = append(c.facts, factAgreement{start: int(f.start), end: int(f.end)})
		}
		c.facts[i].missing++
		if c.facts[i].instead == "" && f.source >= 0 {
			c.facts[i].instead = strings.Clone(doc.Source(int(f.source))[f.sourceStart:f.sourceEnd])
		}
	}
}

// evidence shows first the figures, dates and names that too few fresh answers have, then the claims, each by how few.
func (c *freshComparison) evidence(doc *Document, texts []string, agreedShare float64) []Evidence {
	var facts, claims []Evidence
	for i := range c.facts {
		f := &c.facts[i]
		have := c.n - f.missing
		share := float64(have) / float64(c.n)
		if share >= agreedShare {
			continue
		}
		note := fmt.Sprintf("%s: in %d of %d fresh answers", doc.Answer()[f.start:f.end], have, c.n)
		if f.instead != "" {
			note += "; another has " + f.instead
		}
		facts = append(facts, Evidence{Start: f.start, End: f.end, Source: -1, Similarity: share, Note: note})
	}
	for i := range c.claims {
		claim := &c.claims[i]
		if claim.share >= agreedShare {
			continue
		}
		note := ""
		if c.short {
			note = "asked again: " + strings.Join(texts, " | ")
		}
		claims = append(claims, Evidence{Start: claim.start, End: claim.end, Source: -1, Similarity: claim.share, Note: note})
	}
	byShare := func(a, b Evidence) int { return cmp.Compare(a.Similarity, b.Similarity) }
	slices.SortStableFunc(facts, byShare)
	slices.SortStableFunc(claims, byShare)
	rows := append(facts, claims...)
	return doc.Evidence(rows[:min(len(rows), MaxEvidence)]...)
}
