// Package rewrite cuts or marks the sentences, list items and rows of an answer that detectors found a fault in, and measures what
// is left.
package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text/units"
	"confab/schemas"
)

// MaxRounds is the maximum of rounds of cutting and measuring.
const MaxRounds = 3

// maxAnswer is the largest answer that is rewritten, in bytes.
const maxAnswer = 1 << 20

// EmptyAnswer is the default sentence for an answer of which nothing is left.
const EmptyAnswer = "No verified answer is available."

// Evaluate measures an interaction as the flag was measured. It does not change the interaction.
type Evaluate func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error)

// Options configure a rewriting.
type Options struct {
	Mode        Mode
	EmptyAnswer string // replaces an answer of which nothing is left; [EmptyAnswer] when empty
	Evaluate    Evaluate
	Logger      *slog.Logger // receives panics of rewriting; may be nil
}

// Mode is what is done with flagged places.
type Mode string

// The modes.
const (
	ModeRemove   Mode = "remove"   // sentences, items and rows with a flagged place are cut
	ModeHedge    Mode = "hedge"    // each gets "This could not be verified: "
	ModeAnnotate Mode = "annotate" // each gets a footnote with what the source says
)

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	if m := Mode(name); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("%q: expected remove, hedge or annotate", name)
}

// Modes are all modes.
func Modes() []Mode { return []Mode{ModeRemove, ModeHedge, ModeAnnotate} }

// Status is what became of the answer.
type Status string

// The statuses.
const (
	StatusUnchanged Status = "unchanged" // no detector fired
	StatusRewritten Status = "rewritten" // no detector fires on what is not marked
	StatusFailed    Status = "failed"    // there is no rewritten answer; the reason says why
)

// Reasons of a failure.
const (
	ReasonNoPlace    = "no_place"          // the evidence has no place in the answer
	ReasonCode       = "code_block"        // a flagged place is in a block of code
	ReasonSchema     = "schema_bound"      // the answer has to follow a schema
	ReasonStructured = "structured_answer" // the answer is JSON
	ReasonMarkup     = "markup"            // the answer is HTML or XML, or a tag would lose its partner
	ReasonStillFires = "still_fires"       // a detector fires after the last round
	ReasonMeasured   = "not_measured"      // the rewritten answer could not be measured
	ReasonEmptyFires = "empty_answer"      // a detector fires on the sentence for an empty answer
	ReasonSize       = "too_large"         // the answer is larger than 1 MiB
	ReasonPanic      = "panic"             // the program has a fault, which the log shows
)

// Verdicts of an outcome.
const (
	VerdictClear        = "clear"         // a detector is clear, and none fires
	VerdictNotCheckable = "not_checkable" // nothing is left to check
	VerdictFired        = "fired"
)

// What an outcome was measured on.
const (
	MeasuredAnswer   = "answer"   // the rewritten answer
	MeasuredUnmarked = "unmarked" // the answer without the sentences that are hedged or annotated
)

// Result is an answer with its rewritten form.
type Result struct {
	Mode     Mode     `json:"mode"`
	Status   Status   `json:"status"`
	Reason   string   `json:"reason,omitempty"`   // of a failure
	Rounds   int      `json:"rounds"`             // of cutting and measuring, at most 3
	Original string   `json:"original,omitempty"` // the answer as it was given
	Answer   string   `json:"answer,omitempty"`   // the rewritten answer; none after a failure
	Edits    []Edit   `json:"edits"`              // in the order of the answer
	After    *Outcome `json:"after,omitempty"`    // of the last measurement
}

// Edit is one change of the answer.
type Edit struct {
	Start     int      `json:"start"` // bytes of the original answer
	End       int      `json:"end"`
	Action    string   `json:"action"`              // removed, hedged, annotated, replaced
	Because   string   `json:"because,omitempty"`   // of what was removed: flagged, contained, introduction
	Detectors []string `json:"detectors,omitempty"` // that flagged it
}

// Outcome is a measurement.
type Outcome struct {
	Measured       string                 `json:"measured"`
	Verdict        string                 `json:"verdict"`
	Fired          []string               `json:"fired"`
	Risk           *float64               `json:"risk"`
	Recommendation schemas.Recommendation `json:"recommendation"`
}

