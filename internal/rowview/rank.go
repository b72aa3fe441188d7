package rowview

import (
	"cmp"

	"confab/schemas"
)

// Class says how bad an answer looks, better ones first.
type Class int

// The classes.
const (
	Unchecked Class = iota // nothing of the answer was measured
	Quiet                  // nothing fired
	Flagged                // a detector fired
	Alerting               // the alert rule holds
)

// Rank orders answers.
type Rank struct {
	Class Class
	Risk  float64 // -1 when unknown
	Worst float64 // the largest score of a detector that fired
	Line  int64
}

// RankOf returns the rank of a flag.
func RankOf(f *schemas.Flag) Rank {
	r := Rank{Risk: -1, Line: f.Origin.Offset}
	if f.Risk != nil {
		r.Risk = *f.Risk
	}
	for i := range f.Signals {
		switch s := &f.Signals[i]; s.Outcome {
		case schemas.Fired:
			r.Worst = max(r.Worst, s.Score)
		case schemas.Clear:
			r.Class = Quiet
		default: // says nothing about the answer
		}
	}
	if f.Checked == schemas.CheckedNone {
		r.Class = Unchecked
	}
	switch {
	case f.Alert:
		r.Class = Alerting
	case len(f.Fired) > 0:
		r.Class = Flagged
	}
	return r
}

// Compare is negative when r comes before o: alerts, then flagged answers, then quiet ones, each by risk, then by score,
// then by line.
func (r Rank) Compare(o Rank) int {
	return cmp.Or(cmp.Compare(o.Class, r.Class), cmp.Compare(o.Risk, r.Risk), cmp.Compare(o.Worst, r.Worst), cmp.Compare(r.Line, o.Line))
}
