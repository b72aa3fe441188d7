// Package tools finds faults in the calls of tools and in what the answer says of them.
package tools

import (
	"cmp"
	"context"
	"slices"

	"confab/detectors"
	"confab/schemas"
)

// Options configure the detector.
type Options struct{}

// toolsDetector fires where a rule proves a fault of a turn with tools.
type toolsDetector struct {
	validator detectors.Detector
	rules     []Rule
}

// New returns the detector. The validator is the one for answers that must follow a schema.
func New(_ Options, newValidator func() (detectors.Detector, error)) (detectors.Detector, error) {
	v, err := newValidator()
	return &toolsDetector{v, Rules()}, err
}

func (*toolsDetector) Name() string { return "tools" }

const (
	reasonNoTools = "no tools and no calls"
	reasonTooLong = "too much text in messages and results"
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
		{"argument_invented", "a number, code, e-mail address, telephone number, or street in the arguments that no message and no earlier result has or spells", .8, checkArguments},
		{"error_hidden", "a call that failed in all or in part and was not repeated with success, where the answer admits no failure", .8, checkErrors},
		{"action_without_call", "an action that the answer says is done, without a call whose name or result supports it", .75, checkClaims},
		{"identifier_changed", "a code or reference of the answer that differs in a letter or in the order of two characters from one of the messages, arguments or results, and that nothing has", .9, checkIdentifiers},
		{"value_unknown", "an amount, number, share, date or time of day that nothing has and that follows from nothing, where a result or an earlier answer has another one that may be of the same thing and that the answer lacks", .8, checkValues},
		{"value_of_other", "an amount, a share or a time of day that the calls that did something do not have, where they have another one that the answer lacks", .8, checkDone},
	}
}

// accuse notes a fault of a call.
func (t *turn) accuse(c *call, note string) {
	t.accuseWords(schemas.NoPlace, schemas.NoPlace, note, "")
	t.found[len(t.found)-1].CallID = c.ID
}

// accuseWords notes a fault of these bytes of the answer, and what a result says instead.
func (t *turn) accuseWords(start, end int, note, says string) {
	t.found = append(t.found, detectors.Evidence{Start: start, End: end, Source: -1, Similarity: 1 - t.rule.Weight, Note: note, Says: says, Rule: t.rule.ID})
}

// Detect measures calls (of this turn) and findings. The score is the chance that one of the findings is a fault.
func (d *toolsDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	in := doc.Interaction()
	if len(in.Tools) == 0 && len(in.Calls) == 0 {
		return detectors.Finding{NotCheckable: reasonNoTools}, nil
	}
	t := &turn{doc: doc, in: in, answer: doc.Text()}
	t.violations = func(schema, value string) []detectors.Evidence {
		var inner detectors.Document
		inner.ResetWithin(&schemas.Interaction{Answer: value, ResponseSchema: schema}, doc.Work())
		f, err := d.validator.Detect(ctx, &inner)
		if err != nil {
			return nil // it cannot be told
		}
		return f.Evidence
	}
	if !t.read() {
		return detectors.Finding{NotCheckable: reasonTooLong}, nil
	}
	for i := range d.rules {
		t.rule = &d.rules[i]
		if t.rule.Check(t); doc.Work().Ended() != "" || ctx.Err() != nil {
			return detectors.Finding{}, ctx.Err()
		}
	}
	slices.SortStableFunc(t.found, func(a, b detectors.Evidence) int { return cmp.Compare(a.Similarity, b.Similarity) })
	f := detectors.Finding{Type: schemas.ToolUse, Measures: doc.Measures(
		detectors.Measure{Name: "calls", Value: float64(len(t.calls))}, detectors.Measure{Name: "findings", Value: float64(len(t.found))})}
	t.found = t.found[:min(len(t.found), detectors.MaxEvidence)]
	sound := 1.0
	for i := range t.found {
		f.Reason, sound = reasonFault, sound*t.found[i].Similarity
	}
	f.Score, f.Evidence = 1-sound, doc.Evidence(t.found...)
	return f, nil
}
