package calibration

import (
	_ "embed"
	"fmt"
	"math"

	"confab/detectors/deep"
)

//go:embed starting.yaml
var startingYAML string

// addStarting adds the starting limits of the detectors that the file does not name.
func (c *Calibration) addStarting() error {
	f, err := decodeFile([]byte(startingYAML))
	if err != nil {
		return fmt.Errorf("starting limits: %w", err)
	}
	named := map[string]bool{}
	for _, t := range c.file.Thresholds {
		named[t.Detector] = true
	}
	for key, limit := range NewThresholdTable(f.Thresholds).rows {
		if !named[key.Detector] {
			c.thresholds.add(key, limit)
		}
	}
	c.reliability = *f.Reliability
	if c.file.Reliability != nil {
		c.reliability = *c.file.Reliability
	}
	return nil
}

// Reliability is the weight of each kind of evidence for a claim in the deep evaluation.
func (c *Calibration) Reliability() deep.Reliability { return c.reliability }

func (v *validator) checkReliability(w *deep.Reliability) {
	if w == nil {
		return
	}
	sum := w.Consistency + w.Source + w.Entailment
	if !(min(w.Consistency, w.Source, w.Entailment) >= 0 && sum > 0) || math.IsInf(sum, 1) {
		v.report("reliability", "its weights are numbers of 0 or more, and one of them is above 0")
	}
}
