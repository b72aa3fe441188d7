package confidence

import (
	"math"
	"slices"

	"confab/detectors"
)

// Statistic is which number of an answer is held against its baseline.
type Statistic string

// The statistics. An empty one stands for the peak, which ranks wrong answers best (testdata/confidence.golden).
const (
	StatisticPeak       Statistic = "peak"        // the highest token entropy
	StatisticMean       Statistic = "mean"        // the mean token entropy
	StatisticMinLogprob Statistic = "min_logprob" // the lowest logprob of a chosen token
	StatisticCombined   Statistic = "combined"    // the mean of the peak's z and the lowest logprob's
)

// Statistics are all of them, the default first.
func Statistics() []Statistic {
	return []Statistic{StatisticPeak, StatisticMean, StatisticMinLogprob, StatisticCombined}
}

// Baseline describes the token uncertainty of answers known to be good: of each number the mean and the standard
// deviation, of the entropies also the median and the median absolute deviation, which a few odd answers cannot move.
type Baseline struct {
	Mean, Stdev float64 // of the mean token entropy of an answer, nats
	Median, MAD float64
	PeakMean    float64 // of the largest token entropy of an answer, nats
	PeakStdev   float64
	PeakMedian  float64
	PeakMAD     float64

	MinLogprobMean  float64 // of the lowest logprob of a chosen token, nats
	MinLogprobStdev float64

	Statistic Statistic // what is judged; empty is the peak
	N         int       // answers
}

// Z is how many standard deviations the answer is more uncertain than good ones are, by the statistic; ok is false when
// the baseline has no spread of it.
func (b *Baseline) Z(u Uncertainty, by Statistic) (z float64, ok bool) {
	switch by {
	case StatisticMean:
		return zScore(u.Mean, b.Mean, b.Stdev)
	case StatisticMinLogprob:
		return zScore(-u.MinLogprob, -b.MinLogprobMean, b.MinLogprobStdev)
	case StatisticCombined:
		peak, known := b.Z(u, StatisticPeak)
		lowest, ok := b.Z(u, StatisticMinLogprob)
		return (peak + lowest) / 2, known && ok
	default:
		return zScore(u.Peak, b.PeakMean, b.PeakStdev)
	}
}

// RobustZ is the peak's distance from the median of good answers, in units of 1.4826 median absolute deviations, which
// are a standard deviation where the numbers are normal (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993).
func (b *Baseline) RobustZ(u Uncertainty) (z float64, ok bool) {
	const normal = 1.4826
	return zScore(u.Peak, b.PeakMedian, normal*b.PeakMAD)
}

// appendZ appends the z of each statistic that the baseline has a spread of.
func (b *Baseline) appendZ(m []detectors.Measure, u Uncertainty) []detectors.Measure {
	add := func(name string, z float64, ok bool) {
		if ok {
			m = append(m, detectors.Measure{Name: name, Value: z})
		}
	}
	mean, ok := b.Z(u, StatisticMean)
	add("mean_z", mean, ok)
	peak, ok := b.Z(u, StatisticPeak)
	add("peak_z", peak, ok)
	lowest, ok := b.Z(u, StatisticMinLogprob)
	add("min_logprob_z", lowest, ok)
	robust, ok := b.RobustZ(u)
	add("robust_z", robust, ok)
	return m
}

func zScore(x, mean, stdev float64) (z float64, ok bool) {
	z = (x - mean) / stdev
	return z, stdev > 0 && z-z == 0
}

// FitBaseline describes what a model's uncertainty usually is from answers that are known to be good, all of one model,
// operation and temperature band. It counts those with tokens only; N 0 says that there were none, and one answer has no
// spread. The statistic stays the default: which is best takes bad answers too.
func FitBaseline(good []Uncertainty) Baseline {
	var means, peaks, lowest []float64
	for _, u := range good {
		if u.Tokens > 0 {
			means, peaks, lowest = append(means, u.Mean), append(peaks, u.Peak), append(lowest, u.MinLogprob)
		}
	}
	b := Baseline{N: len(means)}
	if b.N == 0 {
		return b
	}
	b.Mean, b.Stdev = meanStdev(means)
	b.PeakMean, b.PeakStdev = meanStdev(peaks)
	b.MinLogprobMean, b.MinLogprobStdev = meanStdev(lowest)
	b.Median, b.MAD = medianMAD(means)
	b.PeakMedian, b.PeakMAD = medianMAD(peaks)
	return b
}

// meanStdev is the mean and the sample standard deviation (n - 1).
func meanStdev(v []float64) (mean, stdev float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	if len(v) < 2 {
		return mean, 0
	}
	for _, x := range v {
		stdev += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(stdev / float64(len(v)-1))
}

// medianMAD is the median and the median absolute deviation from it. It uses v up.
func medianMAD(v []float64) (middle, mad float64) {
	middle = median(v)
	for i, x := range v {
		v[i] = math.Abs(x - middle)
	}
	return middle, median(v)
}

// median sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
