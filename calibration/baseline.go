package calibration

import (
	"math"
	"slices"

	"confab/detectors/confidence"
)

// checkStatistic reports an unknown statistic and one whose numbers the baseline lacks.
func (v *validator) checkStatistic(field string, b *Baseline) {
	if m := b.MinLogprobMean; !(m <= 0) || math.IsInf(m, -1) {
		v.report(field+".min_logprob_mean", "%v is not a log-probability: write a finite number of nats, 0 or less", m)
	}
	if b.Statistic != "" && !slices.Contains(confidence.Statistics(), b.Statistic) {
		v.report(field+".statistic", "%q is not one of peak, mean, min_logprob, combined, or empty for peak", b.Statistic)
	}
	lowest := b.Statistic == confidence.StatisticMinLogprob || b.Statistic == confidence.StatisticCombined
	if lowest && b.MinLogprobStdev == 0 {
		v.report(field+".statistic", "%s needs min_logprob_mean and min_logprob_stdev: calibrate again, or leave the statistic out", b.Statistic)
	}
}
