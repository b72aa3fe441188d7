package facts

import (
	"slices"

	"confab/internal/text/units"
	"confab/schemas"
)

func loneAnswer() Rule {
	return Rule{
		ID:     "lone_answer",
		Doc:    "a short answer that is a name or term, of which no word is in a source or in what the user wrote",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Fabrication,
		Weight: .8,
		Check:  checkLoneAnswer,
		Examples: []Example{
			{Source: "The Vorn lithium cell has an energy density of 265 Wh/kg.", User: "What is the energy density?", Answer: "Lena Quist", Fires: "Lena Quist"},
			{Source: "The Vorn lithium cell was made by Lena Quist.", User: "Who made it?", Answer: "Lena Quist"},
		},
	}
}

// maxLone is the longest short statement, in words.
const maxLone = 4

// maxLoneAnswer is the longest answer of short statements, in bytes.
const maxLoneAnswer = 60

func checkLoneAnswer(e *evidence, c *piece) []Verdict {
	if e.hasOther(c) {
		return nil
	}
	words := e.answer.of(c)
	if len(words) > maxLone || contents(words) == 0 || len(e.sources.words) == 0 || c.form != units.Sentence || len(e.answer.texts[0]) > maxLoneAnswer {
		return nil
	}
	for i := range words {
		if w := &words[i]; w.figure >= 0 || w.content() && (e.units(w.id) > 0 || e.asked[w.stem]) {
			return nil
		}
	}
	return []Verdict{{Start: words[0].start, End: words[len(words)-1].end, Source: -1}}
}

// hasOther reports a statement beside the piece, such as an opening has.
func (e *evidence) hasOther(c *piece) bool {
	return slices.ContainsFunc(e.answer.pieces, func(o piece) bool { return o.kind == units.Statement && o.first != c.first })
}
