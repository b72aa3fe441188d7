package quality

import (
	"math"
	"math/rand/v2"
	"slices"
)

// intervals are 95 % intervals: percentiles over resamples of whole groups, because rows that share a source are not
// independent.
//
// Source: Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979; clusters as in Davison and Hinkley, "Bootstrap
// Methods and their Application", 1997, 3.8.
func (s *rankedRows) intervals(resamples int, seed uint64) (low, high metricValues) {
	drawn := make([][]float64, metrics)
	resampleGroups(s.groups, resamples, seed, func(w rowWeights) {
		for m, x := range s.figures(w) {
			if !math.IsNaN(x) {
				drawn[m] = append(drawn[m], x)
			}
		}
	})
	for m, xs := range drawn {
		low[m], high[m] = math.NaN(), math.NaN()
		if len(xs) > 0 && 2*len(xs) >= resamples { // else most resamples leave it undefined
			slices.Sort(xs)
			low[m], high[m] = percentile(xs, 0.025), percentile(xs, 0.975)
		}
	}
	return low, high
}

// resampleGroups calls each with the weights of every resample: how often each group was drawn. The weights are reused.
func resampleGroups(groups, resamples int, seed uint64, each func(rowWeights)) {
	if groups < 2 {
		return
	}
	random := rand.New(rand.NewPCG(seed, uint64(groups)))
	times := make([]float64, groups)
	for range resamples {
		clear(times)
		for range groups {
			times[random.IntN(groups)]++
		}
		each(times)
	}
}

// percentile interpolates between sorted values.
func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
