package rewrite

import "confab/schemas"

// Mode is what is done with flagged places.
type Mode string

// The modes.
const (
	ModeRemove   Mode = "remove"   // sentences, items and rows with a flagged place are cut
	ModeHedge    Mode = "hedge"    // each gets "This could not be verified: "
	ModeAnnotate Mode = "annotate" // each gets a footnote with what the source says
)

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
	ReasonStructured = "structured_answer" // the answer is JSON, YAML or XML
	ReasonMarkup     = "markup"            // tags of HTML would lose their partner
	ReasonStillFires = "still_fires"       // a detector fires after the last round
	ReasonMeasured   = "not_measured"      // the rewritten answer could not be measured
	ReasonEmptyFires = "empty_answer"      // a detector fires on the sentence for an empty answer
	ReasonSize       = "too_large"         // the answer is larger than 1 MiB
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
	Because   string   `json:"because,omitempty"`   // of what was removed: flagged, paired, contained, dependent, introduction, unreferenced
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
