package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/detectors"
)

// measured is the baseline as the detector reads it.
func (b *Baseline) measured() *detectors.Baseline {
	return &detectors.Baseline{
		Mean: b.Mean, Stdev: b.Stdev, Median: b.Median, MAD: b.MAD,
		PeakMean: b.PeakMean, PeakStdev: b.PeakStdev, PeakMedian: b.PeakMedian, PeakMAD: b.PeakMAD,
		MinLogprobMean: b.MinLogprobMean, MinLogprobStdev: b.MinLogprobStdev, Statistic: b.Statistic, N: b.N,
	}
}

// NewBaseline is the row of a file for a fitted baseline, in thousandths of a nat.
func NewBaseline(model, operation string, band Band, b detectors.Baseline) Baseline {
	r := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	return Baseline{
		Model: model, Operation: operation, TemperatureBand: band,
		Mean: r(b.Mean), Stdev: r(b.Stdev), Median: r(b.Median), MAD: r(b.MAD),
		PeakMean: r(b.PeakMean), PeakStdev: r(b.PeakStdev), PeakMedian: r(b.PeakMedian), PeakMAD: r(b.PeakMAD),
		MinLogprobMean: r(b.MinLogprobMean), MinLogprobStdev: r(b.MinLogprobStdev), Statistic: b.Statistic, N: b.N,
	}
}

// How a statistic other than the default is chosen.
const (
	minStatisticRows = 20   // answers of each label that a choice rests on
	worthSwitching   = 0.01 // of AUROC: less is noise
)

// ChooseStatistic is the statistic by which the baseline ranks the bad answers above the good ones best. It is the peak
// unless another is better by a hundredth of AUROC on twenty answers of each label at least; without bad answers nothing
// can be said, and the peak is what ranked best on public data.
func ChooseStatistic(b detectors.Baseline, good, bad []detectors.Uncertainty) detectors.Statistic {
	best, highest := detectors.StatisticPeak, 0.0
	for _, s := range detectors.Statistics() {
		var rows []Scored
		n := [2]int{}
		for label, list := range [][]detectors.Uncertainty{good, bad} {
			for _, u := range list {
				if z, ok := b.Z(u, s); ok && u.Tokens > 0 {
					rows = append(rows, Scored{Score: z, Positive: label == 1})
					n[label]++
				}
			}
		}
		if min(n[0], n[1]) < minStatisticRows {
			continue
		}
		a := AUROC(rows)
		if s == detectors.StatisticPeak {
			a += worthSwitching
		}
		if a > highest {
			best, highest = s, a
		}
	}
	return best
}

// statistic wants a known one that the baseline has the numbers of.
func (v *validator) statistic(field string, b *Baseline) {
	if m := b.MinLogprobMean; !(m <= 0) || math.IsInf(m, -1) {
		v.report(field+".min_logprob_mean", "%v is no logarithm of a probability: want a finite number of nats, 0 or less", m)
	}
	if b.Statistic != "" && !slices.Contains(detectors.Statistics(), b.Statistic) {
		v.report(field+".statistic", "%q is none of %s, or empty for peak", b.Statistic, statisticNames())
	}
	lowest := b.Statistic == detectors.StatisticMinLogprob || b.Statistic == detectors.StatisticCombined
	if lowest && b.MinLogprobStdev == 0 {
		v.report(field+".statistic", "%s needs min_logprob_mean and min_logprob_stdev: calibrate again, or leave the statistic out", b.Statistic)
	}
}

func statisticNames() string {
	names := make([]string, 0, len(detectors.Statistics()))
	for _, s := range detectors.Statistics() {
		names = append(names, fmt.Sprint(s))
	}
	return strings.Join(names, ", ")
}
