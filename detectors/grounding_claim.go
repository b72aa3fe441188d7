package detectors

import (
	"math"

	"confab/internal/text"
)

// claimColumns are what the claim model reads, in this order. Counts are of words; shares are 0 to 1.
var claimColumns = []string{ //nolint:gochecknoglobals // a read-only table
	"words", "weight", "single", "window", "anywhere", "rare_window", "rare_anywhere", "cited",
	"missing", "missing_share", "missing_rare", "rarest", "run", "run_rare", "akin", "asked", "elsewhere", "elsewhere_rare",
	"figures", "figures_missing", "figures_elsewhere", "names", "names_missing", "names_elsewhere",
	"opposed", "telling_missing", "negated", "unnegated", "telling", "hedges", "islands", "island_rare",
	"pairs_held", "pairs_new", "pairs_turned", "start_self",
	"place", "index", "claims", "window_words", "length_ratio", "records", "sources", "source_words", "asks", "asked_share", "turns",
	"local", "local_least", "local_loose", "local_rare",
	"facts_figures", "facts_dates", "facts_names", "facts_weak", "facts_fields", "facts_missing", "facts_any",
	"risk_1", "risk_2", "risk_3", "risk_mass", "risk_any", "risk_missing",
}

// Columns that code refers to by name.
const (
	colWords = iota
	colWeight
	colSingle
	colWindow
	colAnywhere
	colRareWindow
	colRareAnywhere
	colCited
	colMissing
	colMissingShare
	colMissingRare
	colRarest
	colRun
	colRunRare
	colAkin
	colAsked
	colElsewhere
	colElsewhereRare
	colFigures
	colFiguresMissing
	colFiguresElsewhere
	colNames
	colNamesMissing
	colNamesElsewhere
	colOpposed
	colTellingMissing
	colNegated
	colUnnegated
	colTelling
	colHedges
	colIslands
	colIslandRare
	colPairsHeld
	colPairsNew
	colPairsTurned
	colStartSelf
	colPlace
	colIndex
	colClaims
	colWindowWords
	colLengthRatio
	colRecords
	colSources
	colSourceWords
	colAsks
	colAskedShare
	colTurns
	colLocal
	colLocalLeast
	colLocalLoose
	colLocalRare
	colFacts
	colRisk       = colFacts + 7
	claimFeatures = colRisk + 6
)

type claimVector [claimFeatures]float32

// groundingPass is one answer's measurement. Without a model it measures support alone.
type groundingPass struct {
	doc    *Document
	x      *supportIndex
	model  *GroundingModel
	answer string
	tokens []text.Token

	list   []text.Claim
	claims int // of them in the text, before a list of references
	at     int // index of the claim
	next   int // where the next claim begins, in bytes
	sums   claimSums
	words  []claimWord
	vector claimVector
}

func newGroundingPass(doc *Document, m *GroundingModel) groundingPass {
	p := groundingPass{doc: doc, x: doc.support(), model: m, answer: doc.Answer(), tokens: doc.Tokens(), words: doc.support().claimed}
	p.list = doc.statements()
	end := int32(doc.citations().end)
	for _, c := range p.list {
		if c.Start >= end {
			break // a list of references
		}
		p.claims++
	}
	return p
}

// claim measures the i-th claim; ok is false when it has no words to look for. With a model, its vector and words are
// filled, the learned columns excepted.
func (p *groundingPass) claim(i int) (s claimSupport, ok bool) {
	c := p.list[i]
	p.at, p.next, p.words, p.sums = i, len(p.answer), p.words[:0], claimSums{start: int(c.Start)}
	if i+1 < len(p.list) {
		p.next = int(p.list[i+1].Start)
	}
	s = p.support(c.First, c.Last, claimSpan{int(c.Start), int(c.End)})
	if s.total == 0 {
		return s, false
	}
	if p.model != nil {
		p.fill(c, &s)
		p.x.claimed = p.words
	}
	return s, true
}

