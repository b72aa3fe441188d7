package thresholds

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
	"confab/detectors/confidence"
)

// MinBaselineAnswers is the least number of good answers of a baseline.
const MinBaselineAnswers = 20

// UnfittedKey is a model, operation and temperature band with too few good answers for a baseline.
type UnfittedKey struct {
	Model, Operation string
	Band             calibration.Band
	N                int
}

type answerKey struct {
	model, operation string
	band             calibration.Band
}

// FitBaselines describes the token uncertainty of good answers: one baseline for each model, operation and temperature band with
// at least minRows of them (0 takes MinBaselineAnswers), and coarser ones where they pool more than the finer ones. Rows
// labelled as bad only choose the statistic. Rows without token probabilities are ignored. The second result lists the
// keys with too few answers.
func FitBaselines(rows []measure.Row, minRows int) ([]calibration.Baseline, []UnfittedKey) {
	minRows = cmp.Or(minRows, MinBaselineAnswers)
	good, keys := answersByKey(rows, false)
	bad, _ := answersByKey(rows, true)
	var fitted []calibration.Baseline
	var unfitted []UnfittedKey
	for _, key := range keys {
		n := len(good[key])
		pools, echoes := key.finerKeys(good)
		switch {
		case echoes:
		case n >= minRows:
			slices.SortFunc(good[key], compareUncertainties)
			b := confidence.FitBaseline(good[key])
			b.Statistic = chooseStatistic(b, good[key], bad[key])
			fitted = append(fitted, newBaseline(key.model, key.operation, key.band, b))
		case !pools:
			unfitted = append(unfitted, UnfittedKey{Model: key.model, Operation: key.operation, Band: key.band, N: n})
		}
	}
	return fitted, unfitted
}

// answersByKey groups the uncertainties of the answers with that label by key; keys are sorted.
func answersByKey(rows []measure.Row, positive bool) (answers map[answerKey][]confidence.Uncertainty, keys []answerKey) {
	answers = map[answerKey][]confidence.Uncertainty{}
	for i := range rows {
		r := &rows[i]
		if r.Positive != positive || r.Uncertainty.Tokens == 0 || r.Model == "" {
			continue
		}
		for _, key := range answerKeys(r.Model, r.Operation, calibration.BandOf(r.Temperature)) {
			if answers[key] == nil {
				keys = append(keys, key)
			}
			answers[key] = append(answers[key], r.Uncertainty)
		}
	}
	slices.SortFunc(keys, func(a, b answerKey) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.operation, b.operation), cmp.Compare(a.band, b.band))
	})
	return answers, keys
}

// answerKeys are the keys that an answer counts for, each once.
func answerKeys(model, operation string, band calibration.Band) []answerKey {
	keys := []answerKey{{model, operation, band}, {model, operation, calibration.AnyBand}}
	if operation != "" {
		keys = append(keys, answerKey{model, "", band}, answerKey{model, "", calibration.AnyBand})
	}
	return keys
}

// finerKeys reports whether there are finer keys than this one, and whether one of them holds the same answers.
func (key answerKey) finerKeys(good map[answerKey][]confidence.Uncertainty) (some, same bool) {
	for other, answers := range good {
		if other != key && other.model == key.model && (key.operation == "" || other.operation == key.operation) &&
			(key.band == calibration.AnyBand || other.band == key.band) {
			some = true
			same = same || len(answers) == len(good[key])
		}
	}
	return some, same
}

// compareUncertainties makes sums independent of the order of the answers.
func compareUncertainties(a, b confidence.Uncertainty) int {
	return cmp.Or(cmp.Compare(a.Peak, b.Peak), cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.MinLogprob, b.MinLogprob))
}

// newBaseline is the row of the calibration file for a fitted baseline, in thousandths of a nat.
func newBaseline(model, operation string, band calibration.Band, b confidence.Baseline) calibration.Baseline {
	for _, x := range [...]*float64{
		&b.Mean, &b.Stdev, &b.Median, &b.MAD, &b.PeakMean, &b.PeakStdev, &b.PeakMedian, &b.PeakMAD, &b.MinLogprobMean, &b.MinLogprobStdev,
	} {
		*x = math.Round(*x*1000) / 1000
	}
	return calibration.Baseline{Model: model, Operation: operation, TemperatureBand: band, Baseline: b}
}

const (
	minStatisticRows = 20   // answers of each label that a choice needs
	minAUROCGain     = 0.01 // a smaller gain of AUROC is noise
)

// chooseStatistic is the statistic by which the baseline ranks bad answers above good ones best. It is the peak, the
// best on public data, unless another gains 0.01 AUROC on at least 20 answers of each label.
func chooseStatistic(b confidence.Baseline, good, bad []confidence.Uncertainty) confidence.Statistic {
	best, highest := confidence.StatisticPeak, 0.0
	for _, s := range confidence.Statistics() {
		var rows []roc.Scored
		n := [2]int{}
		for label, list := range [][]confidence.Uncertainty{good, bad} {
			for _, u := range list {
				if z, ok := b.Z(u, s); ok && u.Tokens > 0 {
					rows = append(rows, roc.Scored{Score: z, Positive: label == 1})
					n[label]++
				}
			}
		}
		if min(n[0], n[1]) < minStatisticRows {
			continue
		}
		a := roc.AUROC(rows)
		if s == confidence.StatisticPeak {
			a += minAUROCGain
		}
		if a > highest {
			best, highest = s, a
		}
	}
	return best
}
