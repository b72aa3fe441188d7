package grounding

import "confab/detectors"

// Sample is what the grounding detector sees of one answer, for training: everything but learned numbers.
type Sample struct {
	Claims    []SampleClaim
	Words     int     // of the answer
	Unclaimed float32 // share of its sentences that state nothing
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
	Held       bool // the best window holds it
	Features   []uint16
}

// ClaimColumns names what the claim model reads, in order.
func ClaimColumns() []string { return append([]string(nil), claimColumns...) }

// AnswerColumns names what the answer model reads, in order.
func AnswerColumns() []string { return append([]string(nil), answerColumns...) }

// Sample measures an answer for training. It is empty where the grounding detector could not measure it.
func (m *Model) Sample(doc *detectors.Document) Sample {
	var s Sample
	if doc.Uncheckable() != "" {
		return s
	}
	p := newPass(doc, m)
	for i := range p.Claims {
		c, ok := p.measureClaim(i)
		if !ok {
			continue
		}
		g := SampleClaim{Start: c.At.Start, End: c.At.End, X: append([]float32(nil), p.vector[:]...)}
		for k := range p.words {
			w := &p.words[k]
			t := &p.tokens[w.token]
			g.Words = append(g.Words, SampleWord{
				Start: int(t.Start), End: int(t.End), Missing: w.missing(), Held: w.supported(), Features: append([]uint16(nil), w.features[:w.featureCount]...),
			})
		}
		s.Claims = append(s.Claims, g)
	}
	s.Words, s.Unclaimed = p.answerShape(len(s.Claims))
	return s
}

// Pool writes the risks of the claim's words, in order, into its learned columns.
func (c *SampleClaim) Pool(risks []float32) {
	var r riskPool
	for i, risk := range risks {
		r.add(risk, c.Words[i].Missing)
	}
	r.fill((*claimVector)(c.X))
}

// Answer is what the answer model reads, given the probabilities of the sample's claims.
func (s *Sample) Answer(p []float64) []float32 {
	var sums answerSums
	for i := range s.Claims {
		sums.add(p[i], (*claimVector)(s.Claims[i].X))
	}
	v := sums.vector(s.Words, s.Unclaimed)
	return v[:]
}
