package support

import (
	"confab/detectors"
	"confab/internal/text"
)

// maxCompounds bounds the words of an answer that are searched as compounds.
const maxCompounds = 24

// stemmingCost is the cost of a source word's stem, in units of [detectors.Work].
const stemmingCost = 6

// addCompounds adds postings for German words of the answer that no source has but whose parts stand in one sentence of a
// source, or that are a part of a word there: "Katzenhaltung" for "die Haltung von Katzen", and the other way round.
func (x *Index) addCompounds(d *detectors.Document) {
	x.sourceStems = x.sourceStems[:0]
	if d.Language() != text.GermanLanguage || x.matchMode != text.Foreign || x.OnlyRecords {
		return
	}
	tokens, left := d.Tokens(), maxCompounds
	for i := range tokens {
		if id := x.ids[i]; id < 0 || x.stems[id].count > 0 || tokens[i].Kind != text.Word {
			continue
		}
		if left--; left < 0 || !x.work.Spend(len(d.SourceTokens())/2) || !x.readStems(d) {
			return
		}
		x.addCompound(d, x.ids[i], text.StemOf(tokens[i].In(d.Text())))
	}
}

// readStems reads the stems of the sources' content words once. It returns false if the work has ended.
func (x *Index) readStems(d *detectors.Document) bool {
	tokens := d.SourceTokens()
	if len(x.sourceStems) > 0 || !x.work.Spend(stemmingCost*len(tokens)) {
		return len(x.sourceStems) > 0
	}
	for i := range x.sentences {
		s := &x.sentences[i]
		source := d.Source(int(s.Source))
		for t := s.First; t < s.Last; t++ {
			if tokens[t].Kind == text.Word && x.matchMode.IsContent(&tokens[t]) {
				start := tokens[t].Start
				x.sourceStems = append(x.sourceStems, sourceStem{start, start + int32(len(text.StemOf(tokens[t].In(source)))), int32(i)})
			}
		}
	}
	return len(x.sourceStems) > 0
}

// sourceStem is the stem of a word of a source sentence, as bytes of the source.
type sourceStem struct{ start, end, sentence int32 }

func (x *Index) addCompound(d *detectors.Document, id int32, stem string) {
	whole, sentence := newCompound(stem), int32(-1)
	for _, s := range x.sourceStems {
		switch {
		case s.sentence != sentence:
			whole, sentence = newCompound(stem), s.sentence
		case x.stems[id].last == sentence:
			continue // found in this sentence
		}
		if whole.add(d.Source(int(x.sentences[sentence].Source))[s.start:s.end]) {
			x.addHit(x.stems[id].key, sentence)
		}
	}
}
