package citation

import (
	"slices"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// verdict is how the sources cover a claim.
type verdict struct {
	total   float64 // weight of its terms
	cover   float64 // share of it in the cited sources together
	support float64 // share of it in two neighboring sentences of a cited source, less for figures that these sources lack
	gap     float64 // how much more of it another source has than the cited ones
	source  int     // that source, -1 for none
}

// judge compares the claim's part with all sources. A part of few words is compared with its sentence, too.
func (x *index) judge(c *claim) verdict {
	v, terms := x.compare(c, c.tokens)
	if terms < minTerms && v.gap > 0 {
		near := rangeOf(max(c.sentence.First, c.tokens.First-reach), min(c.sentence.Last, c.tokens.Last+reach))
		whole, _ := x.compare(c, near)
		v.gap = min(v.gap, whole.gap)
	}
	return v
}

// compare measures the cover of the tokens by each source.
func (x *index) compare(c *claim, tokens text.Range) (v verdict, terms int) {
	cited, lost := x.references[c.first:c.last], 0.0
	x.covers = slices.Grow(x.covers[:0], x.doc.Sources())[:x.doc.Sources()]
	clear(x.covers)
	x.begin(tokens)
	for _, t := range x.chosen {
		w := x.terms[t].weight
		v.total += w
		if x.cover(&x.terms[t], cited, &v) {
			v.cover += w
		} else if x.terms[t].figure {
			lost += lostFigure
		}
	}
	x.end()
	if v.total == 0 {
		return v, 0
	}
	v.source = -1
	best := 0.0
	for s, w := range x.covers {
		if w > best && !names(cited, s) {
			v.source, best = s, w
		}
	}
	v.gap = max(0, best-v.cover) / v.total
	v.cover /= v.total
	v.support = max(0, v.support/v.total-lost)
	return v, len(x.chosen)
}

// cover adds the term's weight to the sources and pairs of sentences that have it, and reports whether a cited source has it.
func (x *index) cover(t *term, cited []citations.Reference, v *verdict) (held bool) {
	sentences := x.doc.AllSourceSentences()
	source, after, named := int32(-1), int32(-1), false // of the hit before this one, which is a later sentence
	for i := t.first; i >= 0; i = x.hits[i].next {
		s := x.hits[i].sentence
		if sentences[s].Source != source {
			source, after = sentences[s].Source, -1
			x.covers[source] += t.weight
			named = names(cited, int(source))
			held = held || named
		}
		if !named {
			continue
		}
		if after != s+1 { // else it counted this pair
			x.pairs[s] += t.weight
			v.support = max(v.support, x.pairs[s])
		}
		if s > 0 && sentences[s-1].Source == source {
			x.pairs[s-1] += t.weight
			v.support = max(v.support, x.pairs[s-1])
		}
		after = s
	}
	return held
}

// begin chooses the terms of the tokens, each once.
func (x *index) begin(tokens text.Range) {
	x.chosen = x.chosen[:0]
	x.pass++
	for i := tokens.First; i < tokens.Last && int(i) < len(x.at); i++ {
		t := x.at[i]
		if t == noTerm || x.terms[t].pass == x.pass || !x.doc.Work().Spend(1+int(x.terms[t].sentences)/detectors.ScanRows) {
			continue
		}
		x.terms[t].pass = x.pass
		x.chosen = append(x.chosen, t)
	}
}

// end clears the sums of the chosen terms.
func (x *index) end() {
	for _, t := range x.chosen {
		for i := x.terms[t].first; i >= 0; i = x.hits[i].next {
			s := x.hits[i].sentence
			x.pairs[s], x.pairs[max(0, s-1)] = 0, 0
		}
	}
}

// placeOf is the sentence of a source that covers most of the claim, in bytes; 0 for none.
func (x *index) placeOf(c *claim, source int) (start, end int) {
	best, at, sentences := 0.0, int32(-1), x.doc.AllSourceSentences()
	x.begin(c.tokens)
	for _, t := range x.chosen {
		for i := x.terms[t].first; i >= 0; i = x.hits[i].next {
			s := x.hits[i].sentence
			if int(sentences[s].Source) != source {
				continue
			}
			x.pairs[s] += x.terms[t].weight
			if x.pairs[s] > best {
				best, at = x.pairs[s], s
			}
		}
	}
	x.end()
	if at < 0 {
		return 0, 0
	}
	return int(sentences[at].Start), int(sentences[at].End)
}

func names(cited []citations.Reference, source int) bool {
	return slices.ContainsFunc(cited, func(r citations.Reference) bool { return r.Source == source })
}
