package facts

import (
	"cmp"
	"slices"
	"strings"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// match is a claim aligned with a source unit.
type match struct {
	piece        *piece
	unit         int
	cover        float64
	words, there []word  // of claim and unit, those that say something
	to           []int32 // by word of the claim: the word of the unit that it is aligned with, -1 for none
	slots        []slot
	matched, own int // content words that are aligned, and those of the claim that are not
	skipped      int // content words of the unit between aligned ones
	whole        bool
}

// slot is a place at which a claim and a source unit differ: the words between two aligned ones, or two other figures.
type slot struct {
	claim, source []word
	at, sourceAt  int // of their first words
	place         place
	figures       bool // it has two figures of one form
	ends          bool // the claim ends there
	near          int  // content words that are the same on both sides, with at most one other on each
	behind        int  // those right behind, without any other; more if claim and unit end there
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

// differsOnly reports a claim and a unit that are the same but for the slot.
func (m *match) differsOnly(s *slot) bool {
	return m.matched >= 2 && contents(m.words) == m.matched+contents(s.claim) && contents(m.there) == m.matched+contents(s.source)
}

// is reports whether the claim repeats the unit but for some content words of its own.
func (m *match) is(own int) bool {
	return (m.matched >= minVerbatim || m.whole) && m.own <= own && m.skipped <= maxSkipped
}

// minCovered is the least share of a claim's words in a unit that it repeats in parts.
const minCovered = .5

// isClose reports a slot beside which enough words are the same, or in a claim that repeats the unit.
func (m *match) isClose(s *slot, own int) bool {
	return s.near >= 6 || s.near >= 4 && m.cover >= minCovered || m.is(own) || m.differsOnly(s)
}

// minCover is the least share of a claim's words that a unit has with which it is aligned.
const minCover = .25

// matchesOf are the claim's alignments with the nearest source units. What one has before and the other behind the aligned words
// is aligned, too: "after 30 days, access ends".
func (e *evidence) matchesOf(c *piece) []match {
	id := c.Terms.First + 1
	if e.matched == id {
		return e.matches
	}
	e.matched, e.matches, e.slots, e.to, e.kept = id, e.matches[:0], e.slots[:0], e.to[:0], e.kept[:0]
	words := e.keepWords(e.answer.of(c))
	for _, cand := range e.candidates(c) {
		if cand.cover < minCover {
			continue
		}
		there := e.keepWords(e.sources.of(&e.sources.pieces[cand.piece]))
		m := e.match(c, cand, words, there)
		e.matches = append(e.matches, m)
		first := slices.IndexFunc(m.to, func(k int32) bool { return k >= 0 })
		if last := m.slots[len(m.slots)-1]; first >= 0 {
			e.turned(c, cand, words[:first], there[last.sourceAt:])
			e.turned(c, cand, words[last.at:], there[:m.to[first]])
		}
	}
	return e.matches
}

// turned appends the alignment of a part of the claim with a part of the unit that stands elsewhere.
func (e *evidence) turned(c *piece, cand candidate, words, there []word) {
	if contents(words) >= 2 && contents(there) >= 2 {
		e.matches = append(e.matches, e.match(c, cand, words, there))
	}
}

// keepWords are the words that say something: content, negations and words of limits.
func (e *evidence) keepWords(words []word) []word {
	first := len(e.kept)
	for i := range words {
		if w := &words[i]; content(w) || w.Has(index.Negates) || isCue(w) {
			e.kept = append(e.kept, *w)
		}
	}
	return e.kept[first:]
}

func (e *evidence) match(c *piece, cand candidate, words, there []word) match {
	m := match{piece: &e.sources.pieces[cand.piece], unit: int(cand.piece), cover: cand.cover, words: words, there: there}
	m.to = e.align(words, m.there)
	first, a, b := len(e.slots), 0, 0 // a, b: behind the last aligned words
	for i := range words {
		k := int(m.to[i])
		if k < 0 {
			m.own += contents(words[i : i+1])
			continue
		}
		if i > a || k > b {
			s := e.slot(&m, a, i, b, k)
			if a == 0 && b == 0 {
				s.place = leading
			} else {
				m.skipped += max(0, contents(s.source)-contents(s.claim))
			}
			e.slots = append(e.slots, s)
		}
		if a, b = i+1, k+1; e.isOtherFigure(&words[i], &m.there[k]) {
			m.own++
			s := e.slot(&m, i, a, k, b)
			s.figures = true
			e.slots = append(e.slots, s)
			continue
		}
		m.matched += contents(words[i : i+1])
	}
	s := e.slot(&m, a, len(words), b, len(m.there))
	s.place = trailing
	e.slots = append(e.slots, s)
	m.slots = e.slots[first:]
	if s := &m.slots[0]; s.place == leading && e.isOpening(c, s.claim) {
		m.own -= contents(s.claim)
		s.claim = nil
	}
	m.whole = m.matched >= 2 && m.own == 0 && contents(m.there) <= m.matched+1
	return m
}

// oneSided is what is taken off the words beside a slot that are on one side of it.
const oneSided = 2

// slot is the one of the claim's words from i to j and the unit's from k to l.
func (e *evidence) slot(m *match, i, j, k, l int) slot {
	s := slot{claim: m.words[i:j], source: m.there[k:l], at: i, sourceAt: k}
	left, _ := e.run(m, i-1, k, -1)
	right, behind := e.run(m, j, l-1, 1)
	if s.behind = behind; behind == len(m.words)-j {
		s.behind++
	}
	if i == 0 && k == 0 {
		left = max(left, 1)
	}
	if j == len(m.words) {
		s.source = s.source[:min(len(s.source), len(s.claim))]
		if s.ends = true; l == len(m.there) {
			right = max(right, 1)
		}
	}
	if s.near = left + right; left == 0 || right == 0 {
		s.near -= oneSided
	}
	if n := len(m.words) - 1; n > 0 && e.text[m.words[n/2].Start] >= firstIdeograph {
		s.near /= 2 // words are pairs of characters
	}
	return s
}

// firstIdeograph is the first byte of characters of which two are about a word.
const firstIdeograph = 0xE3

// maxRun is how many words that are the same are counted on a side.
const maxRun = 6

// run counts the content words that are the same from i on, where k is the word of the unit before: with at most one other among
// them, and those before that.
func (e *evidence) run(m *match, i, k, step int) (n, touching int) {
	for others := 0; i >= 0 && i < len(m.words) && n < maxRun; i += step {
		own := contents(m.words[i : i+1])
		if to := int(m.to[i]); to >= 0 {
			others += contents(m.there[min(k, to)+1 : max(k, to)])
			if k = to; e.isOtherFigure(&m.words[i], &m.there[to]) {
				others++
			} else if others <= 1 {
				n += max(own, 1) // words of limits, too
			}
		} else {
			others += own
		}
		if others == 0 {
			touching = n
		}
		if others > 1 {
			break
		}
	}
	return n, touching
}

// isElsewhere reports whether another source unit has the word that the claim has in the slot, with most of those beside it.
func (e *evidence) isElsewhere(m *match, s *slot, w *word) bool {
	if !e.doc.Work().Spend(len(e.sources.words) / claimWords) {
		return true
	}
	for i := range e.sources.words {
		if x := &e.sources.words[i]; x.Key == w.Key {
			u, _ := slices.BinarySearchFunc(e.sources.pieces, int32(i), func(p piece, at int32) int { return cmp.Compare(p.Terms.Last, at+1) })
			if u != m.unit && e.shareNear(m, s, int32(u)) >= mostRival {
				return true
			}
		}
	}
	return false
}

// reach is how many words on each side of a slot are compared.
const reach = 6

// mostRival is the share of the words beside a slot with which another unit speaks of the same thing.
const mostRival = .5

// shareNear is the share of the aligned words beside the slot that the unit has.
func (e *evidence) shareNear(m *match, s *slot, unit int32) float64 {
	n, all := 0, 0
	e.doc.Work().Spend(reach * claimWords)
	for k := max(0, s.at-reach); k < min(len(m.words), s.at+len(s.claim)+reach); k++ {
		w := &m.words[k]
		if m.to[k] < 0 || !content(w) || k >= s.at && k < s.at+len(s.claim) {
			continue
		}
		all++
		if _, ok := slices.BinarySearchFunc(e.x.PlacesOf(w.ID), unit, func(p index.Place, u int32) int { return cmp.Compare(p.Unit, u) }); ok {
			n++
		}
	}
	return (float64(n) + .01) / (float64(all) + .01)
}

// isOtherFigure reports aligned figures that are not the same.
func (e *evidence) isOtherFigure(a, b *word) bool {
	if a.Figure < 0 {
		return false
	}
	f, g := e.answer.figure(a), e.sources.figure(b)
	return !supports(f, g) || isOtherAmount(f, g)
}

// isOtherAmount reports figures of which one may support the other elsewhere, but not in the same place: the same number of
// another unit, or another limit of the same sense.
func isOtherAmount(f, g *figures.Figure) bool {
	if f.Kind > figures.Money || f.Kind != g.Kind {
		return false
	}
	return f.Value == g.Value && isOtherUnit(f.Unit, g.Unit) || sameForm(f, g) && f.Sense == g.Sense && (f.Sense == figures.AtLeast || f.Sense == figures.AtMost) && !isExactly(f, g)
}

// isOtherUnit reports two units of a quantity, or of time or money.
func isOtherUnit(a, b figures.Unit) bool {
	if a == b || a.Dimension == figures.None || b.Dimension == figures.None {
		return false
	}
	isTime := func(d figures.Dimension) bool { return d == figures.Duration || d == figures.Calendar }
	isMoney := func(d figures.Dimension) bool { return d >= figures.Dollar && d <= figures.Ruble }
	x, y := a.Dimension, b.Dimension
	return x == y || isTime(x) && isTime(y) || isMoney(x) && isMoney(y)
}

// isExactly reports whether the figures are the same, whatever limits they are.
func isExactly(f, g *figures.Figure) bool {
	x, y := *f, *g
	x.Sense, y.Sense = figures.Exact, figures.Exact
	return supports(&x, &y)
}

// maxOpening is the longest opening, in words.
const maxOpening = 3

// isOpening reports "Yes," and "Hi Anna,": words before the sentence that say nothing of it.
func (e *evidence) isOpening(c *piece, words []word) bool {
	if len(words) == 0 || len(words) > maxOpening {
		return false
	}
	rest := e.text[words[len(words)-1].End:c.End]
	return strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, " –")
}

func contents(words []word) (n int) {
	for i := range words {
		if w := &words[i]; content(w) && !isNegation(w) {
			n++
		}
	}
	return n
}

func isNegation(w *word) bool {
	return w.Has(index.Negates) && !softNegations.Has(w.Word) || w.Word == hashNon && w.Figure < 0
}

//nolint:gochecknoglobals // read-only tables
var (
	softNegations = text.HashSet("none nothing nobody nowhere without neither nor lacks unable weder nada nunca tampoco ohne sans sin senza") // often said in other words
	hashNon       = text.Hash("non")
)
