package facts

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/units"
	"confab/schemas"
)

func negation() Rule {
	return Rule{
		ID:     "negation",
		Doc:    "the words of a source with a \"not\" added or lost between them",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources",
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkNegation,
		Examples: []Example{
			{Source: "The tenant is liable for repairs to the interior.", Answer: "The tenant is not liable for repairs to the interior.", Fires: "not"},
			{Source: "Guests cannot invite other guests.", Answer: "Yes, guests can invite other guests.", Fires: "can"},
			{Source: "Refunds are possible.", Answer: "Refunds are not possible.", Fires: "not"},
			{Source: "Sponge cakes and nut cakes keep for five days under a cover.", User: "Must cakes be cooled?", Answer: "Sponge cakes and nut cakes don't; they keep five days under a cover."},
			{Source: "Order 88412 was shipped to Rosa Lind on 4 May.", Answer: "Order no 88412 was shipped to Rosa Lind on 4 May."},
			{Source: "The filter is a wear part and is excluded.", Answer: "The filter is a wear part and is not covered."},
		},
	}
}

//nolint:gochecknoglobals // read-only tables
var (
	conditions = text.HashSet("or otherwise unless else if until without except oder sonst wenn falls ohne auser ausgenommen ou sinon si sans sauf excepte hormis o sin salvo excepto")
	onlys      = text.HashSet("only nur lediglich seulement uniquement solo solamente") // "not at Hull, only at Leeds"
	degrees    = text.HashSet("before after vor nach bis avant apres jusqu antes despues hasta only more less fewer later earlier longer older higher lower limit than just mehr weniger nur später als mas menos plus moins")
)

// checkNegation accuses a place at which one of claim and source has a negation, and nothing else that says something.
func checkNegation(e *evidence, c *piece) []Verdict {
	matches := e.matchesOf(c)
	for k := range matches {
		m := &matches[k]
		if led(c) || m.piece.Form > units.Item || !e.isTurned(c, m) {
			continue
		}
		for i := range m.slots {
			if s := &m.slots[i]; m.isClose(s, 0) && (s.behind >= 2 || s.near >= 6) && s.isNegation() && !e.isNoTurn(m, s) {
				return e.one(c, around(m.words, s.at, len(s.claim)), m.piece, around(m.there, s.sourceAt, len(s.source)))
			}
		}
	}
	return nil
}

// isTurned reports that one of claim and unit has a negation more, and no word that makes another sentence of it.
func (e *evidence) isTurned(c *piece, m *match) bool {
	return (negations(m.words)+negations(m.there))%2 != 0 && hasSame(m.words, m.there, degrees) && !e.hasOtherCase(m) && (!hasAny(e.answer.of(c), onlys) || !hasAny(e.sources.of(m.piece), onlys)) && hasSame(e.answer.of(c), e.sources.of(m.piece), conditions)
}

// hasSame reports that of the set both or none have words, and those in common: "not before 6" is "after 6".
func hasSame(words, there []word, set text.WordSet) bool {
	isOwn := func(w *word, other []word) bool { return (set.Has(w.Word) || set.Has(w.Key)) && !hasStem(other, w.Key) }
	return !slices.ContainsFunc(words, func(w word) bool { return isOwn(&w, there) }) && !slices.ContainsFunc(there, func(w word) bool { return isOwn(&w, words) })
}

// isNegation reports a slot that has a negation on one side and nothing else that says something.
func (s *slot) isNegation() bool {
	return contents(s.claim)+contents(s.source) == 0 && negations(s.claim)+negations(s.source) == 1 && !isDegree(s.claim) && !isDegree(s.source)
}

// isNoTurn reports a negation that turns no statement, or that another unit has, too.
func (e *evidence) isNoTurn(m *match, s *slot) bool {
	return e.isElliptical(s) || e.isPrefix(m, s) || e.saysElsewhere(m, s)
}

// isElliptical reports a negation at the end of a clause, which denies what was asked: "Nut cakes don't; they keep five days".
func (e *evidence) isElliptical(s *slot) bool {
	return slices.ContainsFunc(s.claim, func(w word) bool {
		return isNegation(&w) && int(w.End) < len(e.text) && strings.IndexByte(",;.:", e.text[w.End]) >= 0
	})
}

// isPrefix reports "non-members", which denies no statement.
func (e *evidence) isPrefix(m *match, s *slot) bool {
	is := func(in string) func(w word) bool {
		return func(w word) bool { return w.Word == hashNon && strings.HasPrefix(in[w.End:], "-") }
	}
	return slices.ContainsFunc(s.claim, is(e.text)) || slices.ContainsFunc(s.source, is(e.doc.Source(int(m.piece.Source))))
}

// minSaid is the share of the words beside a negation with which another unit says the same.
const minSaid = .75

// saysElsewhere reports whether another unit near the claim has the words beside the slot, and denies as the claim does.
func (e *evidence) saysElsewhere(m *match, s *slot) bool {
	return slices.ContainsFunc(e.best, func(c candidate) bool {
		return int(c.piece) != m.unit && e.shareNear(m, s, c.piece) >= minSaid && (negations(e.sources.of(&e.sources.pieces[c.piece]))+negations(m.words))%2 == 0
	})
}

func negations(words []word) (n int) {
	for i := range words {
		if isNegation(&words[i]) {
			n++
		}
	}
	return n
}

// isDegree reports "not only" and "no more than", and negations that are often said in other words.
func isDegree(words []word) bool { return hasAny(words, degrees) || hasAny(words, softNegations) }

// around is the text of n words from the i-th on, or from the word before to the one behind if there are none.
func around(words []word, i, n int) *word {
	first, last := i, i+n-1
	if n == 0 {
		first, last = max(0, i-1), min(i, len(words)-1)
	}
	return &word{Start: words[first].Start, End: words[last].End}
}
