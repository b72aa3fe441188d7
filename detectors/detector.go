package detectors

import (
	"context"

	"confab/schemas"
)

// Detector measures one quality of an interaction. It is safe for concurrent use, does not change doc and keeps no
// reference to it. An error means "could not measure". Thresholds are applied by the suite.
type Detector interface {
	Name() string
	Detect(ctx context.Context, doc *Document) (Finding, error)
}

// Finding is what a detector measured. Its slices belong to the document and are valid until its next Reset.
type Finding struct {
	NotCheckable string             // why nothing could be measured; if set, only Measures is read in addition
	Score        float64            // 0 to 1, higher is worse
	Type         schemas.SignalType // the kind of fault if the rule fires
	Reason       string             // one short sentence for people, without text of the interaction
	Measures     []Measure
	Evidence     []Evidence // worst first
	Truncated    bool       // a cap left part of the interaction unmeasured
	Basis        string     // suffix of the threshold's key where the score needs its own threshold, else ""
	Grounding    Grounding  // how far the sources support the claims; set by one detector only

	// Statements are the verdicts of a judge, in the order of the answer. The flag has them whatever the outcome.
	Statements []schemas.Statement
}

// Grounding is the input of the flag's grounding summary. Without claims the flag has no summary.
type Grounding struct {
	Claims            int     // claims that were compared with the sources
	Confidence        float64 // probability that the answer is grounded, 0 to 1
	OverallSimilarity float64 // mean support of the claims, 0 to 1
	UngroundedClaims  int
	Ungrounded        []Support // the worst of them, worst first; belongs to the document
}

// Support is how far the best source window supports the claim at these bytes of the answer.
type Support struct {
	Start, End int
	Similarity float64 // 0 to 1
}

// Measure is one raw number behind a score. Its name gives the unit.
type Measure struct {
	Name  string
	Value float64
}

// Evidence pairs a place in the answer with the related place in a source. Excerpts are made only if the rule fires:
// shortened and redacted.
type Evidence struct {
	Start, End             int // byte offsets in the answer, schemas.NoPlace where none exists
	Citation               string
	Source                 int // index into the interaction's sources, -1 for none
	SourceStart, SourceEnd int // byte offsets in that source's text
	Similarity             float64
	Note                   string
	Says                   string // what the source has instead, in its words; "" if unknown
}

// Thresholds provides the limits that turn a score into a signal.
type Thresholds interface {
	// Threshold returns the most specific limit for the detector, tenant, operation and model. armed is false without a
	// usable threshold: the score is reported, and the rule cannot fire.
	Threshold(detector, tenant, operation, model string) (limit float64, armed bool)
}
