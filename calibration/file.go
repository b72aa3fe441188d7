package calibration

import (
	_ "embed"
	"fmt"
	"strings"

	"confab/detectors/confidence"
)

// Format is the version of the file's layout that this binary reads and writes.
const Format = 1

// File is the content of a calibration file. [New] makes it usable.
type File struct {
	Format     int         `yaml:"format"`
	ID         string      `yaml:"id"`              // date and fingerprint of the data; copied into every flag
	CreatedBy  string      `yaml:"created_by"`      // program and version
	Model      string      `yaml:"model,omitempty"` // id of the learned model that measured the rows; empty: none, or unknown
	Data       Data        `yaml:"data"`
	Thresholds []Threshold `yaml:"thresholds"`
	Baselines  []Baseline  `yaml:"baselines"`
	Rule       *Rule       `yaml:"rule,omitempty"`
	Alert      *Alert      `yaml:"alert,omitempty"`
	Risk       []RiskMap   `yaml:"risk,omitempty"`
}

// Data names the labelled interactions that the numbers were fitted on.
type Data struct {
	Fingerprint string `yaml:"fingerprint"` // of the rows' bytes
	Rows        int    `yaml:"rows"`
	Positives   int    `yaml:"positives"` // rows labelled as hallucinated, unsupported or invalid

	Models []string `yaml:"models,omitempty"` // that gave the answers, as their provider reports them; empty: unknown
}

// Threshold is the limit of one detector for a tenant, an operation and a model, with its measured quality. An empty
// tenant, operation or model stands for any.
type Threshold struct {
	Detector  string  `yaml:"detector"`
	Tenant    string  `yaml:"tenant"`
	Operation string  `yaml:"operation"`
	Model     string  `yaml:"model,omitempty"`
	Threshold float64 `yaml:"threshold" required:"true"` // fires when the score is at least this, 0 to 1
	Armed     bool    `yaml:"armed" required:"true"`     // false: no usable threshold is known, the rule cannot fire

	Precision    float64 `yaml:"precision"`     // share of positives among the rows that fired
	PrecisionLow float64 `yaml:"precision_low"` // lower end of its 95 % interval
	Recall       float64 `yaml:"recall"`        // share of the positives that fired
	N            int     `yaml:"n"`             // rows that the detector could measure

	FalseAlarms     float64 `yaml:"false_alarms,omitempty"`      // share of the negatives that fired
	FalseAlarmsHigh float64 `yaml:"false_alarms_high,omitempty"` // upper end of its 95 % Wilson interval

	// Prior is the threshold that labels moved to this one: a later fit starts there again, so that no label counts twice.
	Prior float64 `yaml:"prior,omitempty"`
}

// Baseline states the token uncertainty of usual answers of one model: entropies in nats. An empty operation stands for
// any; the model is always named. Where a file has none, it is learned from the answers that pass.
type Baseline struct {
	Model     string `yaml:"model"`
	Operation string `yaml:"operation"`

	confidence.Baseline `yaml:",inline"`
}

// Calibration is a validated file, ready for look-ups. It implements detectors.Thresholds, confidence.Stated and
// detectors.Risks. It is immutable and safe for concurrent use.
type Calibration struct {
	file       File
	thresholds thresholdTable
	baselines  map[baselineKey]*confidence.Baseline
	risks      map[string]*RiskMap // by measurable detectors
	models     map[string]struct{} // known ones, see KnowsModel
}

// New validates a file made in memory. The error has a line for each problem.
func New(f File) (*Calibration, error) {
	if err := problemsError(f.validate()); err != nil {
		return nil, err
	}
	c := &Calibration{
		file: f, thresholds: indexThresholds(f.Thresholds), baselines: indexBaselines(f.Baselines), risks: indexRisks(f.Risk),
		models: knownModels(&f),
	}
	c.addStarting()
	return c, nil
}

// File returns the content; its slices are shared and must not be changed.
func (c *Calibration) File() File { return c.file }

// ID is the identifier that every flag carries.
func (c *Calibration) ID() string { return c.file.ID }

//go:embed default.yaml
var defaultYAML string

// Default is the embedded calibration, fitted on public data.
func Default() (*Calibration, error) {
	c, err := Load(strings.NewReader(defaultYAML))
	if err != nil {
		return nil, fmt.Errorf("embedded default: %w", err)
	}
	c.models = nil // made on public data, for any model
	return c, nil
}
