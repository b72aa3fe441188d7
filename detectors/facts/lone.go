package facts

import (
	"slices"

	index "confab/internal/evidence"
	"confab/internal/text/units"
	"confab/schemas"
)

func loneAnswer() Rule {
	return Rule{
		ID:     "lone_answer",
		Doc:    "a short answer that is a name or figure, of which nothing is in a source or in what the user wrote",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Fabrication,
		Weight: .8,
		Check:  checkLoneAnswer,
		Examples: []Example{
			{Source: "The Vorn lithium cell has an energy density of 265 Wh/kg.", User: "What is the energy density?", Answer: "Lena Quist", Fires: "Lena Quist"},
			{Source: "The war ended in 1945.", User: "In which year did it end?", Answer: "In 1896.", Fires: "1896"},
			{Source: "The war ended in 1945.", User: "In which year did it end?", Answer: "1945."},
			{Source: "The train leaves at 9:40 and takes 25 minutes.", User: "When does it arrive?", Answer: "10:05"},
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
	if len(words) > maxLone || len(e.sources.words) == 0 || c.Form != units.Sentence || len(e.text) > maxLoneAnswer {
		return nil
	}
	first, last, ok := e.strangers(words)
	if !ok {
		return nil
	}
	return []Verdict{{Start: first.Start, End: last.End, Source: -1}}
}

// strangers are the first and the last of the words, all of which are names or figures that nothing has; ok is false for others.
func (e *evidence) strangers(words []word) (first, last *word, ok bool) {
	for i := range words {
		w := &words[i]
		switch {
		case w.Figure < 0 && !content(w):
			continue
		case !e.isStranger(w):
			return nil, nil, false
		}
		ok = ok || !w.Has(index.First) || w.Figure >= 0 || e.text[w.Start] >= firstIdeograph
		if last = w; first == nil {
			first = w
		}
	}
	return first, last, ok
}

func (e *evidence) isStranger(w *word) bool {
	if w.Figure >= 0 {
		return e.holds(w.Figure) == absent
	}
	return !e.isKnown(w) && (w.Has(index.Capital) || e.text[w.Start] >= firstIdeograph)
}

// hasOther reports a statement beside the piece, such as an opening has.
func (e *evidence) hasOther(c *piece) bool {
	return slices.ContainsFunc(e.answer.pieces, func(o piece) bool { return o.Kind == units.Statement && o.Terms.First != c.Terms.First })
}