// Redacted returns the result with its texts redacted; nil hides them. The offsets of edits are those of the given answer.
func (r Result) Redacted(redact func(string) string) Result {
	if redact == nil {
		r.Original, r.Answer = "", ""
		return r
	}
	r.Original, r.Answer = redact(r.Original), redact(r.Answer)
	return r
}

// ReviseAnswer rewrites the answer of an interaction with its flag. Neither is changed. The result shares the text of the
// answer with the interaction.
func ReviseAnswer(ctx context.Context, in *schemas.Interaction, flag *schemas.Flag, o Options) (r Result) {
	if o.EmptyAnswer == "" {
		o.EmptyAnswer = EmptyAnswer
	}
	v := revision{in: in, opts: o, result: Result{Mode: o.Mode, Original: in.Answer, Edits: []Edit{}}}
	defer func() {
		if recover() != nil { // its value may quote the text
			if o.Logger != nil {
				o.Logger.ErrorContext(ctx, "rewriting panicked", "stack", string(debug.Stack()))
			}
			r = v.fail(ReasonPanic)
		}
	}()
	if len(flag.Fired) == 0 {
		v.result.Status, v.result.Answer = StatusUnchanged, in.Answer
		v.result.After = outcomeOf(flag, MeasuredAnswer)
		return v.result
	}
	if reason := refusal(in, flag); reason != "" {
		return v.fail(reason)
	}
	v.doc.SetLimits(detectors.Limits{TextBytes: 2*len(in.Answer) + detectors.MaxTextBytes})
	v.doc.Reset(in)
	v.answer = readLayout(in.Answer, v.doc.Text(), v.doc.Units().Units)
	v.found = make([]*place, len(v.answer.Units))
	return v.revise(ctx, flag)
}

// revision is one rewriting.
type revision struct {
	in     *schemas.Interaction
	opts   Options
	doc    detectors.Document
	answer *answerLayout
	found  []*place // by unit; nil for none
	result Result
}

func (v *revision) fail(reason string) Result {
	v.result.Status, v.result.Reason, v.result.Answer, v.result.Edits = StatusFailed, reason, "", []Edit{}
	return v.result
}

// revise cuts flagged places and measures the rest until nothing fires.
func (v *revision) revise(ctx context.Context, flag *schemas.Flag) Result {
	before := flag.Fired
	rest := applySplices(v.in.Answer, nil)
	for v.result.Rounds < MaxRounds {
		if reason := v.addPlaces(flag, &rest); reason != "" {
			return v.fail(reason)
		}
		v.result.Rounds++
		cut, next, broken := v.cut()
		empty := v.opts.Mode == ModeRemove && cut.isEmpty()
		switch {
		case empty:
			next = rewrittenText{Text: v.opts.EmptyAnswer}
		case v.opts.Mode == ModeRemove && broken:
			return v.fail(ReasonMarkup)
		}
		in := *v.in
		in.Answer, in.Logprobs, in.Scratch = next.Text, keptLogprobs(v.in.Logprobs, &next), nil
		measured, err := v.opts.Evaluate(ctx, &in)
		if err != nil || isUnmeasured(&measured, before) {
			return v.fail(ReasonMeasured)
		}
		v.result.After = outcomeOf(&measured, MeasuredUnmarked)
		if v.opts.Mode == ModeRemove {
			v.result.After.Measured = MeasuredAnswer
		}
		switch {
		case len(measured.Fired) == 0:
			v.finish(cut, next.Text, empty)
			return v.result
		case empty:
			return v.fail(ReasonEmptyFires)
		}
		flag, rest = &measured, next
	}
	return v.fail(ReasonStillFires)
}

// cut removes the units with a place and, in mode remove, what cannot stay without them. broken means that a tag lost its partner.
func (v *revision) cut() (_ *cutSet, _ rewrittenText, broken bool) {
	cut := &cutSet{answerLayout: v.answer, Causes: make([]string, len(v.answer.Units))}
	for i, p := range v.found {
		if p != nil {
			cut.Causes[i] = flaggedUnit
		}
	}
	if v.opts.Mode == ModeRemove {
		cut.close()
	}
	splices, broken := cut.splices()
	return cut, applySplices(v.in.Answer, splices), broken
}

