package calibration

import (
	_ "embed"
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"confab/detectors/deep"
)

//go:embed starting.yaml
var startingYAML string

// startingFile are the limits and weights of the deep look that hold until a calibration names others.
func startingFile() (File, error) {
	root, err := parse([]byte(startingYAML))
	if err != nil {
		return File{}, fmt.Errorf("starting limits: %w", err)
	}
	var d decoder
	d.nodes = make(map[string]*yaml.Node)
	f := d.file(root)
	if problems := append(d.problems, f.validate(noPlace)...); len(problems) > 0 {
		return File{}, fmt.Errorf("starting limits: %w", join(problems))
	}
	return f, nil
}

// addStarting adds the limits of the detectors that the file does not name.
func (c *Calibration) addStarting() error {
	f, err := startingFile()
	if err != nil {
		return err
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
	c.reliability = *f.Reliability
	if c.file.Reliability != nil {
		c.reliability = *c.file.Reliability
	}
	return nil
}

// Reliability is what each witness of a claim counts.
func (c *Calibration) Reliability() deep.Reliability { return c.reliability }

func (d *decoder) reliability(field string, n *yaml.Node) *deep.Reliability {
	var w deep.Reliability
	d.mapping(field, n, setters{
		"consistency": d.number(&w.Consistency), "source": d.number(&w.Source), "entailment": d.number(&w.Entailment),
	}, "consistency", "source", "entailment")
	return &w
}

func (v *validator) checkReliability(w *deep.Reliability) {
	if w == nil {
		return
	}
	sum := w.Consistency + w.Source + w.Entailment
	if !(min(w.Consistency, w.Source, w.Entailment) >= 0 && sum > 0) || math.IsInf(sum, 1) {
		v.report("reliability", "its weights are numbers of 0 or more, and one of them is above 0")
	}
}
