package grounding

import (
	"math"

	"confab/detectors"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/thesaurus"
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

	asked  bool  // the claims are questions
	at     int   // index of the claim
	named  int32 // see namedSource
	next   int   // start of the next claim, in bytes
	sums   claimSums
	words  []claimWord
	vector claimVector
}

// passScratch holds a buffer that is reused across documents.
type passScratch struct {
	words []claimWord
	near  thesaurus.Set // words of the best window
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
		Pass: pass, asked: asked, model: m, answer: doc.Answer(), tokens: doc.Tokens(), scratch: scratch, words: scratch.words,
	}
}

// measureClaim measures the i-th claim; ok is false if it has no content words. With a model it fills words and vector,
// except the learned columns.
func (p *answerPass) measureClaim(i int) (s support.Claim, ok bool) {
	c := p.List[i]
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
	held, words := p.readWindow(&w)
	p.readWords(from, to, &w, &held)
	p.sums.add(p, &w, words)
	p.sums.held = held
}

// fillVector fills the vector of the claim and the features of its words.
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
	p.fillPolarity(c, &sums.held)
	p.fillContext(c, sums.words)
	v[colSecond], v[colCitedUnion] = float32(sums.second/sums.total), v[colCited]
	if sums.isCited {
		v[colCitedUnion] = float32(sums.citedUnion / sums.total)
	}
	v[colSameSource] = float32(sums.sameSource / sums.total)
	p.fillFacts()
	shared := featureContext{p: p, recall: shareBucket(float64(v[colWindow]), 5), place: p.claimPlace(), shape: p.interactionShape()}
	for i := range p.words {
		shared.setFeatures(i)
	}
}

// probability is the model's probability that the measured claim is unsupported.
func (p *answerPass) probability() float64 {
	var r riskPool
	for i := range p.words {
		w := &p.words[i]
		r.add(p.model.risk(w), w.missing())
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

// answerShape returns the number of words of the answer and the share of its sentences without a claim.
func (p *answerPass) answerShape(claims int) (words int, unclaimed float32) {
	return len(p.tokens), 1 - float32(claims)/float32(max(1, len(p.Doc.Sentences())))
}
