package grounding

import (
	"math"

	"confab/detectors"
	"confab/detectors/contradiction"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
)

// wordCost is the cost of a word of a claim with a model, in units of [detectors.Work].
const wordCost = 20

// answerPass is the state of measuring one answer. Without a model it measures support only.
type answerPass struct {
	support.Pass
	model   *Model
	answer  string
	tokens  []text.Token
	scratch *passScratch
	plain   bool        // the sources are records or tables without prose
	marked  bool        // the answer has citation markers
	rest    *answerPass // over the text that was left out of the sources, once it is needed

	asked   bool  // the claims are questions
	at      int   // index of the claim
	named   int32 // see namedSource
	similar uint8 // sentences of the window to compare for contradictions, by bit; 0 for all
	next    int   // start of the next claim, in bytes
	sizes   sizes
	sums    claimSums
	words   []claimWord
	vector  claimVector
}

// sizes are logarithms of numbers of words.
type sizes struct{ sources, prompt float32 }

// passScratch holds a buffer that is reused across documents.
type passScratch struct {
	words []claimWord
	masks []uint64 // see fillNeighbors
	near  Set      // words of the best window
}

func newPass(doc *detectors.Document, m *Model) answerPass {
	scratch, _ := detectors.Scratch[passScratch](doc)
	pass := support.NewPass(doc)
	asked := false
	if pass.Claims == 0 {
		pass.List = doc.Questions()
		pass.Claims = len(pass.List)
		asked = pass.Claims > 0
	}
	return answerPass{
		Pass: pass, asked: asked, model: m, answer: doc.Text(), tokens: doc.Tokens(), scratch: scratch, words: scratch.words,
		marked: isMarked(doc.Tokens()),
		sizes:  sizes{log1p(len(doc.SourceTokens())), log1p(pass.Index.PromptWords)},
	}
}

// restPass is the pass over the text that was left out of the sources, nil if it is not read.
func (p *answerPass) restPass() *answerPass {
	rest := p.Doc.Rest()
	if rest == nil {
		return nil
	}
	if p.rest == nil {
		pass := newPass(rest, p.model)
		pass.plain = p.plain
		p.rest = &pass
	}
	return p.rest
}

// isMarked reports tokens of a citation marker.
func isMarked(tokens []text.Token) bool {
	for i := range tokens {
		if tokens[i].Has(text.Marker) {
			return true
		}
	}
	return false
}

// measureClaim measures the i-th claim; ok is false if it has no content words. With a model it fills words and vector,
// except the learned columns.
func (p *answerPass) measureClaim(i int) (s support.Claim, ok bool) {
	c := p.List[i]
	p.similar = 0
	p.at, p.next, p.words, p.sums = i, len(p.answer), p.words[:0], claimSums{start: int(c.Start)}
	if i+1 < len(p.List) {
		p.next = int(p.List[i+1].Start)
	}
	p.named = p.namedSource(c)
	if p.model == nil {
		return p.Measure(i, nil)
	}
	if s, ok = p.Measure(i, p.readPart); !ok {
		return s, false
	}
	p.fillVector(c, &s)
	p.scratch.words = p.words
	return s, true
}

// readPart adds the words of a loaded part of the claim.
func (p *answerPass) readPart(from, to int32, w support.Window) {
	if from == p.List[p.at].First {
		p.similar = p.similarSentences(&w)
	}
	window := p.windowTokens(&w)
	p.sums.held = p.windowCues(window)
	p.readWords(from, to, &w, window)
	p.sums.add(p, &w, len(window))
}

// fillVector fills the vector of the claim.
func (p *answerPass) fillVector(c textclaims.Claim, s *support.Claim) {
	v, sums := &p.vector, &p.sums
	p.Doc.Work().Spend(wordCost * len(p.words))
	clear(v[:])
	v[colWords] = float32(len(p.words))
	v[colWeight] = float32(sums.total)
	v[colSingle] = float32(sums.single / sums.total)
	v[colWindow] = float32(sums.window / sums.total)
	v[colCited] = float32(math.NaN())
	if sums.isCited {
		v[colCited] = float32(sums.cited / sums.total)
	}
	v[colNamed] = p.namedShare()
	p.countWords()
	p.fillRuns(s)
	p.fillPolarity(c)
	p.fillContext(c, sums.words)
	v[colSecond], v[colCitedUnion] = float32(sums.second/sums.total), v[colCited]
	if sums.isCited {
		v[colCitedUnion] = float32(sums.citedUnion / sums.total)
	}
	v[colSameSource] = float32(sums.sameSource / sums.total)
	p.fillFacts()
}

