package quality

import (
	"encoding/json"
	"math"
)

// Metric is a quality metric.
type Metric int

// The metrics are about the rows that the detector could measure. Answers without a risk have the lowest, and the rules
// "any", "two-or-more" and "alert" do not fire on what nobody could check: they are about all rows.
const (
	AUROC            Metric = iota // share of fine answers below a faulty one, ties counting half
	Twins                          // likewise, of pairs that differ in nothing but the fault: see [rowSlice]
	WithinModel                    // likewise, among answers of one language model; mean over wrong answers
	FoundFive                      // share of the faulty among the 5 % of the answers that score highest
	FoundTen                       // likewise 10 %
	FoundTwenty                    // likewise 20 %
	FoundFifty                     // likewise 50 %
	Places                         // share of the answers with labelled places and placed evidence whose top evidence touches one
	F1                             // at the threshold in force
	Precision                      // share of the faulty among what fires
	Recall                         // share of the faulty that fires
	FalseAlarms                    // share of the good that fires
	CalibrationError               // expected calibration error: ten bins of equal width
	AlertsAtTwo                    // of 1,000 answers how many alert if 2 % of them are faulty; not a share
	AlertsAtEight                  // likewise 8 %
	AlertsAtTwenty                 // likewise 20 %
	PrecisionAtTwo                 // share of the faulty among what alerts if 2 % of the answers are wrong
	PrecisionAtEight               // likewise 8 %
	PrecisionAtTwenty
	metrics
)

// metricNames are the names in files.
//
//nolint:gochecknoglobals // a read-only table
var metricNames = [metrics]string{
	"auroc", "twins", "within_model", "found_in_5", "found_in_10", "found_in_20", "found_in_50", "places", "f1", "precision", "recall", "false_alarms",
	"calibration_error",
	"alerts_per_1000_at_2", "alerts_per_1000_at_8", "alerts_per_1000_at_20", "precision_at_2", "precision_at_8", "precision_at_20",
}

func (m Metric) String() string { return metricNames[m] }

// Figure is a value with its 95 % interval. Undefined values and interval ends are NaN.
type Figure struct{ Value, Low, High float64 }

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
