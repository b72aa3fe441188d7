package detectors

import (
	"math"

	"confab/internal/text"
)

// wordCost is the cost of a word of a claim, with a model, in units of [Work].
const wordCost = 20

// groundingPass is one answer's measurement. Without a model it measures support alone.
type groundingPass struct {
	claimPass
	model   *GroundingModel
	answer  string
	tokens  []text.Token
	scratch *groundingScratch

	at     int   // index of the claim
	named  int32 // the source that its sentence names in prose, or unknownSource
	next   int   // where the next claim begins, in bytes
	sums   claimSums
	words  []claimWord
	vector claimVector
}

// groundingScratch is what the detector keeps of a document while it reads it.
type groundingScratch struct{ words []claimWord }

func newGroundingPass(doc *Document, m *GroundingModel) groundingPass {
	scratch, _ := Scratch[groundingScratch](doc)
	return groundingPass{
		claimPass: newClaimPass(doc), model: m, answer: doc.Answer(), tokens: doc.Tokens(), scratch: scratch, words: scratch.words,
	}
}

// claim measures the i-th claim; ok is false when it has no words to look for. With a model, its vector and words are
// filled, the learned columns excepted.
func (p *groundingPass) claim(i int) (s claimSupport, ok bool) {
	c := p.list[i]
	p.at, p.next, p.words, p.sums = i, len(p.answer), p.words[:0], claimSums{start: int(c.Start)}
	if i+1 < len(p.list) {
		p.next = int(p.list[i+1].Start)
	}
	p.named = p.namedSource(c)
	if p.model == nil {
		return p.measure(i, nil)
	}
	if s, ok = p.measure(i, p.read); !ok {
		return s, false
	}
	p.fill(c, &s)
	p.scratch.words = p.words
	return s, true
}

// read takes in the words of a part of the claim, which are loaded.
func (p *groundingPass) read(from, to int32, w window) {
	held, words := tellingIn(p.doc, &w)
	p.readWords(from, to, &w, &held)
	p.sums.add(p, &w, words)
	p.sums.held = held
}

// fill makes the vector and the cues of the claim.
func (p *groundingPass) fill(c text.Claim, s *claimSupport) {
	v, sums := &p.vector, &p.sums
	p.doc.Work().Spend(wordCost * len(p.words))
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

// fewClaims is up to how many claims an answer's score rests on its worst claim as much as on the answer: the answer
// model has little to add there, and adds noise.
const fewClaims = 2

// score is the model's probability that the answer has a fault.
func (p *groundingPass) score(sums *answerSums) float64 {
	v := sums.vector(p.surroundings(sums.claims))
	return p.model.score(v[:], sums)
}

// surroundings are the words of the answer, and the share of its sentences that state nothing.
func (p *groundingPass) surroundings(claims int) (words int, unclaimed float32) {
	return len(p.tokens), 1 - float32(claims)/float32(max(1, len(p.doc.Sentences())))
}
