package grounding

import (
	"math"

	"confab/detectors"
	"confab/detectors/facts"
	"confab/detectors/figureindex"
	"confab/detectors/support"
	textclaims "confab/internal/text/claims"
)

// claimSums adds up the parts of a claim.
type claimSums struct {
	total, single, window, cited   float64
	named                          float64
	second, citedUnion, sameSource float64
	isCited                        bool
	start                          int // of the claim, in bytes
	words                          int // of the windows
	held, said                     cueSet
	hedges                         int
}

func (s *claimSums) add(p *answerPass, w *support.Window, words int) {
	s.total += p.Index.Total
	best, second := p.Index.BestSentences(w.Mask)
	s.single += best
	s.window += w.Weight
	s.words += words
	s.second += second
	if source, _, _, ok := w.Place(p.Doc); ok {
		s.sameSource += p.Index.WeightOf(p.Index.HeldWords(int32(source)))
	}
	if cited, ok := p.Index.BestCited(p.Doc.Markers(), s.start, p.next); ok {
		s.cited += cited
		s.citedUnion += p.Index.CitedUnion(p.Doc.Markers(), s.start, p.next)
		s.isCited = true
	}
	if p.named >= 0 {
		s.named += p.Index.BestWindow(p.named).Weight
	}
}

// addCue adds a polarity cue of the claim, if it is one.
func (s *claimSums) addCue(number int16) {
	if number == noCue {
		return
	}
	s.said.add(number)
	if polarityCues.hedges.has(number) {
		s.hedges++
	}
}

// countWords fills the columns that count words by state and kind.
func (p *answerPass) countWords() {
	v, x := &p.vector, p.Index
	var rare, rareWindow, rareAnywhere, anywhere float64
	var pairs [pairStates]int
	share := 1 / float32(max(1, len(p.words)))
	for i := range p.words {
		w := &p.words[i]
		if w.id < 0 {
			p.countPolarityWord(w)
			continue
		}
		r := float64(w.rarity) + 0.05
		rare += r
		if x.InPrompt(w.id) {
			v[colPromptShare] += share
		}
		if w.supported() {
			rareWindow += r
			p.countKind(w)
		} else {
			p.countUnsupported(w)
		}
		if !w.missing() || w.state == wordOpposed {
			rareAnywhere += r
		}
		if x.Count(w.id) > 0 {
			anywhere++
			p.countLocal(w)
		}
		pairs[w.pair%pairStates]++
		p.countNegationChange(w)
	}
	if rare > 0 {
		v[colRareWindow], v[colRareAnywhere] = float32(rareWindow/rare), float32(rareAnywhere/rare)
		v[colAnywhere] = float32(anywhere) / max(1, v[colWords])
	}
	v[colLocal] /= float32(max(1, anywhere))
	v[colLocalLeast] = 1 - v[colLocalLeast]
	v[colMissingShare] = v[colMissing] / max(1, v[colWords])
	held, turned, added := float32(pairs[pairHeld]), float32(pairs[pairTurned]), float32(pairs[pairNew])
	v[colPairsHeld], v[colPairsTurned], v[colPairsNew] = held/max(1, held+added+turned), turned, added
}

func (p *answerPass) countLocal(w *claimWord) {
	v, strange := &p.vector, 1-w.local
	v[colLocal] += w.local
	v[colLocalRare] += w.rarity * strange
	if strange > v[colLocalLeast] {
		v[colLocalLeast] = strange
	}
	if w.local < 0.5 {
		v[colLocalLoose]++
	}
}

func (p *answerPass) countKind(w *claimWord) {
	switch w.kind {
	case figureWord:
		p.vector[colFigures]++
	case nameWord:
		p.vector[colNames]++
	default:
	}
}

// countUnsupported counts a content word that the window lacks.
func (p *answerPass) countUnsupported(w *claimWord) {
	v := &p.vector
	add := func(on bool, column int, by float32) {
		if on {
			v[column] += by
		}
	}
	p.countKind(w)
	missing, elsewhere := p.Index.Count(w.id) == 0, w.state == wordElsewhere
	add(missing, colMissing, 1)
	if w.related != Unrelated {
		v[colRelated+int(w.related)-1]++
	}
	add(missing, colMissingRare, w.rarity)
	add(w.state == wordPrefixMatch, colPrefixMatch, 1)
	add(w.state == wordInPrompt, colPrompt, 1)
	add(elsewhere, colElsewhere, 1)
	add(elsewhere, colElsewhereRare, w.rarity)
	add(w.state == wordOpposed, colOpposed, 1)
	switch w.kind {
	case figureWord:
		add(missing, colFiguresMissing, 1)
		add(elsewhere, colFiguresElsewhere, 1)
	case nameWord:
		add(missing, colNamesMissing, 1)
		add(elsewhere, colNamesElsewhere, 1)
	default:
	}
	if missing && w.rarity > v[colRarest] {
		v[colRarest] = w.rarity
	}
}

