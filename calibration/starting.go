package calibration

// startingLimits are thresholds of scores for which labels are rarer than traffic, for files that do not name them.
// docs/detectors.md says where each comes from.
func startingLimits() map[string]float64 {
	return map[string]float64{
		"confidence": 0.98, "consistency": 0.7, "consistency.embedding": 0.35, "faithfulness": 0.5, "faithfulness.statements": 0.2,
		"entailment": 0.6,
	}
}

// addStarting adds the starting limits of the detectors that the file does not name.
func (c *Calibration) addStarting() {
	limits := startingLimits()
	for i := range c.file.Thresholds {
		delete(limits, c.file.Thresholds[i].Detector)
	}
	for name, at := range limits {
		c.thresholds[ThresholdKey{Detector: name}] = thresholdLimit{at: at, armed: true}
	}
}
