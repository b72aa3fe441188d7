package calibration

import (
	"strings"

	"confab/detectors"
	"confab/detectors/confidence"
)

var (
	_ detectors.Thresholds = (*Calibration)(nil)
	_ confidence.Stated    = (*Calibration)(nil)
)

// ThresholdKey is what a threshold holds for. An empty tenant, operation or model stands for any.
type ThresholdKey = detectors.ThresholdKey

// Key is what the threshold holds for.
func (t *Threshold) Key() ThresholdKey {
	return ThresholdKey{Detector: t.Detector, Tenant: t.Tenant, Operation: t.Operation, Model: t.Model}
}

type thresholdLimit struct {
	at        float64
	armed     bool
	precision float64 // measured, lower end; 0 if unknown
}

// thresholdTable holds the thresholds of a file by key.
type thresholdTable map[ThresholdKey]thresholdLimit

func indexThresholds(rows []Threshold) thresholdTable {
	table := make(thresholdTable, len(rows))
	for i := range rows {
		limit := thresholdLimit{at: rows[i].Threshold, armed: rows[i].Armed}
		if rows[i].N >= minMeasured {
			limit.precision = rows[i].PrecisionLow
		}
		table[rows[i].Key()] = limit
	}
	return table
}

// limit is the limit under the most specific key; the zero value without one.
func (t thresholdTable) limit(full ThresholdKey) thresholdLimit {
	for _, tenant := range [...]string{full.Tenant, ""} {
		for _, operation := range [...]string{full.Operation, ""} {
			for _, model := range [...]string{full.Model, ""} {
				if l, found := t[ThresholdKey{Detector: full.Detector, Tenant: tenant, Operation: operation, Model: model}]; found {
					return l
				}
			}
		}
	}
	return thresholdLimit{}
}

// Threshold is the limit under the most specific key. A key that names the tenant is more specific than one that does
// not, whatever else they name; then one that names the operation, then one that names the model. A key that is not
// armed ends the search. It does not allocate.
func (c *Calibration) Threshold(detector, tenant, operation, model string) (at float64, armed bool) {
	l := c.thresholds.limit(ThresholdKey{Detector: detector, Tenant: tenant, Operation: operation, Model: model})
	return l.at, l.armed
}

// Has reports whether there is a threshold under exactly this key.
func (c *Calibration) Has(key ThresholdKey) bool {
	_, has := c.thresholds[key]
	return has
}

// CanFire reports whether a threshold of the detector is armed for the tenant, for any operation, model and basis of its score.
func (c *Calibration) CanFire(detector, tenant string) bool {
	for key := range c.thresholds {
		if name, _, _ := strings.Cut(key.Detector, "."); name != detector || key.Tenant != "" && key.Tenant != tenant {
			continue
		}
		if _, armed := c.Threshold(key.Detector, tenant, key.Operation, key.Model); armed {
			return true
		}
	}
	return false
}

type baselineKey struct{ model, operation string }

func indexBaselines(rows []Baseline) map[baselineKey]*confidence.Baseline {
	table := make(map[baselineKey]*confidence.Baseline, len(rows))
	for i := range rows {
		table[baselineKey{rows[i].Model, rows[i].Operation}] = &rows[i].Baseline
	}
	return table
}

// Baseline is the baseline of the model for the operation, else for any; nil without one. It does not allocate.
func (c *Calibration) Baseline(model, operation string) *confidence.Baseline {
	if b := c.baselines[baselineKey{model, operation}]; b != nil {
		return b
	}
	return c.baselines[baselineKey{model, ""}]
}
