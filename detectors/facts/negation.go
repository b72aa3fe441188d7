package facts

import (
	"confab/internal/text"
	"confab/internal/text/units"
	"confab/schemas"
)

func negation() Rule {
	return Rule{
		ID:     "negation",
		Doc:    "a sentence of a source repeated with a \"not\" added or lost",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources",
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkNegation,
		Examples: []Example{
			{Source: "The tenant is liable for repairs to the interior.", Answer: "The tenant is not liable for repairs to the interior.", Fires: "not"},
			{Source: "Guests cannot invite other guests.", Answer: "Yes, guests can invite other guests.", Fires: "guests can invite other guests"},
			{Source: "The filter is a wear part and is excluded.", Answer: "The filter is a wear part and is not covered."},
		},
	}
}

//nolint:gochecknoglobals // read-only tables
var (
	softNegations = text.HashSet("none nothing nobody nowhere without neither nor lacks unable weder nada nunca tampoco") // often said in other words
	hashNon       = text.Hash("non")
	degrees       = text.HashSet("only more less fewer later earlier longer older higher lower limit than just mehr weniger nur später als mas menos plus moins")
)

// beside is how many words of the source before and behind the aligned ones are read.
const beside = 3

// checkNegation accuses a claim whose words are those of the unit, in order, but for one negation.
func checkNegation(e *evidence, c *piece) []Verdict {
	if c.led {
		return nil
	}
	for _, r := range e.repeats(c) {
		if u := r.piece.form; !r.is(0) || u == units.Record || u == units.Row {
			continue
		}
		at, says, odd := e.differs(&r)
		if !odd {
			continue
		}
		words, unit := e.answer.of(c), e.sources.of(r.piece)
		if at == nil {
			at = &word{start: words[0].start, end: words[len(words)-1].end}
		}
		if says == nil {
			says = &word{start: unit[0].start, end: unit[len(unit)-1].end}
		}
		return e.one(c, at, r.piece, says)
	}
	return nil
}

// differs reports whether the claim has one negation more or less than the unit.
func (e *evidence) differs(r *repeat) (at, says *word, odd bool) {
	total := 0
	for _, s := range e.slotsOf(r) {
		switch s.place {
		case leading:
			s.source = s.source[max(0, len(s.source)-beside):]
		case trailing:
			s.source = s.source[:min(beside, len(s.source))]
		default:
		}
		n, m := findNegation(s.claim, &at), findNegation(s.source, &says)
		if s.place != inner && n == 0 && m != 1 {
			m = 0 // another clause
		}
		total += n + m
	}
	return at, says, total == 1
}

// findNegation counts the negations among the words; one of a degree ("not only", "no more than") counts as many.
func findNegation(words []word, at **word) (n int) {
	for i := range words {
		switch w := &words[i]; {
		case isNegation(w):
			n++
			*at = w
		case degrees.Has(w.stem), softNegations.Has(w.stem), w.content():
			n += 2
		}
	}
	return n
}
