package calibration

import (
	"cmp"
	"slices"

	"confab/detectors"
)

// MinBaseline is how many good answers a baseline rests on at least.
const MinBaseline = 20

// FitBaselines describes the token uncertainty of good answers, one baseline for each model, operation and temperature
// band with at least minRows of them (0 takes MinBaseline), and coarser ones where they pool more than the finer do.
// Rows labelled as bad choose the statistic only, where there are enough of them; rows without token probabilities are not
// read. The second result names what had too few.
func FitBaselines(rows []Row, minRows int) ([]Baseline, []UnfittedKey) {
	orDefault(&minRows, MinBaseline)
	good, keys := answersByKey(rows, false)
	bad, _ := answersByKey(rows, true)
	var fitted []Baseline
	var unfitted []UnfittedKey
	for _, key := range keys {
		n := len(good[key])
		pools, echoes := key.finer(good)
		switch {
		case echoes:
		case n >= minRows:
			slices.SortFunc(good[key], compareUncertainties)
			b := detectors.FitBaseline(good[key])
			b.Statistic = ChooseStatistic(b, good[key], bad[key])
			fitted = append(fitted, NewBaseline(key.model, key.operation, key.band, b))
		case !pools:
			unfitted = append(unfitted, UnfittedKey{Model: key.model, Operation: key.operation, Band: key.band, N: n})
		}
	}
	return fitted, unfitted
}

// answersByKey are the uncertainties of the answers of one label under every key that they count for, and the keys in order.
func answersByKey(rows []Row, positive bool) (answers map[baselineKey][]detectors.Uncertainty, keys []baselineKey) {
	answers = map[baselineKey][]detectors.Uncertainty{}
	for i := range rows {
		r := &rows[i]
		if r.Positive != positive || r.Uncertainty.Tokens == 0 || r.Model == "" {
			continue
		}
		for _, key := range baselineKeys(r.Model, r.Operation, BandOf(r.Temperature)) {
			if answers[key] == nil {
				keys = append(keys, key)
			}
			answers[key] = append(answers[key], r.Uncertainty)
		}
	}
	slices.SortFunc(keys, func(a, b baselineKey) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.operation, b.operation), cmp.Compare(a.band, b.band))
	})
	return answers, keys
}

// baselineKeys are the keys that an answer counts for, without repeats.
func baselineKeys(model, operation string, band Band) []baselineKey {
	keys := []baselineKey{{model, operation, band}, {model, operation, AnyBand}}
	if operation != "" {
		keys = append(keys, baselineKey{model, "", band}, baselineKey{model, "", AnyBand})
	}
	return keys
}

// finer reports whether there are finer keys than this one, and whether one of them holds the very answers of this one,
// which then says nothing more.
func (key baselineKey) finer(good map[baselineKey][]detectors.Uncertainty) (some, same bool) {
	for other, answers := range good {
		if other != key && other.model == key.model && (key.operation == "" || other.operation == key.operation) &&
			(key.band == AnyBand || other.band == key.band) {
			some = true
			same = same || len(answers) == len(good[key])
		}
	}
	return some, same
}

// compareUncertainties puts answers into an order of their own: sums then do not depend on the order they came in.
func compareUncertainties(a, b detectors.Uncertainty) int {
	return cmp.Or(cmp.Compare(a.Peak, b.Peak), cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.MinLogprob, b.MinLogprob))
}
