package fit

import (
	"math"
	"math/rand/v2"

	"confab/detectors/grounding"
	"confab/internal/model"
)

// wordModel is a logistic regression over hashed cues.
type wordModel struct {
	bias    float64
	weights []float32
}

type wordExample struct {
	cues   []uint16
	y      float64
	weight float64
}

const (
	wordEpochs = 5
	wordRate   = 0.06
	wordL2     = 2e-5
)

// trainWords minimizes the log loss by AdaGrad (Duchi et al., 2011), in an order that the seed determines.
func trainWords(examples []wordExample, seed uint64) *wordModel {
	m := &wordModel{weights: make([]float32, 1<<16)}
	var positive, total float64
	for _, e := range examples {
		positive += e.y * e.weight
		total += e.weight
	}
	if total == 0 {
		return m
	}
	m.bias = model.Logit(positive / total)
	scale := float64(len(examples)) / total
	squares := make([]float32, len(m.weights))
	rng := rand.New(rand.NewPCG(seed, 0x3012d))
	order := rng.Perm(len(examples))
	for range wordEpochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			e := &examples[i]
			g := (m.risk(e.cues) - e.y) * e.weight * scale
			for _, c := range e.cues {
				d := float32(g) + wordL2*m.weights[c]
				squares[c] += d * d
				m.weights[c] -= wordRate * d / float32(math.Sqrt(float64(squares[c])+1e-2))
			}
		}
	}
	return m
}

func (m *wordModel) risk(cues []uint16) float64 {
	z := m.bias
	for _, c := range cues {
		z += float64(m.weights[c])
	}
	return model.Logistic(z)
}

// risks are the probabilities of the claim's words, in order.
func (m *wordModel) risks(c *grounding.SampleClaim, dst []float32) []float32 {
	dst = dst[:0]
	for i := range c.Words {
		dst = append(dst, float32(m.risk(c.Words[i].Features)))
	}
	return dst
}

// store writes the weights into the model, rounded to bytes.
func (m *wordModel) store(g *grounding.Model) {
	most := 1e-3
	for _, w := range m.weights {
		most = max(most, math.Abs(float64(w)))
	}
	g.WordBias, g.WordStep = m.bias, most/127
	g.Words = make([]byte, len(m.weights))
	for i, w := range m.weights {
		g.Words[i] = byte(int8(math.Round(float64(w) / g.WordStep)))
	}
}
