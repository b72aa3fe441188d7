package consistency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// figureAgreement is a figure or date of the answer with the sampled responses that lack it.
type figureAgreement struct {
	figures.Figure
	missing     int    // sampled responses without it
	alternative string // what the first of them has instead where it says the same; "" for nothing of the kind
}

// figureLists are the figures of an answer and of each sampled response.
type figureLists struct {
	doc     *detectors.Document
	answer  []figureAgreement
	samples [][]figures.Figure
}

const (
	figureCost = 4   // units of work per token that is read, or pair that is compared
	maxFigures = 200 // of one text
)

// readFigures reads the figures of the answer and of the sources of the document.
func readFigures(d *detectors.Document) *figureLists {
	f := &figureLists{doc: d, samples: make([][]figures.Figure, d.Sources())}
	read := func(s string, tokens int) bool {
		return d.Work().Spend(figureCost*tokens + len(s)/detectors.SearchBytes)
	}
	if !read(d.Text(), len(d.Tokens())) {
		return f
	}
	for _, figure := range firstFigures(d.Text(), d.Tokens()) {
		if figure.Kind != figures.Label {
			f.answer = append(f.answer, figureAgreement{Figure: figure})
		}
	}
	for i := range f.samples {
		tokens := d.TokensRead(i)
		if len(f.answer) == 0 || !read(d.Source(i), len(tokens)) {
			break
		}
		f.samples[i] = firstFigures(d.Source(i), tokens)
	}
	return f
}

func firstFigures(s string, tokens []text.Token) []figures.Figure {
	all := figures.Append(nil, s, tokens)
	return all[:min(len(all), maxFigures)]
}

// of returns the figures among the tokens first to last of the answer.
func (f *figureLists) of(first, last int32) []figureAgreement {
	from, _ := slices.BinarySearchFunc(f.answer, first, func(a figureAgreement, t int32) int { return cmp.Compare(a.First, t) })
	to := from
	for to < len(f.answer) && f.answer[to].First < last {
		to++
	}
	return f.answer[from:to]
}

// missing returns how many of the figures the sampled response lacks, and records it in them. place is where it says the same.
func (f *figureLists) missing(list []figureAgreement, sample int, place deep.Window) (n int) {
	held := f.samples[sample]
	for i := range list {
		a := &list[i]
		if !f.doc.Work().Spend(figureCost * len(held)) {
			return n
		}
		if slices.ContainsFunc(held, func(h figures.Figure) bool { return figurematch.Compare(&a.Figure, &h) >= figurematch.Rounded }) {
			continue
		}
		n++
		a.missing++
		at := slices.IndexFunc(held, func(h figures.Figure) bool {
			return h.Kind == a.Kind && h.Unit.Dimension == a.Unit.Dimension && place.Start <= int(h.Start) && int(h.End) <= place.End
		})
		if a.alternative == "" && at >= 0 {
			a.alternative = strings.Clone(f.doc.Source(sample)[held[at].Start:held[at].End])
		}
	}
	return n
}

// evidence lists the figures that too few sampled responses contain, then such claims, each by rising share.
func (c *comparison) evidence(doc *detectors.Document, texts []string) []detectors.Evidence {
	var figures, claims []detectors.Evidence
	for i := range c.figures {
		f := &c.figures[i]
		have := c.sampleCount - f.missing
		share := float64(have) / float64(c.sampleCount)
		if share >= agreedShare {
			continue
		}
		note := fmt.Sprintf("%s: in %d of %d sampled responses", doc.Answer()[f.Start:f.End], have, c.sampleCount)
		if f.alternative != "" {
			note += "; another says " + f.alternative
		}
		figures = append(figures, detectors.Evidence{Start: int(f.Start), End: int(f.End), Source: -1, Similarity: share, Note: note})
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
	slices.SortStableFunc(figures, byShare)
	slices.SortStableFunc(claims, byShare)
	rows := append(figures, claims...)
	return doc.Evidence(rows[:min(len(rows), detectors.MaxEvidence)]...)
}
