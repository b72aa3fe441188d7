package confidence

// Statistic names the number of an answer that is compared with its baseline.
type Statistic string

// The statistics. The empty one is the peak, which ranks wrong answers best (confidence.golden).
const (
	StatisticPeak Statistic = "peak" // the highest token entropy
	StatisticMean Statistic = "mean" // the mean token entropy
)

// Baseline is the token uncertainty of usual answers that a calibration states: means and standard deviations in nats.
type Baseline struct {
	Mean      float64 `yaml:"mean" required:"true"` // of the mean token entropy of an answer
	Stdev     float64 `yaml:"stdev" required:"true"`
	PeakMean  float64 `yaml:"peak_mean" required:"true"` // of the largest token entropy of an answer
	PeakStdev float64 `yaml:"peak_stdev" required:"true"`
	N         int     `yaml:"n" required:"true"` // answers

	Statistic Statistic `yaml:"statistic,omitempty"` // the one that is scored; empty is the peak
}

// Z returns how many standard deviations the answer is above the mean, by the baseline's statistic. ok is false when the
// standard deviation is 0.
func (b *Baseline) Z(u Uncertainty) (z float64, ok bool) {
	if b.Statistic == StatisticMean {
		return zScore(u.Mean, b.Mean, b.Stdev)
	}
	return zScore(u.Peak, b.PeakMean, b.PeakStdev)
}

func zScore(x, mean, stdev float64) (z float64, ok bool) {
	z = (x - mean) / stdev
	return z, stdev > 0 && z-z == 0
}
