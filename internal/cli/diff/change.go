package diff

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// Aspect names one property of a flag that is compared.
type Aspect string

// The aspects, worst first. A row that is on one side only has the aspect Missing.
const (
	Alert          Aspect = "alert"
	Recommendation Aspect = "recommendation"
	Outcome        Aspect = "outcome"
	FiredSet       Aspect = "fired"
	Missing        Aspect = "missing"
	Risk           Aspect = "risk"
	Score          Aspect = "score"
	Threshold      Aspect = "threshold"
	Spans          Aspect = "spans"
)

// Aspects lists every aspect, worst first.
func Aspects() []Aspect {
	return []Aspect{Alert, Recommendation, Outcome, FiredSet, Missing, Risk, Score, Threshold, Spans}
}

// absent is the outcome of a missing detector or row.
const absent = "absent"

// tolerance is the movement of a score or risk that is no change.
const tolerance = 1e-6

// Change is one difference between two flags of the same incident and pass. From and To are a boolean (alert), a number
// (risk, score, threshold), a list of strings (fired), or a string. One of them is nil where a side has no risk.
type Change struct {
	Aspect   Aspect `json:"aspect"`
	Detector string `json:"detector,omitempty"`
	From     any    `json:"from,omitempty"`
	To       any    `json:"to,omitempty"`

	size float64 // how far a score or risk moved
}

// changes lists what differs between two flags, worst first. One of them may be nil.
func changes(a, b *flagRecord) (all []Change) {
	if a == nil || b == nil {
		none := &flagRecord{recommendation: absent}
		a, b = cmp.Or(a, none), cmp.Or(b, none)
		if a.alert != b.alert {
			all = append(all, Change{Aspect: Alert, From: a.alert, To: b.alert})
		}
		return append(all, Change{Aspect: Missing, From: a.recommendation, To: b.recommendation})
	}
	if a.alert != b.alert {
		all = append(all, Change{Aspect: Alert, From: a.alert, To: b.alert})
	}
	if a.recommendation != b.recommendation {
		all = append(all, Change{Aspect: Recommendation, From: a.recommendation, To: b.recommendation})
	}
	if !slices.Equal(a.fired, b.fired) {
		all = append(all, Change{Aspect: FiredSet, From: slices.Clip(a.fired), To: slices.Clip(b.fired)})
	}
	switch {
	case a.risk != nil && b.risk != nil:
		if size := math.Abs(*b.risk - *a.risk); size > tolerance {
			all = append(all, Change{Aspect: Risk, From: *a.risk, To: *b.risk, size: size})
		}
	case a.risk != nil: // the largest movement
		all = append(all, Change{Aspect: Risk, From: *a.risk, size: 1})
	case b.risk != nil:
		all = append(all, Change{Aspect: Risk, To: *b.risk, size: 1})
	}
	for _, name := range detectorsOf(a, b) {
		all = append(all, signalChanges(name, a.signals, b.signals)...)
	}
	slices.SortStableFunc(all, func(x, y Change) int {
		return cmp.Compare(slices.Index(Aspects(), x.Aspect), slices.Index(Aspects(), y.Aspect))
	})
	return all
}

// detectorsOf are the detectors of two flags, sorted.
func detectorsOf(a, b *flagRecord) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a.signals)), maps.Keys(b.signals))
	slices.Sort(names)
	return slices.Compact(names)
}

// signalOf is the signal of a detector; absent without one.
func signalOf(signals map[string]flagSignal, detector string) flagSignal {
	if s, ok := signals[detector]; ok {
		return s
	}
	return flagSignal{outcome: absent}
}

// signalChanges compares the signals of one detector. Of one that a side does not have, only the outcome counts.
func signalChanges(detector string, inA, inB map[string]flagSignal) (all []Change) {
	a, b := signalOf(inA, detector), signalOf(inB, detector)
	if a.outcome != b.outcome {
		all = append(all, Change{Aspect: Outcome, Detector: detector, From: a.outcome, To: b.outcome})
	}
	if a.outcome == absent || b.outcome == absent {
		return all
	}
	if size := math.Abs(b.score - a.score); size > tolerance {
		all = append(all, Change{Aspect: Score, Detector: detector, From: a.score, To: b.score, size: size})
	}
	if a.threshold != b.threshold {
		all = append(all, Change{Aspect: Threshold, Detector: detector, From: a.threshold, To: b.threshold})
	}
	if !slices.Equal(a.spans, b.spans) {
		i := 0
		for i < len(a.spans) && i < len(b.spans) && a.spans[i] == b.spans[i] {
			i++
		}
		all = append(all, Change{Aspect: Spans, Detector: detector, From: describeSpan(a.spans, i), To: describeSpan(b.spans, i)})
	}
	return all
}

// describeSpan is the first span that differs, or their number.
func describeSpan(spans []string, i int) string {
	if i >= len(spans) {
		return fmt.Sprintf("%d in all", len(spans))
	}
	return fmt.Sprintf("%s (%d of %d)", spans[i], i+1, len(spans))
}

// hasScore reports whether the signal holds a measured score.
func (s *flagSignal) hasScore() bool {
	return s.outcome == string(schemas.Fired) || s.outcome == string(schemas.Clear)
}

// Condition is a kind of change on which a caller may fail: the aspects that it covers. Any covers all of them.
type Condition string

// conditions are the aspects of each condition.
func conditions() map[Condition][]Aspect {
	return map[Condition][]Aspect{
		"any": Aspects(), "alerts": {Alert}, "outcomes": {Outcome, FiredSet, Recommendation}, "scores": {Score}, "risk": {Risk},
		"spans": {Spans}, "missing": {Missing},
	}
}

// ParseConditions reads the names of conditions.
func ParseConditions(names []string) (all []Condition, err error) {
	known := conditions()
	for _, name := range names {
		c := Condition(strings.TrimSpace(name))
		if known[c] == nil {
			return nil, fmt.Errorf("%q: expected a comma-separated list of %v", name, slices.Sorted(maps.Keys(known)))
		}
		all = append(all, c)
	}
	return all, nil
}

// Holds reports whether a row has such a change.
func (r *Report) Holds(c Condition) bool {
	return slices.ContainsFunc(conditions()[c], func(a Aspect) bool { return r.ChangedRows[a] > 0 })
}
