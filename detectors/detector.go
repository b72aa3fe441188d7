package detectors

import (
	"context"
	"fmt"
	"slices"

	"confab/schemas"
)

// Detector measures one quality of an interaction. It is safe for concurrent use, does not change doc and keeps no
// reference to it. An error means "could not measure". Thresholds are applied by the suite.
type Detector interface {
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
	Explain      Explainer  // says why, for the rows of Evidence; nil: they say so themselves
	Grounding    Grounding  // how far the sources support the claims; set by one detector only
	Supported    bool       // a judge found every statement of the answer supported by its sources

	// Asked is how a judge was asked who has read the sources and may repeat any part of them. The flag says so.
	Asked schemas.Asked

	// Statements are the verdicts of a judge, in the order of the answer. The flag has them whatever the outcome.
	Statements []schemas.Statement
}

// Explainer says what speaks against the i-th row of a finding's evidence. It is asked only for what a flag shows, before the
// next Reset of the document.
type Explainer interface {
	Explain(i int) (rule, note string)
}

// Grounding is the input of the flag's grounding summary. Without claims the flag has no summary.
type Grounding struct {
	Claims            int       // claims that were compared with the sources
	Confidence        float64   // probability that the answer is grounded, 0 to 1
	OverallSimilarity float64   // mean support of the claims, 0 to 1
	UngroundedClaims  int       // if the detector fires; else the flag has none
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
	Rule                   string // id of the rule that found it, "" for none

	CallID string // the call of a tool that it is about, "" for none
}

// Thresholds provides the limits that turn a score into a signal.
type Thresholds interface {
	// Threshold returns the most specific limit for the detector, tenant, operation and model. armed is false without a
	// usable threshold: the score is reported, and the rule cannot fire.
	Threshold(detector, tenant, operation, model string) (limit float64, armed bool)
}

// Entry describes a detector to other packages and builds it.
type Entry struct {
	Name  string             // its key in the configuration and its metric label
	Type  schemas.SignalType // the kind of fault if a finding has none
	Prose bool               // it reads the answer as text: an empty answer is not_checkable
	Deep  bool               // it calls language models; it is independent
	Own   bool               // it is not one of the standard detectors; it is independent
	// Independent detectors are outside of fusion: that they stay clear says nothing about the rest of the answer, and does
	// not lower the risk. When they fire, they raise it.
	Independent bool
	// Wording detectors only compare the words of the answer with those of the sources. A judge that read both outweighs
	// them; see [Evaluation.Risk].
	Wording bool
	// Fields of the record that the answer is measured by. If one of them is malformed, the signal is not_checkable: with
	// the field empty the finding would be wrong.
	Fields []string

	// NewOptions returns a pointer to the detector's default options, to be filled by a strict decoder.
	NewOptions func() any
	// New builds the detector from the value of NewOptions; nil means the defaults. Its error names a wrong setting.
	New func(options any) (Detector, error)
}

// Names returns the names of the entries, in order.
func Names(entries []Entry) []string {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	return names
}

// Reading returns the entry with its Fields.
func (e Entry) Reading(fields ...string) Entry {
	e.Fields = fields
	return e
}

// Independently returns the entry as that of an [Entry.Independent] detector.
func (e Entry) Independently() Entry {
	e.Independent = true
	return e
}

// ByWording returns the entry as that of an [Entry.Wording] detector.
func (e Entry) ByWording() Entry {
	e.Wording = true
	return e
}

func (e *Entry) independent() bool { return e.Independent || e.Deep || e.Own }

// readsAny reports whether one of the fields is among those that the answer is measured by.
func (e *Entry) readsAny(fields []string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(e.Fields, f) })
}

// TextEntry describes a detector that reads the answer as text.
func TextEntry[O any](name string, t schemas.SignalType, defaults func() O, build func(O) (Detector, error)) Entry {
	e := EventEntry(name, t, defaults, build)
	e.Prose = true
	return e
}

// EventEntry describes a detector that reads any part of the interaction. With nil, its options default to their zero value.
func EventEntry[O any](name string, t schemas.SignalType, defaults func() O, build func(O) (Detector, error)) Entry {
	if defaults == nil {
		defaults = func() (o O) { return o }
	}
	return Entry{
		Name:       name,
		Type:       t,
		NewOptions: func() any { o := defaults(); return &o },
		New: func(options any) (Detector, error) {
			if options == nil {
				return build(defaults())
			}
			o, ok := options.(*O)
			if !ok {
				return nil, fmt.Errorf("options of %s are %T, want %T: take them from NewOptions", name, options, o)
			}
			return build(*o)
		},
	}
}
