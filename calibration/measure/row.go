package measure

import (
	"confab/detectors/confidence"
	"confab/schemas"
)

// Row is what is kept of a labelled interaction once it has been measured: numbers, and names to slice by. It holds no
// text, so that a campaign over millions of rows fits into memory.
type Row struct {
	Dataset, Task, Group     string
	Tenant, Operation, Model string
	Temperature              float64
	Positive                 bool    // labelled as hallucinated, unsupported or invalid
	Weight                   float64 // how many rows it stands for; 0 counts as 1

	Words       int       // of the answer: what the length floor ranks by
	Signals     []Signal  // one per rule, in the suite's order; then what recorded resamples say, where the row has some
	Measurable  string    // names of the detectors that gave a score, joined by "+"
	Inputs      []float32 // what fusion reads
	Fused       float64   // log-odds that fusion gives; NaN without a fusion model
	Uncertainty confidence.Uncertainty
	Spans       SpanHit
	Samples     int // recorded resamples of the answer
}

// Signal is what one rule made of a row. Score is there unless the outcome is not_checkable or error; a threshold can
// be held against it later.
type Signal struct {
	Detector string
	Outcome  schemas.Outcome // under the calibration that was in force while measuring
	Score    float64
	HasScore bool
}

// SpanHit says whether the worst evidence touches a labelled faulty place.
type SpanHit int8

// The span hits.
const (
	NoSpans SpanHit = iota // the row has none, or no evidence was given
	SpanMissed
	SpanTouched
)
