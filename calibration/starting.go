package calibration

import (
	_ "embed"
	"fmt"
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
	for key, limit := range NewThresholdTable(f.Thresholds) {
		if !named[key.Detector] {
			c.thresholds[key] = limit
		}
	}
	return nil
}
