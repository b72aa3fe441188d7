package confidence

import (
	"math"
	"slices"

	"confab/detectors"
)

// Statistic names the number of an answer that is compared with its baseline.
type Statistic string

// The statistics. The empty one is the peak, which ranks wrong answers best (testdata/confidence.golden).
const (
	StatisticPeak       Statistic = "peak"        // the highest token entropy
	StatisticMean       Statistic = "mean"        // the mean token entropy
	StatisticMinLogprob Statistic = "min_logprob" // the lowest logprob of a chosen token
	StatisticCombined   Statistic = "combined"    // the mean of the peak's z and the lowest logprob's
)

// Statistics returns every statistic, the default first.
func Statistics() []Statistic {
	return []Statistic{StatisticPeak, StatisticMean, StatisticMinLogprob, StatisticCombined}
}

// Baseline describes the token uncertainty of answers known to be good: mean and standard deviation of each
// number, and for the entropies also median and median absolute deviation, which outliers do not move.
type Baseline struct {
	Mean            float64 `yaml:"mean" required:"true"` // of the mean token entropy of an answer, nats
	Stdev           float64 `yaml:"stdev" required:"true"`
	Median          float64 `yaml:"median"`
	MAD             float64 `yaml:"mad"`
	PeakMean        float64 `yaml:"peak_mean" required:"true"` // of the largest token entropy of an answer, nats
	PeakStdev       float64 `yaml:"peak_stdev" required:"true"`
	PeakMedian      float64 `yaml:"peak_median,omitempty"`
	PeakMAD         float64 `yaml:"peak_mad,omitempty"`
	MinLogprobMean  float64 `yaml:"min_logprob_mean,omitempty"` // of the lowest logprob of a chosen token, nats
	MinLogprobStdev float64 `yaml:"min_logprob_stdev,omitempty"`
	N               int     `yaml:"n" required:"true"` // answers

	Statistic Statistic `yaml:"statistic,omitempty"` // the one that is scored; empty is the peak
}

// Z returns how many standard deviations the answer is above the mean uncertainty of good answers, by the statistic. ok is
// false when the baseline's standard deviation of that statistic is 0.
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

// RobustZ returns the peak's distance from the median of good answers in units of 1.4826 median absolute deviations, which
// is one standard deviation of normally distributed numbers (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993).
func (b *Baseline) RobustZ(u Uncertainty) (z float64, ok bool) {
	const normal = 1.4826
	return zScore(u.Peak, b.PeakMedian, normal*b.PeakMAD)
}

// appendZ appends the z of each statistic whose standard deviation is above 0.
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

// FitBaseline computes a baseline from answers known to be good, all of one model, operation and temperature band. Answers
// without tokens are left out; N is 0 when none is left, and the deviations are 0 with one answer. Statistic stays empty:
// choosing it takes bad answers as well.
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

// meanStdev returns the mean and the sample standard deviation (n - 1).
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

// medianMAD returns the median and the median absolute deviation from it. It overwrites v.
func medianMAD(v []float64) (middle, mad float64) {
	middle = median(v)
	for i, x := range v {
		v[i] = math.Abs(x - middle)
	}
	return middle, median(v)
}

// median returns the median of v and sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
