// Package tools finds faults in the calls of tools and in what the answer says of them.
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
type toolsDetector struct{ schemas *jsonschema.Checker }

// New returns the detector.
func New(Options) (detectors.Detector, error) {
	checker, err := jsonschema.NewChecker()
	return &toolsDetector{checker}, err
}

func (*toolsDetector) Name() string { return "tools" }

const (
	reasonNoTools = "no tools and no calls"
	reasonFault   = "the calls of tools and the answer do not agree with what was given"
)

// Rule is one kind of fault and how it is found. Its examples stand in examples_test.go and docs/rules.md.
type Rule struct {
	ID     string
	Doc    string  // what it accuses
	Weight float64 // probability that a finding is a fault
	Check  func(t *turn)
}

// Rules lists every rule.
func Rules() []Rule {
	return []Rule{
		{"not_offered", "a call of a tool that is not among those that the model was offered", .9, checkOffered},
		{"arguments_schema", "arguments that break the JSON Schema of the tool; members that are null, and times without a zone, are tolerated", .9, checkSchemas},
		{"argument_invented", "a number, e-mail address, telephone number, street or amount in the arguments that no message and no earlier result has", .8, checkArguments},
		{"error_hidden", "a call that failed in all or in part and was not repeated with success, where the answer admits no failure", .8, checkErrors},
		{"action_without_call", "an action that the answer says is done, without a call whose name or result supports it", .75, checkClaims},
		{"identifier_changed", "a code or reference of the answer that differs in a letter, in the order of two characters or in a digit more from one of the messages, arguments or results, and that nothing has", .9, checkIdentifiers},
		{"value_unknown", "an amount, percentage, time of day, date or larger number of the answer that nothing has and that does not follow from what is known, where a result has a value of its kind that the answer does not give", .75, checkValues},
		{"count_unknown", "a number of things that nothing has: more than every list of the results has, or other than what a result counts", .75, checkCounts},
	}
}

// verdict is one proven fault.
type verdict struct {
	rule       *Rule
	start, end int // bytes of the answer, schemas.NoPlace for none
	note       string
	says       string // what a result has instead
	call       string // its id
}

// accuse notes a fault of a call.
func (t *turn) accuse(c *call, note string) {
	t.found = append(t.found, verdict{rule: t.rule, start: schemas.NoPlace, end: schemas.NoPlace, note: note, call: c.ID})
}

// accuseWords notes a fault of these bytes of the answer.
func (t *turn) accuseWords(start, end int, says string) {
	t.found = append(t.found, verdict{rule: t.rule, start: start, end: end, note: t.answer[start:end], says: says})
}

// Detect measures calls (of this turn) and findings. The score is the chance that one of the findings is a fault.
func (d *toolsDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if in := doc.Interaction(); len(in.Tools) == 0 && len(in.Calls) == 0 {
		return detectors.Finding{NotCheckable: reasonNoTools}, nil
	}
	t := newTurn(doc, d.schemas)
	rules := Rules()
	for i := range rules {
		t.rule = &rules[i]
		if t.rule.Check(t); doc.Work().Ended() != "" || ctx.Err() != nil {
			return detectors.Finding{}, ctx.Err()
		}
	}
	slices.SortStableFunc(t.found, func(a, b verdict) int { return cmp.Compare(b.rule.Weight, a.rule.Weight) })
	f := detectors.Finding{Type: schemas.ToolUse, Measures: doc.Measures(
		detectors.Measure{Name: "calls", Value: float64(len(t.calls))}, detectors.Measure{Name: "findings", Value: float64(len(t.found))})}
	sound := 1.0
	var rows []detectors.Evidence
	for _, v := range t.found[:min(len(t.found), detectors.MaxEvidence)] {
		sound *= 1 - v.rule.Weight
		rows = append(rows, detectors.Evidence{Start: v.start, End: v.end, Source: -1, Similarity: 1 - v.rule.Weight, Note: v.note, Says: v.says, Rule: v.rule.ID, CallID: v.call})
	}
	if len(rows) > 0 {
		f.Score, f.Reason, f.Evidence = 1-sound, reasonFault, doc.Evidence(rows...)
	}
	return f, nil
}
