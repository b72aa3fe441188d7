package rules

import (
	"strings"

	"confab/internal/text"
)

// slot is a place at which a claim and a source unit differ: the words between two aligned ones.
type slot struct {
	claim, source []word
	place         place
}

// place is where a slot is.
type place uint8

const (
	inner    place = iota
	leading        // before the first aligned word
	trailing       // behind the last one
)

// Limits of a sentence that repeats one of a source.
const (
	minVerbatim = 3 // aligned content words
	maxSkipped  = 2 // content words of the source that are left out between aligned ones
)

// verbatim reports whether the claim repeats the unit, but for some content words of its own, and returns the places where they
// differ.
func (e *evidence) verbatim(c, p *piece, own int) (slots []slot, ok bool) {
	words, unit := e.answer.of(c), e.sources.of(p)
	e.grid.align(words, unit, e.sameValue)
	slots = e.slots[:0]
	matched, skipped, lastA, lastB := 0, 0, -1, -1
	for i := range words {
		k := int(e.grid.to[i])
		if k < 0 {
			if words[i].content() {
				own--
			}
			continue
		}
		if words[i].content() {
			matched++
		}
		if i > lastA+1 || k > lastB+1 {
			s := slot{claim: words[lastA+1 : i], source: unit[lastB+1 : k]}
			if lastA < 0 {
				s.place = leading
			} else {
				skipped += max(0, contents(s.source)-contents(s.claim))
			}
			slots = append(slots, s)
		}
		lastA, lastB = i, k
	}
	slots = append(slots, slot{words[lastA+1:], unit[lastB+1:], trailing})
	e.slots, e.skipped = slots, skipped
	if slots[0].place == leading && e.isOpening(c, slots[0].claim) {
		own += contents(slots[0].claim)
		slots[0].claim = nil
	}
	return slots, (matched >= minVerbatim || matched >= 2 && own == 0 && contents(unit) <= matched+1) && own >= 0 && skipped <= maxSkipped
}

// maxOpening is the longest opening, in words.
const maxOpening = 3

// isOpening reports "Yes," and "Hi Anna,": words before the sentence that say nothing of it.
func (e *evidence) isOpening(c *piece, words []word) bool {
	if len(words) == 0 || len(words) > maxOpening {
		return false
	}
	rest := e.answer.texts[0][words[len(words)-1].end:c.end]
	return strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, " –")
}

// sameValue is the weight of two words or figures that are the same.
func (e *evidence) sameValue(a, b *word) float32 {
	if a.figure >= 0 && b.figure >= 0 && isAmong(&e.answer.figures[a.figure], e.sources.figures[b.figure:b.figure+1]) {
		return 1
	}
	if a.figure >= 0 || b.figure >= 0 {
		return 0
	}
	return sameWord(a, b)
}

func contents(words []word) (n int) {
	for i := range words {
		if words[i].content() {
			n++
		}
	}
	return n
}

func isNegation(w *word) bool {
	return w.figure < 0 && w.flags&(text.Negation|text.ForeignNegation) != 0 && !softNegations.Has(w.stem) || w.figure < 0 && w.hash == hashNon
}
