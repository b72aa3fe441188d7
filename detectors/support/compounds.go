package support

import (
	"confab/detectors"
	"confab/internal/text"
)

// maxCompounds bounds the words of an answer that are searched as compounds.
const maxCompounds = 24

// addCompounds adds postings for German words of the answer that no source has but whose parts stand in one sentence of a
// source, or that are a part of a word there: "Katzenhaltung" for "die Haltung von Katzen", and the other way round.
func (x *Index) addCompounds(d *detectors.Document) {
	if d.Language() != text.GermanLanguage || x.matchMode != text.Foreign || x.OnlyRecords {
		return
	}
	tokens, left := d.Tokens(), maxCompounds
	for i := range tokens {
		if id := x.ids[i]; id < 0 || x.counts[id] > 0 || tokens[i].Kind != text.Word {
			continue
		}
		if left--; left < 0 || !x.work.Spend(len(d.SourceTokens())/2) {
			return
		}
		x.addCompound(d, x.ids[i], text.StemOf(tokens[i].In(d.Text())))
	}
}

func (x *Index) addCompound(d *detectors.Document, id int32, stem string) {
	tokens := d.SourceTokens()
	for i := range x.sentences {
		s := &x.sentences[i]
		source := d.Source(int(s.Source))
		compound := text.NewCompound(stem)
		for t := s.First; t < s.Last; t++ {
			if tokens[t].Kind == text.Word && x.matchMode.IsContent(&tokens[t]) && compound.Add(text.StemOf(tokens[t].In(source))) {
				x.addHit(x.keys[id], int32(i))
				break
			}
		}
	}
}
