package quality

import (
	"encoding/json"
	"math"
	"slices"
)

// Metric is a quality metric.
type Metric int

// The metrics. Measured rows are those that the detector could check. Those that end in All, and those of alerts at a base
// rate, include the others, as rows that score lowest and never fire.
const (
	AUROC            Metric = iota // probability that a faulty answer scores above a good one, ties counting half
	AveragePrecision               // mean precision over the faulty answers by falling score; ties are one step
	F1                             // at the threshold in force
	BestF1                         // at the best threshold for these rows
	RecallAtHalf                   // share of the faulty that fires where at most 0.5 % of the good do
	RecallAtOne                    // likewise 1 %
	RecallAtFive                   // likewise 5 %
	Precision                      // share of the faulty among what fires
	Recall                         // share of the faulty that fires
	FalseAlarms                    // share of the good that fires
	CalibrationError               // expected calibration error: ten bins of equal width
	RecallAll
	AlertsAtOne     // of 1,000 answers how many alert if 1 % of them are faulty; not a share
	AlertsAtFive    // likewise 5 %
	AlertsAtTwenty  // likewise 20 %
	PrecisionAtOne  // share of the faulty among what alerts if 1 % of the answers are faulty
	PrecisionAtFive // likewise 5 %
	PrecisionAtTwenty
	metrics
)

// trafficBaseRates are the shares of faulty answers that alerts are stated for, in the order of their metrics.
func trafficBaseRates() [3]float64 { return [3]float64{0.01, 0.05, 0.2} }

// allowedAlarms are the shares of good answers that recall is stated at, in the order of its metrics.
func allowedAlarms() [3]float64 { return [3]float64{0.005, 0.01, 0.05} }

// metricNames are the names in files.
//
//nolint:gochecknoglobals // a read-only table
var metricNames = [metrics]string{
	"auroc", "average_precision", "f1", "best_f1", "recall_at_05", "recall_at_1", "recall_at_5", "precision", "recall", "false_alarms",
	"calibration_error", "recall_all",
	"alerts_per_1000_at_1", "alerts_per_1000_at_5", "alerts_per_1000_at_20", "precision_at_1", "precision_at_5", "precision_at_20",
}

func (m Metric) String() string { return metricNames[m] }

// Metrics are all metrics, in the order of reports.
func Metrics() []Metric {
	all := make([]Metric, metrics)
	for i := range all {
		all[i] = Metric(i)
	}
	return all
}

// MoreIsBetter reports whether the metric is a share that is better the higher it is.
func (m Metric) MoreIsBetter() bool {
	return m != FalseAlarms && m != CalibrationError && !m.isNumber()
}

// isNumber reports whether the metric is a number of answers instead of a share.
func (m Metric) isNumber() bool { return m >= AlertsAtOne && m <= AlertsAtTwenty }

// MetricOf returns the metric of a name.
func MetricOf(name string) (Metric, bool) {
	i := slices.Index(metricNames[:], name)
	return Metric(i), i >= 0
}

// Figure is a value with its 95 % interval. Undefined values and interval ends are NaN.
type Figure struct{ Value, Low, High float64 }

func undefined() Figure { return Figure{math.NaN(), math.NaN(), math.NaN()} }

// Defined reports whether there is a value.
func (f Figure) Defined() bool { return !math.IsNaN(f.Value) }

// MarshalJSON writes {"value", "low", "high"}; what is undefined is null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(struct {
		Value float64  `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
	}{roundFigure(f.Value), finiteOrNil(f.Low), finiteOrNil(f.High)})
}

func finiteOrNil(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x = roundFigure(x)
	return &x
}

// roundFigure rounds to five digits.
func roundFigure(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// metricValues holds one number per metric, NaN where undefined.
type metricValues [metrics]float64
