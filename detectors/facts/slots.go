package facts

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

// repeat is a source unit that a claim may repeat.
type repeat struct {
	piece        *piece
	first, last  int // slots, half open
	matched, own int // content words that are aligned, and those of the claim that are not
	skipped      int // content words of the unit between aligned ones
	whole        bool
}

// is reports whether the claim repeats the unit but for some content words of its own.
func (r *repeat) is(own int) bool {
	return (r.matched >= minVerbatim || r.whole) && r.own <= own && r.skipped <= maxSkipped
}

// mostOwn is the most content words of its own that any rule allows, with those of an opening.
const mostOwn = 5

// repeats are the source units that the claim may repeat, aligned once for all rules.
func (e *evidence) repeats(c *piece) []repeat {
	if e.repeatsOf == c.first+1 {
		return e.repeatList
	}
	e.repeatsOf, e.repeatList, e.slots = c.first+1, e.repeatList[:0], e.slots[:0]
	for _, cand := range e.candidates(c) {
		if cand.missing <= mostOwn && cand.cover >= minCover {
			e.repeatList = append(e.repeatList, e.repeat(c, &e.sources.pieces[cand.piece]))
		}
	}
	return e.repeatList
}

// minCover is the least share of a claim's words that the unit has which it repeats.
const minCover = .4

// slotsOf are the places where claim and unit differ.
func (e *evidence) slotsOf(r *repeat) []slot { return e.slots[r.first:r.last] }

func (e *evidence) repeat(c, p *piece) repeat {
	words, unit := e.answer.of(c), e.sources.of(p)
	e.grid.align(e.doc.Work(), words, unit, e.sameValue)
	r := repeat{piece: p, first: len(e.slots)}
	lastA, lastB := -1, -1
	for i := range words {
		k := int(e.grid.to[i])
		if k < 0 {
			r.own += contents(words[i : i+1])
			continue
		}
		r.matched += contents(words[i : i+1])
		if i > lastA+1 || k > lastB+1 {
			s := slot{claim: words[lastA+1 : i], source: unit[lastB+1 : k]}
			if lastA < 0 {
				s.place = leading
			} else {
				r.skipped += max(0, contents(s.source)-contents(s.claim))
			}
			e.slots = append(e.slots, s)
		}
		lastA, lastB = i, k
	}
	e.slots = append(e.slots, slot{words[lastA+1:], unit[lastB+1:], trailing})
	if s := &e.slots[r.first]; s.place == leading && e.isOpening(c, s.claim) {
		r.own -= contents(s.claim)
		s.claim = nil
	}
	r.last = len(e.slots)
	r.whole = r.matched >= 2 && r.own == 0 && contents(unit) <= r.matched+1
	return r
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
