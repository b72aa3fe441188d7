package grounding

import "confab/detectors"

// Sample is one answer for training: all features except learned columns.
type Sample struct {
	Claims    []SampleClaim
	Asked     bool    // the claims are questions
	Words     int     // of the answer
	Unclaimed float32 // share of its sentences without a claim
}

// SampleClaim is one claim of a sample.
type SampleClaim struct {
	Start, End int       // bytes of the answer
	X          []float32 // by ClaimColumns
	Words      []SampleWord
}

// SampleWord is one word of a claim.
type SampleWord struct {
	Start, End int // bytes of the answer
	Missing    bool
	Held       bool // in the best window
	Features   []uint16
}

// ClaimColumns names the features of the claim model, in order.
func ClaimColumns() []string { return append([]string(nil), claimColumns...) }

// AnswerColumns names the features of the answer model, in order.
func AnswerColumns() []string { return append([]string(nil), answerColumns...) }

// Sample measures an answer for training. It is empty if the answer is not checkable.
func (m *Model) Sample(doc *detectors.Document) Sample {
	var s Sample
	if uncheckable(doc) != "" {
		return s
	}
	p := newPass(doc, m)
	s.Asked = p.asked
	for i := range p.Claims {
		c, ok := p.measureClaim(i)
		if !ok {
			continue
		}
		g := SampleClaim{Start: c.At.Start, End: c.At.End, X: append([]float32(nil), p.vector[:]...)}
		weigher := p.newWeigher()
		weigher.keeps = true
		for k := range p.words {
			weigher.n = 0
			weigher.weigh(k)
			w := &p.words[k]
			t := &p.tokens[w.token]
			g.Words = append(g.Words, SampleWord{
				Start: int(t.Start), End: int(t.End), Missing: w.missing(), Held: w.supported(), Features: append([]uint16(nil), weigher.kept[:weigher.n]...),
			})
		}
		s.Claims = append(s.Claims, g)
	}
	s.Words, s.Unclaimed = p.answerShape(len(s.Claims))
	return s
}

// Pool fills the learned columns from the risks of the claim's words, in order.
func (c *SampleClaim) Pool(risks []float32) {
	var r riskPool
	for i, risk := range risks {
		w := newWordRisk(risk)
		r.add(&w, c.Words[i].Missing)
	}
	r.fill((*claimVector)(c.X))
}

// Answer returns the features of the answer model, given the probabilities of the claims.
func (s *Sample) Answer(p []float64) []float32 {
	var sums answerSums
	for i := range s.Claims {
		sums.add(p[i], (*claimVector)(s.Claims[i].X))
	}
	v := sums.vector(s.Words, s.Unclaimed)
	return v[:]
}