// countPolarityWord counts a polarity cue among the stop words that the window lacks.
func (p *answerPass) countPolarityWord(w *claimWord) {
	if w.supported() {
		return
	}
	p.vector[colPolarityMissing]++
	if w.state == wordOpposed {
		p.vector[colOpposed]++
	}
}

// fillRuns fills the columns of runs of missing words, and of single unsupported words between supported ones.
func (p *answerPass) fillRuns(s *support.Claim) {
	v := &p.vector
	v[colRun] = float32(s.Run)
	run := float32(0)
	last, island := wordNone, -1
	for i := range p.words {
		w := &p.words[i]
		if w.id < 0 {
			continue
		}
		if w.missing() {
			if run += w.rarity; run > v[colRunRare] {
				v[colRunRare] = run
			}
		} else {
			run = 0
		}
		if w.supported() && island >= 0 {
			v[colIslands]++
			v[colIslandRare] = max(v[colIslandRare], p.words[island].rarity)
		}
		island = -1
		if last == wordInWindow && !w.supported() {
			island = i
		}
		last = w.state
	}
}

// fillPolarity fills the columns of negations, opposites and hedges.
func (p *answerPass) fillPolarity(c textclaims.Claim) {
	v, held, said := &p.vector, &p.sums.held, &p.sums.said
	v[colHedges] = float32(p.sums.hedges)
	v[colPolarityCues] = float32(said.count())
	switch {
	case said.has(0) && !held.has(0):
		v[colNegated] = 1
	case !said.has(0) && held.has(0):
		v[colUnnegated] = 1
	}
	if c.First < c.Last && isFirstPerson(p.tokens[c.First].In(p.answer)) {
		v[colStartSelf] = 1
	}
}

func isFirstPerson(word string) bool {
	switch word {
	case "I", "i", "I'm", "i'm", "My", "my":
		return true
	default:
		return false
	}
}

// fillContext fills the columns of the answer and the interaction around the claim.
func (p *answerPass) fillContext(c textclaims.Claim, windowWords int) {
	v := &p.vector
	v[colPlace] = float32(c.Start) / float32(max(1, len(p.answer)))
	v[colIndex] = float32(p.at)
	v[colClaims] = float32(p.Claims)
	v[colWindowWords] = float32(windowWords)
	v[colLengthRatio] = float32(p.countUnmarked(c.First, c.Last)) / float32(max(1, windowWords))
	if p.Index.OnlyRecords {
		v[colRecords] = 1
	}
	v[colSources] = float32(p.Doc.Sources())
	v[colSourceWords] = p.sizes.sources
	v[colPromptWords] = p.sizes.prompt
	v[colTurns] = float32(p.Doc.Interaction().Turns())
}

func (p *answerPass) claimPlace() uint64 {
	switch {
	case p.Claims == 1:
		return 0
	case p.at == 0:
		return 1
	case p.at == p.Claims-1:
		return 2
	default:
		return 3
	}
}

func (p *answerPass) interactionShape() uint64 {
	shape := uint64(0)
	if p.Index.OnlyRecords {
		shape = 1
	}
	if p.Index.PromptWords > 3 {
		shape |= 2
	}
	return shape
}

// fillFacts fills the columns of unsupported facts in the claim.
func (p *answerPass) fillFacts() {
	v := &p.vector
	none := float32(1)
	p.Doc.Work().Spend(len(facts.Findings(p.Doc)) / detectors.ScanRows)
	for _, f := range facts.Findings(p.Doc) {
		if int(f.Claim) == p.at {
			v[colFacts+int(f.Kind)] += f.Weight
			none *= 1 - f.Weight
		}
	}
	v[colFacts+figureindex.Kinds] = 1 - none
}

func log1p(n int) float32 { return float32(math.Log1p(float64(n))) }
