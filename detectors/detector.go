package detectors

import (
	"context"

	"confab/schemas"
)

// Detector measures one quality of an interaction. It is safe for concurrent use, reads doc without changing what it
// holds and keeps no reference to it. An error means "could not measure"; it never knows a threshold.
type Detector interface {
	Name() string
	Detect(ctx context.Context, doc *Document) (Finding, error)
}

// Finding is what a detector measured. Its slices are borrowed from the document and die with it.
type Finding struct {
	NotCheckable string             // why nothing could be measured; when set, only Measures is read beside it
	Score        float64            // 0 to 1, higher is worse
	Type         schemas.SignalType // the kind of fault, should the rule fire
	Reason       string             // one short sentence for people, without the interaction's text
	Measures     []Measure
	Evidence     []Evidence // worst first
	Truncated    bool       // a cap left part of the interaction unmeasured
	Basis        string     // what the score was made with, where that calls for a threshold of its own: "" or a suffix of its key
	Grounding    Grounding  // how far the sources bear out the claims; from the one detector that knows
}

// Grounding is the part of a finding that the flag's grounding summary is made of. Without claims there is no summary.
type Grounding struct {
	Claims            int     // claims that were compared with the sources
	Confidence        float64 // that the answer is grounded, 0 to 1
	OverallSimilarity float64 // mean support of the claims, 0 to 1
	UngroundedClaims  int
	Ungrounded        []Support // the worst of them, worst first; borrowed from the document
}

// Support is how far the best source window bears out the claim that stands in these bytes of the answer.
type Support struct {
	Start, End int
	Similarity float64 // 0 to 1
}

// Measure is one raw number behind a score, in the unit its name says.
type Measure struct {
	Name  string
	Value float64
}

// Evidence is a place in the answer beside the place in a source that bears on it. Excerpts are cut and redacted when,
// and only when, the rule fires.
type Evidence struct {
	Start, End             int // byte offsets in the answer, schemas.NoPlace where none exists
	Citation               string
	Source                 int // index into the interaction's sources, -1 for none
	SourceStart, SourceEnd int // byte offsets in that source's text
	Similarity             float64
	Note                   string
}

// Thresholds hold what turns a score into a signal.
type Thresholds interface {
	// Threshold is the most specific limit for the detector on that tenant and operation. Armed is false when no usable
	// threshold is known: the score is reported, and the rule cannot fire.
	Threshold(detector, tenant, operation string) (limit float64, armed bool)
}
