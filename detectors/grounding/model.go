package grounding

import (
	"errors"
	"fmt"
	"math"

	"confab/internal/model"
)

// Model is a learned model of unsupported claims in three steps: weights of words, trees for claims, trees for answers.
type Model struct {
	Frequencies []byte       `json:"frequencies"` // by the first 16 bits of a stem's hash: 0 rare to 255 most common
	Words       []byte       `json:"words"`       // by feature hash: a weight, int8 in steps of WordStep
	WordStep    float64      `json:"word_step"`
	WordBias    float64      `json:"word_bias"`
	Claims      *model.Trees `json:"claims"`
	Answers     *model.Trees `json:"answers"`

	frequencies *[1 << 16]byte
	weights     *[featureSlots]byte
	risks       *[maxWordFeatures<<8 + 1]wordRisk // by the sum of a word's weights, from -maxWordFeatures<<7 on
	claims      *model.Forest                     // nil: Claims is applied
	answers     *model.Forest                     // nil: Answers is applied
}

const featureSlots = 1 << 16

// Check returns an error if the model is unusable, else it prepares the model.
func (m *Model) Check() error {
	switch {
	case len(m.Frequencies) != 1<<16 || len(m.Words) != featureSlots:
		return fmt.Errorf("word tables have %d and %d entries, want %d: use one that was made for this version", len(m.Frequencies), len(m.Words), featureSlots)
	case m.Claims == nil || m.Answers == nil:
		return errors.New("model lacks the trees of claims or answers: use one that was made for this version")
	case !(m.WordStep > 0 && m.WordStep < 1) || math.IsNaN(m.WordBias) || math.IsInf(m.WordBias, 0):
		return errors.New("word weights out of range: use one that was made for this version")
	}
	if err := errors.Join(m.Claims.Check(claimColumns), m.Answers.Check(answerColumns)); err != nil {
		return err
	}
	m.Prepare()
	return nil
}

// wordRisk is the probability that a word is invented.
type wordRisk struct {
	risk    float32
	logNone float64 // logarithm of the probability that it is not
}

func newWordRisk(risk float32) wordRisk {
	return wordRisk{risk, math.Log1p(-min(float64(risk), 0.999))}
}

// Prepare builds the tables used by inference. Check calls it.
func (m *Model) Prepare() {
	m.risks = new([maxWordFeatures<<8 + 1]wordRisk)
	for i := range m.risks {
		m.risks[i] = newWordRisk(float32(model.Logistic(m.WordBias + float64(i-maxWordFeatures<<7)*m.WordStep)))
	}
	m.frequencies, m.weights = (*[1 << 16]byte)(m.Frequencies), (*[featureSlots]byte)(m.Words)
	if m.Claims != nil && m.Answers != nil {
		m.claims, m.answers = model.NewForest(m.Claims), model.NewForest(m.Answers)
	}
}

// claimProbability is the probability that a claim with these features is unsupported.
func (m *Model) claimProbability(v *claimVector) float64 {
	if m.claims == nil {
		return m.Claims.Probability(v[:])
	}
	return m.claims.Probability(v[:])
}

func (m *Model) answerOdds(v []float32) float64 {
	if m.answers == nil {
		return m.Answers.LogOdds(v)
	}
	return m.answers.LogOdds(v)
}

// risk is the probability that a word with this sum of weights is invented.
func (m *Model) risk(sum int) *wordRisk { return &m.risks[sum+maxWordFeatures<<7] }

// score is the probability that an answer with these features and claims has a fault.
func (m *Model) score(v []float32, sums *answerSums) float64 {
	odds := m.answerOdds(v)
	if sums.claims <= fewClaims {
		odds = (odds + model.Logit(sums.top[0])) / 2
	}
	p := model.Logistic(odds)
	if sums.asked {
		p *= askedShare
	}
	return p
}

// askedShare lowers the score of an answer that only asks: a question states less than a claim.
const askedShare = 0.8

// riskPool combines the risks of a claim's words into its learned columns.
type riskPool struct {
	// Bits of the highest risks: those of positive numbers have the same order.
	first, second, third uint32

	mass        float32
	logNone     float64
	missingMass float32 // risk of missing words
}

// add adds a word, without branches: risky words follow no pattern.
func (r *riskPool) add(w *wordRisk, missing bool) {
	risk := math.Float32bits(w.risk)
	r.mass += w.risk
	r.logNone += w.logNone
	ifMissing := uint32(0)
	if missing {
		ifMissing = risk
	}
	r.missingMass += math.Float32frombits(ifMissing)
	r.first, risk = max(r.first, risk), min(r.first, risk)
	r.second, risk = max(r.second, risk), min(r.second, risk)
	r.third = max(r.third, risk)
}

func (r *riskPool) fill(v *claimVector) {
	v[colRisk], v[colRisk+1], v[colRisk+2] = math.Float32frombits(r.first), math.Float32frombits(r.second), math.Float32frombits(r.third)
	v[colRisk+3], v[colRisk+4], v[colRisk+5] = r.mass, float32(-r.logNone), r.missingMass
}
