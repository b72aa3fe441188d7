package roc

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Scored is one labelled interaction as one detector measured it.
type Scored struct {
	Score    float64 // 0 to 1, higher is worse
	Positive bool    // labelled as hallucinated, unsupported or invalid
	Weight   float64 // how many rows it stands for; 0 counts as 1
}

// EffectiveWeight is Weight, or 1 where it is 0.
func (s Scored) EffectiveWeight() float64 {
	if s.Weight == 0 {
		return 1
	}
	return s.Weight
}

// Candidate is the result of a threshold on the rows. Shares are weighted, counts are not.
type Candidate struct {
	Threshold    float64
	Fired        int     // rows at or above it
	Precision    float64 // share of positives among those
	PrecisionLow float64 // lower end of the 95 % Wilson interval, at the effective number of rows
	Recall       float64 // share of all positives that fired
	FalseAlarms  float64 // share of all negatives that fired

	FalseAlarmsHigh float64 // upper end of its 95 % Wilson interval, at the effective number of negatives
}

// Sweep is one candidate per distinct score, lowest threshold first.
func Sweep(rows []Scored) []Candidate {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	positives, negatives, effectiveNegatives := classWeights(rows)
	var candidates []Candidate
	var hit, alarm, squares float64 // weights of what fired so far
	for i, r := range rows {
		if r.Positive {
			hit += r.EffectiveWeight()
		} else {
			alarm += r.EffectiveWeight()
		}
		squares += r.EffectiveWeight() * r.EffectiveWeight()
		if i+1 < len(rows) && rows[i+1].Score == r.Score {
			continue
		}
		effective := (hit + alarm) * (hit + alarm) / squares // Kish's effective sample size
		c := Candidate{Threshold: r.Score, Fired: i + 1, Precision: hit / (hit + alarm)}
		c.PrecisionLow, _ = Wilson(c.Precision, effective)
		c.Recall, c.FalseAlarms = Ratio(hit, positives), Ratio(alarm, negatives)
		_, c.FalseAlarmsHigh = Wilson(c.FalseAlarms, effectiveNegatives)
		candidates = append(candidates, c)
	}
	slices.Reverse(candidates)
	return candidates
}

// classWeights are the weights of the positive and of the negative rows, and Kish's effective number of negatives.
func classWeights(rows []Scored) (positives, negatives, effectiveNegatives float64) {
	squares := 0.0
	for _, r := range rows {
		w := r.EffectiveWeight()
		if r.Positive {
			positives += w
			continue
		}
		negatives += w
		squares += w * w
	}
	return positives, negatives, Ratio(negatives*negatives, squares)
}

// Target is what a threshold must reach before a rule is armed.
type Target struct {
	Precision float64 // point estimate
	MinFired  int     // rows that must have fired for the estimate to count
}

// RecallTolerance is how much recall Choose gives up for a higher threshold.
const RecallTolerance = 0.01

// Choose is the highest threshold that meets the target with a recall within RecallTolerance of the best one that meets
// it, and whether there is one. Candidates come from [Sweep].
func Choose(candidates []Candidate, target Target) (chosen Candidate, ok bool) {
	best := math.Inf(-1)
	for _, c := range candidates {
		if target.metBy(c) {
			best = max(best, c.Recall)
		}
	}
	const rounding = 1e-9
	for _, c := range candidates {
		if target.metBy(c) && c.Recall >= best-RecallTolerance-rounding && (!ok || c.Threshold > chosen.Threshold) {
			chosen, ok = c, true
		}
	}
	return chosen, ok
}

func (t Target) metBy(c Candidate) bool {
	return c.Precision >= t.Precision && c.Fired >= t.MinFired
}

// At is the result of the threshold on the rows; it need not be one of their scores.
func At(rows []Scored, threshold float64) Candidate {
	c := Candidate{Threshold: threshold}
	positives, negatives, effectiveNegatives := classWeights(rows)
	var hit, alarm, squares float64
	for _, r := range rows {
		if !(r.Score >= threshold) {
			continue
		}
		c.Fired++
		squares += r.EffectiveWeight() * r.EffectiveWeight()
		if r.Positive {
			hit += r.EffectiveWeight()
		} else {
			alarm += r.EffectiveWeight()
		}
	}
	c.Precision = Ratio(hit, hit+alarm)
	c.Recall, c.FalseAlarms = Ratio(hit, positives), Ratio(alarm, negatives)
	_, c.FalseAlarmsHigh = Wilson(c.FalseAlarms, effectiveNegatives)
	if squares > 0 {
		c.PrecisionLow, _ = Wilson(c.Precision, (hit+alarm)*(hit+alarm)/squares)
	}
	return c
}

// AUROC is the probability that a positive row scores above a negative one, with ties counted half. It ignores weights
// and is NaN unless both labels occur.
func AUROC(rows []Scored) float64 {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Scored) int { return cmp.Compare(a.Score, b.Score) })
	var pairs, negativesBelow, positives float64
	for i := 0; i < len(rows); {
		var tiedPositives, tiedNegatives float64
		j := i
		for ; j < len(rows) && rows[j].Score == rows[i].Score; j++ {
			if rows[j].Positive {
				tiedPositives++
			} else {
				tiedNegatives++
			}
		}
		pairs += tiedPositives * (negativesBelow + tiedNegatives/2)
		positives += tiedPositives
		negativesBelow += tiedNegatives
		i = j
	}
	if positives == 0 || negativesBelow == 0 {
		return math.NaN()
	}
	return pairs / (positives * negativesBelow)
}

// Wilson is the 95 % interval of a share seen in n trials (Wilson, 1927); 0 to 1 without trials.
func Wilson(share, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // 97.5 % quantile of the normal distribution
	centre := share + z*z/(2*n)
	half := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-half)/scale), min(1, (centre+half)/scale)
}

// JeffreysLow is the lower end of the 95 % interval of a share seen in n trials that is the posterior of Jeffreys' prior (Brown,
// Cai and DasGupta, 2001); 0 without hits or trials. It is less often too high than Wilson's, most of all after one or two hits.
func JeffreysLow(share, n float64) float64 {
	hits := share * n
	if !(hits > 0) || math.IsInf(n, 0) {
		return 0
	}
	return mathext.InvRegIncBeta(hits+0.5, max(0, n-hits)+0.5, 0.025)
}

// BetaQuantile is the value below which a share p of the beta distribution lies; a or b of 0 puts all of it at 0 or 1.
func BetaQuantile(a, b, p float64) float64 {
	switch {
	case !(a > 0):
		return 0
	case !(b > 0):
		return 1
	}
	return mathext.InvRegIncBeta(a, b, p)
}

// Ratio is part/whole, or 0 where whole is 0.
func Ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
