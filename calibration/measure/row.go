package measure

import (
	"confab/detectors"
	"confab/schemas"
)

// Row is a measured labelled interaction: numbers, and names to slice by, without text.
type Row struct {
	ID                       string // of the interaction; empty if it has none
	Dataset, Task, Group     string
	Tenant, Operation, Model string
	Service, Provider        string
	Attributes               map[string]string
	Positive                 bool    // labelled as hallucinated, unsupported or invalid
	Weight                   float64 // how many rows it stands for; 0 counts as 1
	Kind                     string  // of the fault, where the labels name it

	Words      int      // of the answer; the length baseline ranks by it
	New        Novelty  // baselines too
	Signals    []Signal // one per rule, in the suite's order; then that of recorded resamples, if any
	Measurable string   // names of the detectors that gave a score to fusion, joined by "+"
	Fused      float64  // log-odds of fusion; NaN without a fusion model or a score for it
	Parts      []Part   // fusion of each set of its detectors; nil: Fused is the log-odds of the risk itself
	Spans      SpanHit
}

// Signal is the result of one rule on a row. The score exists unless the outcome is not_checkable or error.
type Signal struct {
	Detector string
	Outcome  schemas.Outcome // under the calibration used while measuring
	Score    float64
	HasScore bool
	Fused    bool // fusion reads the score
}

// Part is the fusion of some of the detectors that measured a row: bit i of the set stands for the i-th signal.
type Part struct {
	Used    detectors.DetectorSet
	LogOdds float64
}

// SpanHit says whether the top evidence touches a labelled span.
type SpanHit int8

// The span hits.
const (
	NoSpans SpanHit = iota // no labelled spans, or no evidence
	SpanMissed
	SpanTouched
)
