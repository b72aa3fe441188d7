package support

import (
	"confab/detectors"
	"confab/detectors/figureindex"
)

// addFigures adds postings for the answer's words of figures that no source spells the same way but that a source states in
// another form, or from which they follow: "9 am" for 9:00, 10.5 for half of 21. Such words are not missing.
func (x *Index) addFigures(d *detectors.Document) {
	figures, forms := figureindex.Of(d), figureindex.FormsOf(d)
	x.work.Spend(len(figures.Answer) + (len(forms.Answer)+len(figures.Answer))*(len(forms.Sources)+len(forms.Answer))/detectors.ScanRows)
	x.work.Spend(len(forms.Answer) * len(figures.Sources) / detectors.ScanRows)
	for i := range forms.Answer {
		f := &forms.Answer[i]
		x.addMissing(f.First, f.Last, forms.Sentence(figures, f))
	}
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
		if sentence < 0 {
			sentence = forms.FigureSentence(figures, f)
		}
		x.addMissing(f.First, f.Last, sentence)
	}
}

// addMissing adds postings in the sentence for the words first..last that no source has, unless it is -1.
func (x *Index) addMissing(first, last, sentence int32) {
	for t := first; t < last && sentence >= 0; t++ {
		if x.IsMissing(t) {
			x.addHit(x.keys[x.ids[t]], sentence)
		}
	}
}
