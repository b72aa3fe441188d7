package grounding

import (
	"confab/detectors"
	"confab/internal/text"
)

// maxQuestionBytes of the question are read.
const maxQuestionBytes = 2000

// questionInSources is the highest share, 0 to 1, of the content words of the user's question that one source has. Behind an answer that
// only says it does not know, much of it is a sign that the sources could have answered.
func questionInSources(doc *detectors.Document) float64 {
	question, _ := text.Cut(doc.Interaction().UserQuestion(), maxQuestionBytes)
	asked := map[uint64]int{} // the last source that has the word, from 1
	for _, t := range text.AppendTokens(nil, question) {
		if text.Foreign.IsContent(&t) {
			asked[t.Stem] = 0
		}
	}
	if len(asked) == 0 {
		return 0
	}
	most := 0
	for i := range doc.Sources() {
		n := 0
		for _, t := range doc.TokensRead(i) {
			if last, ok := asked[t.Stem]; ok && last <= i {
				asked[t.Stem] = i + 1
				n++
			}
		}
		most = max(most, n)
	}
	return float64(most) / float64(len(asked))
}
