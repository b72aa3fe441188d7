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
	f, all := c.file, maps.Clone(limits)
	for key := range c.thresholds {
		if at, set := isSet(key.Detector); set {
			all[key.Detector] = at
		}
	}
	f.Thresholds = slices.DeleteFunc(slices.Clone(f.Thresholds), func(t Threshold) bool {
		_, set := isSet(t.Detector)
		return set
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := all[name]
		if !(at > 0 && at <= 1) {
			return nil, fmt.Errorf("threshold of %s: %v: write a number above 0, at most 1", name, at)
		}
		f.Thresholds = append(f.Thresholds, Threshold{Detector: name, Threshold: at, Armed: true})
	}
	next, err := New(f)
	if err == nil {
		next.models = c.models
	}
	return next, err
}
