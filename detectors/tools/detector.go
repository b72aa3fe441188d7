package tools

import (
	"cmp"
	"context"
	"slices"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/schemas"
)

// Options configure the detector.
type Options struct{}

// toolsDetector fires where a rule proves a fault of a turn with tools.
type toolsDetector struct {
	rules   []Rule
	schemas *jsonschema.Checker
}

// New returns the detector.
func New(Options) (detectors.Detector, error) {
	checker, err := jsonschema.NewChecker()
	return &toolsDetector{rules: Rules(), schemas: checker}, err
}

func (*toolsDetector) Name() string { return "tools" }

const (
	reasonNoTools = "no tools and no calls"
	reasonFault   = "the calls of tools and the answer do not agree with what was given"
)

// Detect measures calls (of this turn) and findings. The score is the chance that one of the findings is a fault.
func (d *toolsDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if in := doc.Interaction(); len(in.Tools) == 0 && len(in.Calls) == 0 {
		return detectors.Finding{NotCheckable: reasonNoTools}, nil
	}
	if err := ctx.Err(); err != nil {
		return detectors.Finding{}, err
	}
	t, _ := detectors.Scratch[turn](doc)
	if !t.read(doc, d.schemas) {
		return detectors.Finding{}, nil
	}
	for i := range d.rules {
		t.rule = &d.rules[i]
		if t.rule.Check(t); doc.Work().Ended() != "" {
			return detectors.Finding{}, nil
		}
	}
	return t.finding(), nil
}

func (t *turn) finding() detectors.Finding {
	slices.SortStableFunc(t.found, func(a, b verdict) int { return cmp.Compare(b.rule.Weight, a.rule.Weight) })
	f := detectors.Finding{Type: schemas.ToolUse, Measures: t.doc.Measures(
		detectors.Measure{Name: "calls", Value: float64(len(t.calls))}, detectors.Measure{Name: "findings", Value: float64(len(t.found))})}
	sound := 1.0
	var rows [detectors.MaxEvidence]detectors.Evidence
	n := min(len(t.found), len(rows))
	for i, v := range t.found[:n] {
		sound *= 1 - v.rule.Weight
		rows[i] = detectors.Evidence{Start: v.start, End: v.end, Source: -1, Similarity: 1 - v.rule.Weight, Note: v.note, Says: v.says, Rule: v.rule.ID, CallID: v.call}
	}
	if n > 0 {
		f.Score, f.Reason, f.Evidence = 1-sound, reasonFault, t.doc.Evidence(rows[:n]...)
	}
	return f
}
