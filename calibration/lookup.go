package calibration

import (
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

// ThresholdKey is what a threshold holds for. An empty tenant or operation stands for any.
type ThresholdKey = detectors.ThresholdKey

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
	for _, t := range rows {
		limit := thresholdLimit{at: t.Threshold, armed: t.Armed}
		if t.N >= minMeasured {
			limit.precision = t.PrecisionLow
		}
		table[ThresholdKey{Detector: t.Detector, Tenant: t.Tenant, Operation: t.Operation}] = limit
	}
	return table
}

// Threshold is the limit under the most specific key: tenant and operation, then the tenant, then the operation, then
// any. A key that is not armed ends the search. It does not allocate.
func (t ThresholdTable) Threshold(detector, tenant, operation string) (at float64, armed bool) {
	l := t.limit(ThresholdKey{Detector: detector, Tenant: tenant, Operation: operation})
	return l.at, l.armed
}

// limit is the limit under the most specific key; the zero value without one.
func (t ThresholdTable) limit(key ThresholdKey) thresholdLimit {
	for _, coarser := range [...]ThresholdKey{
		key,
		{Detector: key.Detector, Tenant: key.Tenant},
		{Detector: key.Detector, Operation: key.Operation},
		{Detector: key.Detector},
	} {
		if l, found := t[coarser]; found {
			return l
		}
	}
	return thresholdLimit{}
}

// Threshold is the limit under the most specific key, as in the file. It does not allocate.
func (c *Calibration) Threshold(detector, tenant, operation string) (at float64, armed bool) {
	return c.thresholds.Threshold(detector, tenant, operation)
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
	for _, b := range rows {
		table.operations[b.Operation] = struct{}{}
		table.rows[baselineKey{b.Model, b.Operation, b.TemperatureBand}] = b.detectorBaseline()
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
