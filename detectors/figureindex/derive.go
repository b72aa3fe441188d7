package figureindex

import (
	"slices"

	"confab/detectors"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// Limits of the search for a calculation.
const (
	pairReach      = 6  // largest distance, in figures, between two operands of one sentence
	answerReach    = 4  // figures of the answer on each side that may be operands
	answerTokens   = 40 // their largest distance in tokens
	maxDerivations = 96 // figures per answer for which calculations are searched
	maxDepth       = 2  // calculations on calculated figures
	pairCost       = 12 // units of work per pair of operands

	derivationWork = 300_000 // units of work per answer
)

// basis says how the sources support a figure of the answer.
type basis uint8

const (
	basisUnknown basis = iota
	basisPending       // being computed
	basisNone
	basisStated  // a source contains it
	basisDerived // it follows from figures of a source
)

// answerBasis is the basis of one figure of the answer and the source sentence of it, -1 for none.
type answerBasis struct {
	sentence int32
	basis    basis
	exact    bool // stated in full or in another unit, in a sentence with a word of the answer's
}

// Sentence returns the source sentence that states the answer's figure in full or another unit, or from which it follows by arithmetic; -1
// for none.
func (x *Index) Sentence(d *detectors.Document, answer int) int32 {
	b := x.basisOf(d, answer, 0)
	if b.basis == basisStated && !b.exact {
		return -1
	}
	return b.sentence
}

// Derived reports whether the answer's figure follows from figures of the sources.
func (x *Index) Derived(d *detectors.Document, f *figures.Figure) bool {
	i := x.firstFrom(f.First)
	return i < len(x.Answer) && x.Answer[i].First == f.First && x.basisOf(d, i, 0).basis >= basisStated
}

func (x *Index) basisOf(d *detectors.Document, i, depth int) answerBasis {
	if len(x.bases) != len(x.Answer) {
		x.bases = slices.Grow(x.bases[:0], len(x.Answer))[:len(x.Answer)]
		clear(x.bases)
	}
	b := &x.bases[i]
	switch {
	case b.basis == basisPending:
		return answerBasis{sentence: -1}
	case b.basis != basisUnknown:
		return *b
	}
	b.basis = basisPending
	c := calculation{x: x, d: d, f: &x.Answer[i], index: i, depth: depth, sentence: -1}
	found := answerBasis{basis: c.search(), sentence: c.sentence, exact: c.exact}
	x.bases[i] = found
	if found.basis == basisNone && depth > 0 {
		x.bases[i].basis = basisUnknown // an operand may have been pending
	}
	return found
}

func (c *calculation) search() basis {
	x := c.x
	switch {
	case c.f.Kind == figures.Label:
		return basisNone
	case x.stated(c):
		return basisStated
	case x.isGiven(c.d, c.f):
		return basisStated
	case c.depth > maxDepth || c.f.Kind == figures.Code || x.derivations >= maxDerivations || x.derivationWork >= derivationWork:
		return basisNone
	}
	if x.derivations++; c.derive() {
		return basisDerived
	}
	return basisNone
}

// stated finds the figure itself in the sources, preferably in a sentence with a word of the answer's.
func (x *Index) stated(c *calculation) bool {
	if !c.spend(len(x.Sources)) {
		return false
	}
	best := figurematch.SameValue
	for i := range x.Sources {
		source := &x.Sources[i]
		level := figurematch.Compare(c.f, &source.Figure)
		if level <= best {
			continue
		}
		near := c.sharesWords(source.Sentence)
		if near || c.sentence < 0 {
			c.sentence = source.Sentence
			c.exact = (near || isSpecific(c.f)) && (level == figurematch.Equal || c.f.Unit != source.Unit || isRounded(c.f, baseValue(&source.Figure)))
		}
		if near {
			best = level
		}
	}
	return c.sentence >= 0
}

// calculation searches the operands from which one figure of the answer follows.
type calculation struct {
	x        *Index
	d        *detectors.Document
	f        *figures.Figure
	index    int // of f in the answer
	depth    int
	cues     cue
	exact    bool
	sentence int32   // source sentence of the operands
	rate     float64 // see tokenRange.rate, once hasRate
	hasRate  bool
}

// operand is a figure that f may be computed from.
type operand struct {
	*figures.Figure
	tokens tokenRange // of its text
}

// nearness says how closely two operands belong together, closest first.
type nearness uint8

const (
	inAnswer     nearness = iota // both stand near f in the answer
	neighbors                    // next to each other in a source
	sameSentence                 // in one sentence of a source
	nextSentence                 // in neighboring sentences of a source
)

// spend charges work and reports whether to go on.
func (c *calculation) spend(units int) bool {
	c.x.derivationWork += units
	return c.d.Work().Spend(units) && c.x.derivationWork <= derivationWork
}

func (c *calculation) derive() bool {
	c.cues = c.readCues()
	if whole := c.compound(); whole != c.f.Value {
		parts := *c
		parts.f = &c.x.wholes[c.depth]
		*parts.f = *c.f
		parts.f.Value = whole
		if c.x.stated(&parts) || parts.fromSources() || parts.fromAnswer() {
			c.sentence = parts.sentence
			return true
		}
	}
	return c.fromOne() || c.fromSources() || c.fromAnswer() || c.fromCount() || c.isAssumed() || c.isIdentity() || c.namesMultiple() || c.countsItems()
}

// compound is the value of f together with the smaller or larger parts of the same measure next to it: "2 hours 15 minutes".
func (c *calculation) compound() float64 {
	whole := c.f.Value
	for step := -1; step <= 1; step += 2 {
		k := c.index + step
		if k < 0 || k >= len(c.x.Answer) {
			continue
		}
		g := &c.x.Answer[k]
		first, second := g, c.f
		if step > 0 {
			first, second = c.f, g
		}
		if g.Unit.Dimension == c.f.Unit.Dimension && joinsParts(first, second) {
			whole += g.Value * g.Unit.Factor / c.f.Unit.Factor
		}
	}
	return whole
}

// joinsParts reports a larger and a smaller unit of one measure, with at most "and" between.
func joinsParts(a, b *figures.Figure) bool {
	return a.Unit.Dimension != figures.None && a.Unit.Dimension == b.Unit.Dimension && a.Kind == b.Kind &&
		a.Unit.Factor > b.Unit.Factor && b.First-a.Last <= 1
}

// fromAnswer searches operands among the supported figures near f in the answer, alone or with one of a source.
func (c *calculation) fromAnswer() bool {
	x := c.x
	near, n := c.supportedNear()
	text := c.answerTokens()
	for i := range n {
		a := operand{&x.Answer[near[i]], text}
		c.spend(pairCost * n)
		if c.matchesRate(a) {
			c.sentence = x.bases[near[i]].sentence
			return true
		}
		for k := i + 1; k < n; k++ {
			if c.combine(a, operand{&x.Answer[near[k]], text}, inAnswer) {
				c.sentence = x.bases[near[i]].sentence
				return true
			}
		}
		if c.withSources(a, x.bases[near[i]].sentence) {
			return true
		}
	}
	return false
}

// withSource combines an operand of the answer with the figures of the source sentence that supports it and its neighbors.
func (c *calculation) withSource(a operand, sentence int32) bool {
	list := c.x.Sources
	i, _ := slices.BinarySearchFunc(list, sentence-1, func(s SourceFigure, at int32) int { return int(s.Sentence - at) })
	for k := i; sentence >= 0 && k < len(list) && k < i+2*pairReach && list[k].Sentence <= sentence+1; k++ {
		if !c.spend(pairCost) {
			return false
		}
		if c.combine(a, operand{&list[k].Figure, c.sourceTokens()}, sameSentence) {
			return true
		}
	}
	return false
}

// fromSources searches two operands that stand near each other in a source, in sentences with a word of the answer's.
func (c *calculation) fromSources() bool {
	list := c.x.Sources
	for i := range list {
		a := &list[i]
		if a.Kind == figures.Label || a.Kind == figures.Code {
			continue
		}
		if !c.spend(pairCost) {
			return false
		}
		if c.pairs(i) || c.runs(i) && c.sharesWords(a.Sentence) {
			c.sentence = a.Sentence
			return true
		}
	}
	return false
}

// pairs combines the i-th source figure with those after it.
func (c *calculation) pairs(i int) bool {
	list, tokens := c.x.Sources, c.sourceTokens()
	a := &list[i]
	for k := i + 1; k < len(list) && k <= i+pairReach; k++ {
		b := &list[k]
		if b.Source != a.Source || b.Sentence > a.Sentence+1 {
			return false
		}
		at := sameSentence
		switch {
		case b.Sentence != a.Sentence:
			at = nextSentence
		case k == i+1:
			at = neighbors
		}
		if c.combine(operand{&a.Figure, tokens}, operand{&b.Figure, tokens}, at) && (c.sharesWords(a.Sentence) || c.sharesWords(b.Sentence)) {
			return true
		}
	}
	return false
}
