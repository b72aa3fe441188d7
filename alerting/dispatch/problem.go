package dispatch

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"confab/alerting/card"
	"confab/internal/text"
	"confab/schemas"
)

// fewWords are too few to tell sentences apart: those of the question are added.
const fewWords = 3

// problemOf names what is wrong with an answer, the same in every process and for all answers with the same fault: the words of the
// source that says otherwise, else those of the accused sentence, without figures. Without words it is what found the fault.
func problemOf(f *schemas.Flag) string {
	var words []uint64
	s, e := card.Accused(f)
	switch {
	case e == nil:
		words = appendWords(words, f.Question)
	case e.SourceSays != "" && e.SourceExcerpt != "":
		words = appendWords(words, e.SourceExcerpt)
	case s.Type == schemas.Format: // the text differs in every answer
		words = appendWords(words, cmp.Or(e.Note, s.Reason))
	default:
		said := cmp.Or(e.Excerpt, e.Note, s.Reason)
		if words = appendWords(words, said); len(words) < fewWords && strings.Contains(said, " ") {
			words = appendWords(words, f.Question)
		}
	}
	if len(words) == 0 {
		for _, name := range firedDetectors(f) {
			words = append(words, text.Hash(name))
		}
		if e != nil {
			words = append(words, text.Hash(e.Rule), text.Hash(e.SourceID))
		}
	}
	slices.Sort(words)
	h := sha256.New()
	for _, w := range slices.Compact(words) {
		_ = binary.Write(h, binary.BigEndian, w) // it never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:problemBytes])
}

// problemBytes is the length of the name of a problem.
const problemBytes = 8

// appendWords appends the stems of a text without stop words, figures and marks of citations.
func appendWords(words []uint64, s string) []uint64 {
	for _, t := range text.AppendTokens(nil, truncate(s, maxText)) {
		if t.Kind != text.Number && !t.Has(text.Stop|text.Marker) {
			words = append(words, t.Stem)
		}
	}
	return words
}
