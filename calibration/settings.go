package calibration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WithThresholds returns the calibration with these limits, by detector: each arms its detector for every tenant, operation,
// model and basis of the score. All else stays.
func (c *Calibration) WithThresholds(limits map[string]float64) (*Calibration, error) {
	if len(limits) == 0 {
		return c, nil
	}
	isSet := func(detector string) (at float64, set bool) {
		name, _, _ := strings.Cut(detector, ".")
		at, set = limits[name]
		return at, set
	}
	next := *c
	next.thresholds = ThresholdTable{}
	for key, limit := range c.thresholds {
		if at, set := isSet(key.Detector); set {
			key, limit = ThresholdKey{Detector: key.Detector}, thresholdLimit{at: at, armed: true}
		}
		next.thresholds[key] = limit
	}
	next.file.Thresholds = slices.DeleteFunc(slices.Clone(c.file.Thresholds), func(t Threshold) bool {
		_, set := isSet(t.Detector)
		return set
	})
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if at := limits[name]; !(at > 0 && at <= 1) {
			return nil, fmt.Errorf("threshold of %s: %v: write a number above 0, at most 1", name, at)
		}
		next.thresholds[ThresholdKey{Detector: name}] = thresholdLimit{at: limits[name], armed: true}
	}
	for _, key := range slices.SortedFunc(maps.Keys(next.thresholds), func(a, b ThresholdKey) int { return strings.Compare(a.Detector, b.Detector) }) {
		if at, set := isSet(key.Detector); set {
			next.file.Thresholds = append(next.file.Thresholds, Threshold{Detector: key.Detector, Threshold: at, Armed: true})
		}
	}
	return &next, nil
}