// isEmpty reports that nothing is left but introductions, questions and courtesies.
func (c *cutSet) isEmpty() bool {
	for i, u := range c.Units {
		if c.Causes[i] == keptUnit && (u.kind == units.Code || !isFiller(c.Text[u.Start:u.End])) {
			return false
		}
	}
	return true
}

// finish writes the rewritten answer and its edits.
func (v *revision) finish(cut *cutSet, rest string, empty bool) {
	v.result.Status = StatusRewritten
	switch v.opts.Mode {
	case ModeHedge:
		v.result.Answer = v.hedge()
	case ModeAnnotate:
		v.result.Answer = v.annotate()
	case ModeRemove:
		v.result.Answer = rest
		if empty {
			v.result.Edits = append(v.result.Edits, Edit{End: len(v.in.Answer), Action: "replaced"})
		}
		for i, why := range cut.Causes {
			if why != keptUnit {
				v.addEdit(i, "removed", why)
			}
		}
	}
	slices.SortStableFunc(v.result.Edits, func(a, b Edit) int { return a.Start - b.Start })
}

func (v *revision) addEdit(i int, action, why string) {
	e := Edit{Start: v.answer.Units[i].Start, End: v.answer.Units[i].End, Action: action, Because: why}
	if v.found[i] != nil {
		e.Detectors = v.found[i].detectors
	}
	v.result.Edits = append(v.result.Edits, e)
}

// keptLogprobs are the rows of tokens that start in the kept text. Without offsets there are none.
func keptLogprobs(l schemas.Logprobs, rest *rewrittenText) schemas.Logprobs {
	out := schemas.Logprobs{TopK: l.TopK}
	for i, offset := range l.Offsets {
		if at, ok := rest.keptAt(int(offset)); ok && len(l.Offsets) == l.Rows() {
			out.Offsets = append(out.Offsets, int32(at))
			out.Values = append(out.Values, l.Row(i)...)
		}
	}
	if len(out.Offsets) == 0 {
		return schemas.Logprobs{}
	}
	return out
}

// isUnmeasured reports that a detector which fired before failed or was skipped.
func isUnmeasured(f *schemas.Flag, before []string) bool {
	return slices.ContainsFunc(f.Signals, func(s schemas.Signal) bool {
		return (s.Outcome == schemas.Skipped || s.Outcome == schemas.Failed) && slices.Contains(before, s.Detector)
	})
}

// outcomeOf is the outcome of a flag.
func outcomeOf(f *schemas.Flag, measured string) *Outcome {
	o := &Outcome{Measured: measured, Verdict: VerdictNotCheckable, Fired: append([]string{}, f.Fired...), Risk: f.Risk, Recommendation: f.Recommendation}
	switch {
	case len(f.Fired) > 0:
		o.Verdict = VerdictFired
	case slices.ContainsFunc(f.Signals, func(s schemas.Signal) bool { return s.Outcome == schemas.Clear }):
		o.Verdict = VerdictClear
	}
	return o
}

// refusal is the reason why the answer is not touched, "" for none. An answer has a schema even if that cannot be read, or is
// configured for the operation: then its format was measured.
func refusal(in *schemas.Interaction, flag *schemas.Flag) string {
	answer := strings.TrimSpace(in.Answer)
	measured := slices.ContainsFunc(flag.Signals, func(s schemas.Signal) bool {
		return s.Type == schemas.Format && (s.Outcome == schemas.Fired || s.Outcome == schemas.Clear)
	})
	switch {
	case measured || in.ResponseSchema != "" || slices.Contains(in.Malformed, schemas.FieldResponseSchema):
		return ReasonSchema
	case len(in.Answer) > maxAnswer:
		return ReasonSize
	case jsonStart.MatchString(answer), strings.HasPrefix(answer, "[") && json.Valid([]byte(answer)):
		return ReasonStructured
	case htmlBlock.MatchString(answer):
		return ReasonMarkup
	}
	return ""
}

// Beginnings of answers for programs, and elements of HTML that stand around several sentences.
var (
	jsonStart = regexp.MustCompile(`^(?:\{\s*(?:["}]|$)|\[\s*(?:[{"]|$))`)
	htmlBlock = regexp.MustCompile(`(?is)</(?:p|div|ul|ol|li|table|t[rdh]|pre|h[1-6]|script|style|body)>|^<.*>$`)
)
