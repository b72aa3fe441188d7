package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
	"confab/internal/files"
)

// maxModelBytes bounds a model file; the embedded one has 375 kB.
const maxModelBytes = 8 << 20

// tuning is what turns measurements into verdicts and may change while the worker runs: the bytes of the calibration and
// of the model, as they stood at one moment. An empty file name stands for what the binary embeds.
type tuning struct {
	calibrationFile, modelFile string
	calibration, model         []byte
}

// readTuning reads the configured files and judges nothing.
func (c *Config) readTuning() (tuning, error) {
	t := tuning{calibrationFile: c.CalibrationFile, modelFile: c.ModelFile}
	for _, f := range []struct {
		key, name string
		limit     int64
		content   *[]byte
	}{
		{"calibration_file", c.CalibrationFile, calibration.MaxBytes, &t.calibration},
		{"model_file", c.ModelFile, maxModelBytes, &t.model},
	} {
		if f.name == "" {
			continue
		}
		var err error
		if *f.content, err = files.Read(f.name, f.limit); err != nil {
			return t, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return t, nil
}

// Calibration is the configured calibration file, else the one that is embedded.
func (c *Config) Calibration() (*calibration.Calibration, error) {
	own := *c
	own.ModelFile = ""
	t, err := own.readTuning()
	if err != nil {
		return nil, err
	}
	return t.parseCalibration()
}

// Model is the configured model file, else the one that is embedded.
func (c *Config) Model() (*detectors.Model, error) {
	own := *c
	own.CalibrationFile = ""
	t, err := own.readTuning()
	if err != nil {
		return nil, err
	}
	return t.parseModel()
}

// UncertaintyWindow is over how many tokens confidence averages, which its baselines must do too.
func (c *Config) UncertaintyWindow() int {
	if d := c.Detectors["confidence"]; d != nil {
		if o, ok := d.Options.(*detectors.ConfidenceOptions); ok {
			return o.Window
		}
	}
	return detectors.DefaultConfidenceOptions().Window
}

// digest tells contents apart.
func (t *tuning) digest() [sha256.Size]byte {
	content := binary.AppendUvarint(nil, uint64(len(t.calibration)))
	return sha256.Sum256(append(append(content, t.calibration...), t.model...))
}

func (t *tuning) parseCalibration() (*calibration.Calibration, error) {
	if t.calibrationFile == "" {
		return calibration.Default()
	}
	cal, err := calibration.Load(bytes.NewReader(t.calibration))
	if err != nil {
		return nil, fmt.Errorf("calibration_file %s: %w", t.calibrationFile, err)
	}
	return cal, nil
}

func (t *tuning) parseModel() (*detectors.Model, error) {
	if t.modelFile == "" {
		return detectors.DefaultModel()
	}
	m, err := detectors.LoadModel(bytes.NewReader(t.model))
	if err != nil {
		return nil, fmt.Errorf("model_file %s: %w", t.modelFile, err)
	}
	return m, nil
}

// wantsRisk says whether the alert rule asks for a risk, of a tenant at least.
func (c *Config) wantsRisk() bool {
	asks := func(o alerting.RuleOptions) bool { return o.MinRisk != nil && *o.MinRisk > 0 }
	for _, t := range c.Tenants {
		if asks(t.Alerting) {
			return true
		}
	}
	return asks(c.Alerting.RuleOptions)
}

// riskless is why no flag can have a risk, with the remedy; "" where flags can.
func riskless(cal *calibration.Calibration, model *detectors.Model) string {
	switch {
	case model.Fusion == nil:
		return "the model " + model.ID + " has no fusion, so no flag has a risk: fit one with confab fit, or take min_risk out"
	case len(cal.File().Risk) == 0:
		return "the calibration " + cal.ID() + " has no risk map, so no flag has a risk: calibrate with this model, or take min_risk out"
	}
	return ""
}
