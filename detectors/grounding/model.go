package grounding

import (
	"errors"
	"fmt"
	"math"

	"confab/internal/model"
)

// Model turns what was measured of the claims of an answer into the probability that they are unsupported, in
// three steps: weights per word, trees per claim, trees per answer.
type Model struct {
	Frequencies []byte       `json:"frequencies"` // by the first 16 bits of a stem's hash: how common it is, 255 the most
	Words       []byte       `json:"words"`       // by cue: a weight, int8 in steps of WordStep
	WordStep    float64      `json:"word_step"`
	WordBias    float64      `json:"word_bias"`
	Claims      *model.Trees `json:"claims"`
	Answers     *model.Trees `json:"answers"`

	frequencies *[1 << 16]byte
	weights     *[featureSlots]byte
}

const featureSlots = 1 << 16

// Check reports what makes the model unusable, and prepares it.
func (m *Model) Check() error {
	switch {
	case len(m.Frequencies) != 1<<16 || len(m.Words) != featureSlots:
		return fmt.Errorf("the model's word tables have %d and %d entries, this version reads %d: fit it anew", len(m.Frequencies), len(m.Words), featureSlots)
	case m.Claims == nil || m.Answers == nil:
		return errors.New("the model knows words, but neither claims nor answers: fit it anew")
	case !(m.WordStep > 0 && m.WordStep < 1) || math.IsNaN(m.WordBias) || math.IsInf(m.WordBias, 0):
		return errors.New("the model's word weights are damaged: fit it anew")
	}
	if err := errors.Join(m.Claims.Check(claimColumns), m.Answers.Check(answerColumns)); err != nil {
		return err
	}
	m.Prepare()
	return nil
}

// Prepare makes the tables that inference reads. LoadModel has called it already.
func (m *Model) Prepare() {
	m.frequencies, m.weights = (*[1 << 16]byte)(m.Frequencies), (*[featureSlots]byte)(m.Words)
}

// risk is the probability that the word is made up.
func (m *Model) risk(w *claimWord) float32 {
	sum := int32(0)
	for _, c := range w.features[:w.featureCount] {
		sum += int32(int8(m.weights[c]))
	}
	return float32(model.Logistic(m.WordBias + float64(sum)*m.WordStep))
}

// score is the probability that an answer with that vector, of those claims, has a fault.
func (m *Model) score(v []float32, sums *answerSums) float64 {
	odds := m.Answers.LogOdds(v)
	if sums.claims <= fewClaims {
		odds = (odds + model.Logit(sums.top[0])) / 2
	}
	return model.Logistic(odds)
}

// riskPool gathers the risks of a claim's words for its learned columns.
type riskPool struct {
	top         [3]float32
	mass        float32
	logNone     float64
	missingMass float32 // mass of missing words
}

func (r *riskPool) add(risk float32, missing bool) {
	for i, q := 0, risk; i < len(r.top); i++ {
		if q > r.top[i] {
			q, r.top[i] = r.top[i], q
		}
	}
	r.mass += risk
	r.logNone += math.Log1p(-min(float64(risk), 0.999))
	if missing {
		r.missingMass += risk
	}
}

func (r *riskPool) fill(v *claimVector) {
	v[colRisk], v[colRisk+1], v[colRisk+2] = r.top[0], r.top[1], r.top[2]
	v[colRisk+3], v[colRisk+4], v[colRisk+5] = r.mass, float32(-r.logNone), r.missingMass
}
