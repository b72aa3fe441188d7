package citation

import (
	"slices"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// Weights of terms: of any word, to which that of rarity is added, and the factor of names and figures.
const (
	wordWeight  = 2.1
	namedFactor = 1.3
)

const (
	minTerms = 3  // of a part; a shorter one is wrong only if its sentence is, too
	reach    = 40 // terms on each side of such a part that count as its sentence
)

// verdict is how the sources cover a claim.
type verdict struct {
	total   float64 // weight of its terms
	cover   float64 // share of it in the cited sources together
	support float64 // share of it in two neighboring units of a cited source, less for figures that these sources lack
	gap     float64 // how much more of it another source has than the cited ones
	source  int     // that source, -1 for none
}

// judge compares the claim's part with all sources. A part of few words is compared with its sentence, too.
func (x *index) judge(c *claim) verdict {
	v, terms := x.compare(c, c.terms)
	if terms < minTerms && v.gap > 0 {
		own := x.Answer.Units[c.unit].Terms
		whole, _ := x.compare(c, rangeOf(max(own.First, c.terms.First-reach), min(own.Last, c.terms.Last+reach)))
		v.gap = min(v.gap, whole.gap)
	}
	return v
}

// compare measures the cover of the terms by each source.
func (x *index) compare(c *claim, terms text.Range) (v verdict, n int) {
	cited, lost := x.references[c.first:c.last], 0.0
	clear(x.covers)
	x.begin(terms)
	for _, i := range x.chosen {
		w := x.weight(i)
		v.total += w
		if x.cover(i, cited, &v) {
			v.cover += w
		} else if x.Answer.Terms[i].Has(evidence.Numeric) {
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

// weight is the weight of the i-th term of the answer.
func (x *index) weight(i int32) float64 {
	t := &x.Answer.Terms[i]
	w := wordWeight + x.Rarity(t.ID)
	if t.Has(evidence.Numeric | evidence.Capital) {
		w *= namedFactor
	}
	return w
}

// cover adds the term's weight to the sources and pairs of units that have it, and reports whether a cited source has it.
func (x *index) cover(i int32, cited []citations.Reference, v *verdict) (held bool) {
	weight, last, named, before := x.weight(i), int32(-1), false, int32(-2)
	for _, p := range x.PlacesOf(x.Answer.Terms[i].ID) {
		source := x.Evidence.Units[p.Unit].Source
		if source < 0 || p.Unit == before {
			continue
		}
		if source != last {
			last, named, before = source, names(cited, int(source)), -2
			x.covers[source] += weight
			held = held || named
		}
		if !named {
			continue
		}
		x.pairs[p.Unit] += weight
		v.support = max(v.support, x.pairs[p.Unit])
		if u := p.Unit - 1; u >= 0 && u != before && x.Evidence.Units[u].Source == source { // else it counted there
			x.pairs[u] += weight
			v.support = max(v.support, x.pairs[u])
		}
		before = p.Unit
	}
	return held
}

// begin chooses the content of the terms, each once.
func (x *index) begin(terms text.Range) {
	x.chosen = x.chosen[:0]
	x.pass++
	for i := terms.First; i < terms.Last; i++ {
		if !x.isContent(i) {
			continue
		}
		id := x.Answer.Terms[i].ID
		if x.passes[id] == x.pass || !x.doc.Work().Spend(1+x.Entries[id].Places.Len()/detectors.ScanRows) {
			continue
		}
		x.passes[id] = x.pass
		x.chosen = append(x.chosen, i)
	}
}

// end clears the sums of the chosen terms.
func (x *index) end() {
	for _, i := range x.chosen {
		for _, p := range x.PlacesOf(x.Answer.Terms[i].ID) {
			x.pairs[p.Unit], x.pairs[max(0, p.Unit-1)] = 0, 0
		}
	}
}

// placeOf is the unit of a source that covers most of the claim, in bytes; 0 for none.
func (x *index) placeOf(c *claim, source int) (start, end int) {
	best, at := 0.0, int32(-1)
	x.begin(c.terms)
	for _, i := range x.chosen {
		weight, before := x.weight(i), int32(-1)
		for _, p := range x.PlacesOf(x.Answer.Terms[i].ID) {
			if int(x.Evidence.Units[p.Unit].Source) != source || p.Unit == before {
				continue
			}
			before = p.Unit
			if x.pairs[p.Unit] += weight; x.pairs[p.Unit] > best {
				best, at = x.pairs[p.Unit], p.Unit
			}
		}
	}
	x.end()
	if at < 0 {
		return 0, 0
	}
	return int(x.Evidence.Units[at].Start), int(x.Evidence.Units[at].End)
}

func names(cited []citations.Reference, source int) bool {
	return slices.ContainsFunc(cited, func(r citations.Reference) bool { return r.Source == source })
}
