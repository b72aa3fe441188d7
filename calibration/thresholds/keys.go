package thresholds

import (
	"cmp"
	"slices"
	"strings"

	"confab/calibration"
)

// coversAll reports whether the key stands for every tenant, operation and model.
func coversAll(k calibration.ThresholdKey) bool {
	return k == calibration.ThresholdKey{Detector: k.Detector}
}

// keysFrom are the key itself and all coarser ones, the coarsest first, each once.
func keysFrom(k calibration.ThresholdKey) []calibration.ThresholdKey {
	keys := []calibration.ThresholdKey{{Detector: k.Detector}}
	for _, name := range []func(*calibration.ThresholdKey){
		func(to *calibration.ThresholdKey) { to.Model = k.Model },
		func(to *calibration.ThresholdKey) { to.Operation = k.Operation },
		func(to *calibration.ThresholdKey) { to.Tenant = k.Tenant },
	} {
		for _, key := range slices.Clone(keys) {
			if name(&key); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func compareKeys(a, b calibration.ThresholdKey) int {
	return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Model, b.Model))
}

// KeyName describes for people what a key stands for.
func KeyName(k calibration.ThresholdKey) string {
	var names []string
	if k.Tenant != "" {
		names = append(names, k.Tenant+" (tenant)")
	}
	if k.Operation != "" {
		names = append(names, k.Operation)
	}
	if k.Model != "" {
		names = append(names, k.Model+" (model)")
	}
	return cmp.Or(strings.Join(names, ", "), "any")
}
