package confidence

import (
	"math"

	"confab/schemas"
)

const minLogprob = -100 // lower values are clamped

// Uncertainty holds statistics of an answer's token log-probabilities.
type Uncertainty struct {
	Tokens     int     // tokens with at least two known alternatives; others have no entropy
	Mean       float64 // entropy per token, nats
	Peak       float64 // the highest entropy of a token, nats
	PeakRow    int     // the first row with it
	MinLogprob float64 // lowest of a chosen token
	Truncated  bool    // rows beyond the limit were not read
}

// MeasureUncertainty computes the statistics of the token log-probabilities. NaN, infinite and missing values are skipped,
// values outside [-100, 0] are clamped. The chosen token counts as an alternative when its own top-k lacks it.
func MeasureUncertainty(l schemas.Logprobs) Uncertainty {
	u := Uncertainty{Truncated: l.Rows() > maxTokens}
	total := 0.0
	for i := range min(l.Rows(), maxTokens) {
		row := l.Row(i)
		if chosen, ok := clampLogprob(row[0]); ok && chosen < u.MinLogprob {
			u.MinLogprob = chosen
		}
		h, ok := entropy(row)
		if !ok {
			continue
		}
		if u.Tokens++; h > u.Peak || u.Tokens == 1 {
			u.Peak, u.PeakRow = h, i
		}
		total += h
	}
	if u.Tokens > 0 {
		u.Mean = total / float64(u.Tokens)
	}
	return u
}

// entropy returns the Shannon entropy, in nats, of the row's alternatives renormalised to one: with e = exp(l) and S their sum
// it is ln S - Σ e l / S. ok is false when fewer than two alternatives are known.
func entropy(row []float32) (nats float64, ok bool) {
	chosen, missing := clampLogprob(row[0])
	known, sum, weighted := 0, 0.0, 0.0
	add := func(l float64) {
		e := math.Exp(l)
		known, sum, weighted = known+1, sum+e, weighted+e*l
	}
	for _, v := range row[1:] {
		if l, ok := clampLogprob(v); ok {
			add(l)
			missing = missing && l != chosen
		}
	}
	if missing {
		add(chosen)
	}
	return max(0, math.Log(sum)-weighted/sum), known >= 2
}

// clampLogprob clamps v to [-100, 0]; false for NaN and infinite values.
func clampLogprob(v float32) (float64, bool) {
	l := float64(v)
	return min(max(l, minLogprob), 0), l-l == 0
}
