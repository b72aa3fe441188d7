package llmeval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// AUROC is the probability that a wrong answer scores higher than a right one, with a 95 % interval.
type AUROC struct{ Value, Low, High float64 }

const resamples = 2000

// computeAUROC counts ties as half. It is NaN if all answers are right, or none. The interval has percentiles over
// answers drawn with replacement (Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979); the seed is fixed.
func computeAUROC(scores []float64, wrong []bool) AUROC {
	random := rand.New(rand.NewPCG(1, uint64(len(scores))))
	drawn := make([]int, len(scores))
	for i := range drawn {
		drawn[i] = i
	}
	out := AUROC{Value: rankProbability(scores, wrong, drawn)}
	var all []float64
	for range resamples {
		for i := range drawn {
			drawn[i] = random.IntN(len(scores))
		}
		if v := rankProbability(scores, wrong, drawn); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return AUROC{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(all)
	out.Low, out.High = all[len(all)*25/1000], all[len(all)*975/1000]
	return out
}

func rankProbability(scores []float64, wrong []bool, rows []int) float64 {
	won, pairs := 0.0, 0.0
	for _, i := range rows {
		for _, k := range rows {
			if !wrong[i] || wrong[k] {
				continue
			}
			pairs++
			switch {
			case scores[i] > scores[k]:
				won++
			case scores[i] == scores[k]:
				won += 0.5
			}
		}
	}
	return won / pairs
}