// read takes in the words of a part of the claim, which are loaded.
func (p *groundingPass) read(from, to int32, w *window) {
	held, words := p.x.telling(p.doc, w)
	p.readWords(from, to, w, &held)
	p.sums.add(p, w, words)
	p.sums.held = held
}

// fill makes the vector and the cues of the claim.
func (p *groundingPass) fill(c text.Claim, s *claimSupport) {
	v, sums := &p.vector, &p.sums
	clear(v[:])
	v[colWords] = float32(len(p.words))
	v[colWeight] = float32(sums.total)
	v[colSingle] = float32(sums.single / sums.total)
	v[colWindow] = float32(sums.window / sums.total)
	v[colCited] = float32(math.NaN())
	if sums.isCited {
		v[colCited] = float32(sums.cited / sums.total)
	}
	p.count()
	p.runs(s)
	p.telling(c, &sums.held)
	p.frame(c, sums.words)
	p.facts()
	shared := cueing{p: p, recall: bucket(float64(v[colWindow]), 5), place: p.place(), shape: p.shape()}
	for i := range p.words {
		shared.see(i)
	}
}

// probability is the model's, that the claim just measured is unsupported.
func (p *groundingPass) probability() float64 {
	var r riskPool
	for i := range p.words {
		w := &p.words[i]
		r.add(p.model.risk(w), w.missing())
	}
	r.fill(&p.vector)
	return p.model.Claims.Probability(p.vector[:])
}

// score is the model's probability that the answer has a fault.
func (p *groundingPass) score(sums *answerSums) float64 {
	v := sums.vector(p.surroundings(sums.claims))
	return p.model.Answers.Probability(v[:])
}

// surroundings are the words of the answer, and the share of its sentences that state nothing.
func (p *groundingPass) surroundings(claims int) (words int, unclaimed float32) {
	return len(p.tokens), 1 - float32(claims)/float32(max(1, len(p.doc.Sentences())))
}

// claimSums add up over the parts of a claim.
type claimSums struct {
	total, single, window, cited float64
	isCited                      bool
	start, words                 int // of the claim, in bytes; of the windows
	held                         tellingSet
}

func (s *claimSums) add(p *groundingPass, w *window, words int) {
	s.total += p.x.total
	s.single += p.x.single()
	s.window += w.weight
	s.words += words
	if cited, ok := p.x.cited(p.doc.citations(), s.start, p.next); ok {
		s.cited += cited
		s.isCited = true
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
		if p.x.counts[w.id] > 0 {
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
	missing, elsewhere := p.x.counts[w.id] == 0, w.state == wordElsewhere
	add(missing, colMissing, 1)
	add(missing, colMissingRare, w.rare)
	add(w.state == wordAkin, colAkin, 1)
	add(p.x.asked[w.id], colAskedShare, 1/float32(max(1, len(p.words))))
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
	var said tellingSet
	for t := c.First; t < c.Last; t++ {
		n := tellingWords.of(&p.tokens[t])
		if n == noWord {
			continue
		}
		said.add(n)
		if tellingWords.hedges[n] {
			v[colHedges]++
		}
	}
	for i := range p.words {
		if w := &p.words[i]; w.kind == tellingWord && !w.supported() {
			v[colTellingMissing]++
			if w.state == wordOpposed {
				v[colOpposed]++
			}
		}
	}
	var none tellingSet
	v[colTelling] = float32(ones(&said, &none))
	switch {
	case said.has(0) && !held.has(0):
		v[colNegated] = 1
	case !said.has(0) && held.has(0):
		v[colUnnegated] = 1
	}
	if c.First < c.Last {
		if first := p.tokens[c.First].In(p.answer); first == "I" || first == "i" || first == "I'm" || first == "My" {
			v[colStartSelf] = 1
		}
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
	v[colTurns] = float32(len(p.doc.in.Messages))
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
	for _, f := range p.doc.facts() {
		if int(f.claim) == p.at {
			v[colFacts+int(f.kind)] += f.weight
			none *= 1 - f.weight
		}
	}
	v[colFacts+factKinds] = 1 - none
}
