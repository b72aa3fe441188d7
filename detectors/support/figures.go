package support

import (
	"confab/detectors"
	"confab/detectors/figureindex"
)

// addFigures adds postings for the answer's words of figures that no source spells the same way but that a source states in
// another form, or from which they follow: "9 am" for 9:00, 10.5 for half of 21. Such words are not missing.
func (x *Index) addFigures(d *detectors.Document) {
	figures := figureindex.Of(d)
	x.work.Spend(len(figures.Answer))
	for i := range figures.Answer {
		f := &figures.Answer[i]
		missing := false
		for t := f.First; t < f.Last; t++ {
			missing = missing || x.IsMissing(t)
		}
		if !missing {
			continue
		}
		sentence := figures.Sentence(d, i)
		for t := f.First; t < f.Last && sentence >= 0; t++ {
			if x.IsMissing(t) {
				x.addHit(x.stems[x.ids[t]].key, sentence)
			}
		}
	}
	x.addParts(d, figures)
}

// addParts adds postings for missing words for a part of something ("half").
func (x *Index) addParts(d *detectors.Document, figures *figureindex.Index) {
	for t, id := range x.ids {
		if id < 0 || x.stems[id].count > 0 || !figureindex.IsPart(&x.tokens[t]) {
			continue
		}
		if sentence := figures.Part(d, int32(t)); sentence >= 0 {
			x.addHit(x.stems[id].key, sentence)
		}
	}
}

// IsMissing reports a content word that is in no source sentence.
func (x *Index) IsMissing(token int32) bool {
	return x.ids[token] >= 0 && x.stems[x.ids[token]].count == 0
}
