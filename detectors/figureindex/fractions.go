package figureindex

import (
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// maxFractions is the maximum of words for a part that are compared in one answer.
const maxFractions = 16

//nolint:gochecknoglobals // read-only
var partWords = buildParts()

// buildParts maps words for a part of something to its percentage.
func buildParts() map[uint64]float64 {
	table := map[uint64]float64{}
	for percent, words := range map[float64]string{
		50:        "half halves hälfte mitad moitié 一半",
		100.0 / 3: "third thirds drittel tercio tercios tiers 三分",
		25:        "quarter quarters viertel cuarto cuartos quart quarts 四分",
		20:        "fifth fifths fünftel quinto cinquième 五分",
	} {
		for w := range strings.FieldsSeq(words) {
			table[wordHash(w)] = percent
		}
	}
	return table
}

// IsPart reports whether the token names a part of something ("half").
func IsPart(t *text.Token) bool {
	_, ok := partWords[t.Hash]
	return ok
}

// Part returns the source sentence of two figures, one of which is the part of the other that the token of the answer names
// ("half of them"), or that states the share in percent; -1 for none.
func (x *Index) Part(d *detectors.Document, token int32) int32 {
	tokens := d.Tokens()
	percent, ok := partWords[tokens[token].Hash]
	if !ok || x.parts >= maxFractions {
		return -1
	}
	x.parts++
	at := x.firstFrom(token)
	if at > 0 && x.Answer[at-1].Last == token && isBare(&x.Answer[at-1]) { // two thirds
		percent *= x.Answer[at-1].Value
	}
	t := &tokens[token]
	f := figures.Figure{
		Kind: figures.Percent, Value: percent, Sense: figures.About, Spelled: true,
		First: token, Last: token + 1, Start: t.Start, End: t.End,
	}
	c := calculation{x: x, d: d, f: &f, index: at, depth: maxDepth, cues: cueShare, sentence: -1}
	if x.stated(&c) || c.fromSources() {
		return c.sentence
	}
	return -1
}
