package detectors

import (
	"math"
	"math/bits"

	"confab/internal/text"
)

// claimSums add up over the parts of a claim.
type claimSums struct {
	total, single, window, cited float64
	named                        float64
	isCited                      bool
	start, words                 int // of the claim, in bytes; of the windows
	held                         tellingSet
}

func (s *claimSums) add(p *groundingPass, w *window, words int) {
	s.total += p.x.total
	s.single += p.x.single()
	s.window += w.weight
	s.words += words
	if cited, ok := p.x.cited(citationsOf(p.doc), s.start, p.next); ok {
		s.cited += cited
		s.isCited = true
	}
	if p.named >= 0 {
		s.named += p.x.best(p.named).weight
	}
}

// count fills the columns that count words by state and kind.
func (p *groundingPass) count() {
	v := &p.vector
	var rare, rareWindow, rareAnywhere, anywhere float64
	for i := range p.words {
		w := &p.words[i]
		if w.id < 0 {
			continue
		}
		p.countState(w)
		r := float64(w.rare) + 0.05
		rare += r
		if w.supported() {
			rareWindow += r
		}
		if !w.missing() || w.state == wordOpposed {
			rareAnywhere += r
		}
		if p.x.count(w.id) > 0 {
			anywhere++
			p.countLocal(w)
		}
		switch w.pair {
		case pairHeld:
			v[colPairsHeld]++
		case pairNew:
			v[colPairsNew]++
		case pairTurned:
			v[colPairsTurned]++
		default:
		}
	}
	p.polarity()
	if rare > 0 {
		v[colRareWindow], v[colRareAnywhere] = float32(rareWindow/rare), float32(rareAnywhere/rare)
		v[colAnywhere] = float32(anywhere) / max(1, v[colWords])
	}
	v[colLocal] /= float32(max(1, anywhere))
	v[colLocalLeast] = 1 - v[colLocalLeast]
	v[colMissingShare] = v[colMissing] / max(1, v[colWords])
	pairs := max(1, v[colPairsHeld]+v[colPairsNew]+v[colPairsTurned])
	v[colPairsHeld] /= pairs
}

func (p *groundingPass) countLocal(w *claimWord) {
	v := &p.vector
	v[colLocal] += w.local
	v[colLocalLeast] = max(v[colLocalLeast], 1-w.local)
	v[colLocalRare] += w.rare * (1 - w.local)
	if w.local < 0.5 {
		v[colLocalLoose]++
	}
}

func (p *groundingPass) countState(w *claimWord) {
	v := &p.vector
	add := func(on bool, column int, by float32) {
		if on {
			v[column] += by
		}
	}
	missing, elsewhere := p.x.count(w.id) == 0, w.state == wordElsewhere
	add(missing, colMissing, 1)
	add(missing, colMissingRare, w.rare)
	add(w.state == wordAkin, colAkin, 1)
	add(p.x.isAsked(w.id), colAskedShare, 1/float32(max(1, len(p.words))))
	add(w.state == wordAsked, colAsked, 1)
	add(elsewhere, colElsewhere, 1)
	add(elsewhere, colElsewhereRare, w.rare)
	add(w.state == wordOpposed, colOpposed, 1)
	switch w.kind {
	case figureWord:
		v[colFigures]++
		add(missing, colFiguresMissing, 1)
		add(elsewhere, colFiguresElsewhere, 1)
	case nameWord:
		v[colNames]++
		add(missing, colNamesMissing, 1)
		add(elsewhere, colNamesElsewhere, 1)
	default:
	}
	if missing {
		v[colRarest] = max(v[colRarest], w.rare)
	}
}

// runs looks for stretches that no source holds, and for single words amid what the window holds.
func (p *groundingPass) runs(s *claimSupport) {
	v := &p.vector
	v[colRun] = float32(s.run)
	run := float32(0)
	last, island := wordNone, -1
	for i := range p.words {
		w := &p.words[i]
		if w.id < 0 {
			continue
		}
		if w.missing() {
			run += w.rare
			v[colRunRare] = max(v[colRunRare], run)
		} else {
			run = 0
		}
		if w.supported() && island >= 0 {
			v[colIslands]++
			v[colIslandRare] = max(v[colIslandRare], p.words[island].rare)
		}
		island = -1
		if last == wordInWindow && !w.supported() {
			island = i
		}
		last = w.state
	}
}

// telling fills the columns of negations, opposites and hedges.
func (p *groundingPass) telling(c text.Claim, held *tellingSet) {
	v := &p.vector
	var said, none tellingSet
	for t := c.First; t < c.Last; t++ {
		if n := tellingWords.of(&p.tokens[t]); n != noWord {
			said.add(n)
			if tellingWords.hedges.has(n) {
				v[colHedges]++
			}
		}
	}
	p.tellingMissing()
	v[colTelling] = float32(ones(&said, &none))
	switch {
	case said.has(0) && !held.has(0):
		v[colNegated] = 1
	case !said.has(0) && held.has(0):
		v[colUnnegated] = 1
	}
	if c.First < c.Last && ofSelf(p.tokens[c.First].In(p.answer)) {
		v[colStartSelf] = 1
	}
}

// tellingMissing counts the telling words without content of their own that the window lacks.
func (p *groundingPass) tellingMissing() {
	v := &p.vector
	for i := range p.words {
		if w := &p.words[i]; w.kind == tellingWord && !w.supported() {
			v[colTellingMissing]++
			if w.state == wordOpposed {
				v[colOpposed]++
			}
		}
	}
}

// ofSelf reports a word with which speakers begin to speak of themselves.
func ofSelf(word string) bool {
	switch word {
	case "I", "i", "I'm", "i'm", "My", "my":
		return true
	default:
		return false
	}
}

// frame fills the columns of what surrounds the claim.
func (p *groundingPass) frame(c text.Claim, windowWords int) {
	v := &p.vector
	v[colPlace] = float32(c.Start) / float32(max(1, len(p.answer)))
	v[colIndex] = float32(p.at)
	v[colClaims] = float32(p.claims)
	v[colWindowWords] = float32(windowWords)
	v[colLengthRatio] = float32(c.Last-c.First) / float32(max(1, windowWords))
	if p.x.records {
		v[colRecords] = 1
	}
	v[colSources] = float32(p.doc.Sources())
	v[colSourceWords] = log1p(len(p.doc.SourceTokens()))
	v[colAsks] = log1p(p.x.asks)
	v[colTurns] = float32(len(p.doc.Interaction().Messages))
}

func (p *groundingPass) place() uint64 {
	switch {
	case p.claims == 1:
		return 0
	case p.at == 0:
		return 1
	case p.at == p.claims-1:
		return 2
	default:
		return 3
	}
}

func (p *groundingPass) shape() uint64 {
	shape := uint64(0)
	if p.x.records {
		shape = 1
	}
	if p.x.asks > 3 {
		shape |= 2
	}
	return shape
}

// facts fills the columns of what the facts detector found in the claim.
func (p *groundingPass) facts() {
	v := &p.vector
	none := float32(1)
	p.doc.Work().Spend(len(factsOf(p.doc)) / Glances)
	for _, f := range factsOf(p.doc) {
		if int(f.claim) == p.at {
			v[colFacts+int(f.kind)] += f.weight
			none *= 1 - f.weight
		}
	}
	v[colFacts+factKinds] = 1 - none
}

func log1p(n int) float32 { return float32(math.Log1p(float64(n))) }

func ones(set *tellingSet, without *tellingSet) (n int) {
	for i := range set {
		n += bits.OnesCount64(set[i] &^ without[i])
	}
	return n
}
