package calibration

import (
	"strings"

	"confab/detectors"
	"confab/detectors/confidence"
)

// Band is a range of sampling temperatures that share a baseline.
type Band string

// The temperature bands. AnyBand is the key that holds for every temperature.
const (
	AnyBand     Band = ""
	BandUnknown Band = "unknown" // not reported
	BandZero    Band = "zero"    // 0: greedy
	BandLow     Band = "low"     // above 0, up to 0.5
	BandMedium  Band = "medium"  // above 0.5, up to 1
	BandHigh    Band = "high"    // above 1
)

// BandOf is the band of a sampling temperature.
func BandOf(temperature float64) Band {
	switch {
	case temperature == 0:
		return BandZero
	case temperature > 1:
		return BandHigh
	case temperature > 0.5:
		return BandMedium
	case temperature > 0:
		return BandLow
	default: // negative or NaN
		return BandUnknown
	}
}

func (b Band) isKnown() bool {
	switch b {
	case AnyBand, BandUnknown, BandZero, BandLow, BandMedium, BandHigh:
		return true
	default:
		return false
	}
}

var (
	_ detectors.Thresholds = (*Calibration)(nil)
	_ confidence.Baselines = (*Calibration)(nil)
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

// ThresholdTable holds the thresholds of a file by key. It implements detectors.Thresholds.
type ThresholdTable map[ThresholdKey]thresholdLimit

// NewThresholdTable indexes the rows by key.
func NewThresholdTable(rows []Threshold) ThresholdTable {
	table := make(ThresholdTable, len(rows))
	for i := range rows {
		limit := thresholdLimit{at: rows[i].Threshold, armed: rows[i].Armed}
		if rows[i].N >= minMeasured {
			limit.precision = rows[i].PrecisionLow
		}
		table[rows[i].Key()] = limit
	}
	return table
}

// Has reports whether the table has a threshold under exactly this key.
func (t ThresholdTable) Has(key ThresholdKey) bool {
	_, has := t[key]
	return has
}

// Threshold is the limit under the most specific key. A key that names the tenant is more specific than one that does
// not, whatever else they name; then one that names the operation, then one that names the model. A key that is not
// armed ends the search. It does not allocate.
func (t ThresholdTable) Threshold(detector, tenant, operation, model string) (at float64, armed bool) {
	l := t.limit(ThresholdKey{Detector: detector, Tenant: tenant, Operation: operation, Model: model})
	return l.at, l.armed
}

// limit is the limit under the most specific key; the zero value without one.
func (t ThresholdTable) limit(full ThresholdKey) thresholdLimit {
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

// Threshold is the limit under the most specific key, as in the file. It does not allocate.
func (c *Calibration) Threshold(detector, tenant, operation, model string) (at float64, armed bool) {
	return c.thresholds.Threshold(detector, tenant, operation, model)
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

// Thresholds are the thresholds by key. They must not be changed.
func (c *Calibration) Thresholds() ThresholdTable { return c.thresholds }

// The reasons that Baseline gives when a model has none.
const (
	NoBaseline    = "no baseline"
	StaleBaseline = "stale baseline"
)

type baselineKey struct {
	model, operation string
	band             Band
}

type baselineTable struct {
	rows       map[baselineKey]*confidence.Baseline
	operations map[string]struct{} // with a baseline of some model
}

func indexBaselines(rows []Baseline) baselineTable {
	table := baselineTable{
		rows:       make(map[baselineKey]*confidence.Baseline, len(rows)),
		operations: make(map[string]struct{}, len(rows)),
	}
	for i := range rows {
		b := &rows[i]
		table.operations[b.Operation] = struct{}{}
		table.rows[baselineKey{b.Model, b.Operation, b.TemperatureBand}] = &b.Baseline
	}
	return table
}

// Baseline is the baseline under the most specific key of that model: operation and band, then the operation, then the
// band, then any. Without one, why is StaleBaseline when baselines of other models cover the operation, as after a
// change of the model version, and NoBaseline otherwise. It does not allocate.
func (c *Calibration) Baseline(model, operation string, temperature float64) (b *confidence.Baseline, why string) {
	band := BandOf(temperature)
	for _, key := range [...]baselineKey{
		{model, operation, band},
		{model, operation, AnyBand},
		{model, "", band},
		{model, "", AnyBand},
	} {
		if b = c.baselines.rows[key]; b != nil {
			return b, ""
		}
	}
	if c.baselines.covers(operation) {
		return nil, StaleBaseline
	}
	return nil, NoBaseline
}

func (t baselineTable) covers(operation string) bool {
	_, every := t.operations[""]
	_, named := t.operations[operation]
	return every || named
}