// similarSentences returns the sentences of the window with a good part of the loaded words, by bit.
func (p *answerPass) similarSentences(w *support.Window) (set uint8) {
	for s := w.First; s < w.Last; s++ {
		if p.Index.SentenceWeight(s) >= leastInSentence*p.Index.Total {
			set |= 1 << (s - w.First)
		}
	}
	return set
}

// leastInSentence is the share of a claim in a sentence with which it is compared for contradictions.
const leastInSentence = 0.35

// leastShared is the share of a claim in its best window from which it is compared for contradictions.
const leastShared = 0.4

// contradiction looks for the opposite of the i-th claim in its best window and sets the claim's probability by what it
// finds. The model has no such features: a contradiction raises the probability to the precision of its kind.
func (p *answerPass) contradiction(i int, c *support.Claim) contradiction.Finding {
	if p.model != nil && p.similar == 0 || c.Window.Weight < leastShared*c.Total {
		return contradiction.Finding{}
	}
	if p.isForeign(i) {
		found, ok := p.denial(i, c)
		if ok {
			c.Unsupported = max(c.Unsupported, found.Weight())
		}
		return found
	}
	x := contradiction.Of(p.Doc)
	found, ok := x.InClaim(p.Doc, contradiction.Claim{
		Claim: &p.List[i], Window: &c.Window, Sentences: p.similar,
		Turned: p.model == nil || p.vector[colPairsTurned] > 0,
		Denied: p.vector[colUnnegated]+p.vector[colNoLongerNegated]+p.vector[colOpposed] > 0,
	})
	switch {
	case ok:
		c.Unsupported = max(c.Unsupported, found.Weight())
	case x.Reworded():
		c.Unsupported = min(c.Unsupported, rewordedProbability)
		p.forgetWords()
	}
	return found
}

// forgetWords makes the words of a reworded claim count as supported in the model of the answer.
func (p *answerPass) forgetWords() {
	v := &p.vector
	for _, column := range [...]int{colMissing, colMissingRare, colRun, colFiguresMissing} {
		v[column] = 0
	}
	clear(v[colRisk:])
	v[colWindow] = 1
}

// probability is the model's probability that the measured claim is unsupported.
func (p *answerPass) probability() float64 {
	var r riskPool
	weigher := p.newWeigher()
	for i := range p.words {
		r.add(p.model.risk(weigher.weigh(i)), p.words[i].missing())
	}
	r.fill(&p.vector)
	return p.model.claimProbability(&p.vector)
}

// fewClaims is the largest number of claims for which the score averages answer and worst claim: there the answer model
// alone is noisy.
const fewClaims = 2

// score is the model's probability that the answer has a fault.
func (p *answerPass) score(sums *answerSums) float64 {
	sums.asked = p.asked
	v := sums.vector(p.answerShape(sums.claims))
	return p.model.score(v[:], sums)
}

// answerShape returns the number of words of the answer, citation markers aside, and the share of its sentences without a
// claim.
func (p *answerPass) answerShape(claims int) (words int, unclaimed float32) {
	words = p.countUnmarked(0, int32(len(p.tokens)))
	return words, 1 - float32(claims)/float32(max(1, len(p.Doc.Sentences())))
}

// countUnmarked counts the tokens from..to outside of citation markers.
func (p *answerPass) countUnmarked(from, to int32) (n int) {
	p.Doc.Work().Spend(int(to-from) / detectors.ScanRows)
	if !p.marked {
		return int(to - from)
	}
	for i := from; i < to; i++ {
		if !p.tokens[i].Has(text.Marker) {
			n++
		}
	}
	return n
}
