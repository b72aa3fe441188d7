package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	Texts          Aspect = "texts"
)

// Aspects lists every aspect, worst first.
func Aspects() []Aspect {
	return []Aspect{Alert, Recommendation, Outcome, FiredSet, Missing, Risk, Score, Threshold, Spans, Texts}
}

// absent is the outcome of a missing detector or row.
const absent = "absent"

// Change is one difference between two flags of the same incident and pass. From and To are a boolean (alert), a number
// (risk, score, threshold), a list of strings (fired), or a string. One of them is nil where a side has no risk, both are
// nil for texts, which are never printed.
type Change struct {
	Aspect   Aspect `json:"aspect"`
	Detector string `json:"detector,omitempty"`
	From     any    `json:"from,omitempty"`
	To       any    `json:"to,omitempty"`

	size float64 // how far a score or risk moved
}

// Row is one pair of flags that differ, or a flag that only one side has.
type Row struct {
	InteractionID string   `json:"interaction_id"`
	Pass          string   `json:"pass"`
	LineA         int      `json:"line_a,omitempty"` // 0 without a row
	LineB         int      `json:"line_b,omitempty"`
	Changes       []Change `json:"changes"`

	key  rowKey
	rank int     // index of the worst aspect in Aspects
	size float64 // largest movement of a score or the risk
}

// newRow describes the pair, of which one may be nil; changes is not empty.
func newRow(k rowKey, a, b *flagRecord, changes []Change) Row {
	some := cmp.Or(a, b)
	row := Row{InteractionID: some.interaction, Pass: some.pass, Changes: changes, key: k, rank: len(Aspects())}
	if a != nil {
		row.LineA = a.line
	}
	if b != nil {
		row.LineB = b.line
	}
	for _, c := range changes {
		row.rank = min(row.rank, rankOf(c.Aspect))
		row.size = max(row.size, c.size)
	}
	return row
}

// rankOf ranks risk and score together, by movement.
func rankOf(a Aspect) int {
	if a == Score {
		a = Risk
	}
	return slices.Index(Aspects(), a)
}

// compareRows orders rows worst first. No two rows of a comparison are equal.
func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.size, a.size), cmp.Compare(a.InteractionID, b.InteractionID),
		slices.Compare(a.key[:], b.key[:]))
}

// missingChanges describes a row that only one side has; the other record is nil.
func missingChanges(a, b *flagRecord) []Change {
	var changes []Change
	if a != nil {
		if a.alert {
			changes = append(changes, Change{Aspect: Alert, From: true, To: false})
		}
		return append(changes, Change{Aspect: Missing, From: a.recommendation, To: absent})
	}
	if b.alert {
		changes = append(changes, Change{Aspect: Alert, From: false, To: true})
	}
	return append(changes, Change{Aspect: Missing, From: absent, To: b.recommendation})
}

// changes lists what differs between two flags, worst first.
func (o *Options) changes(a, b *flagRecord) []Change {
	var all []Change
	if a.alert != b.alert {
		all = append(all, Change{Aspect: Alert, From: a.alert, To: b.alert})
	}
	if a.recommendation != b.recommendation {
		all = append(all, Change{Aspect: Recommendation, From: a.recommendation, To: b.recommendation})
	}
	if !slices.Equal(a.fired, b.fired) {
		all = append(all, Change{Aspect: FiredSet, From: slices.Clip(a.fired), To: slices.Clip(b.fired)})
	}
	if c, changed := o.riskChange(a.risk, b.risk); changed {
		all = append(all, c)
	}
	for x, y := range alignSignals(a.signals, b.signals) {
		all = append(all, o.signalChanges(x, y)...)
	}
	slices.SortStableFunc(all, func(x, y Change) int {
		return cmp.Compare(slices.Index(Aspects(), x.Aspect), slices.Index(Aspects(), y.Aspect))
	})
	return all
}

// riskChange treats a risk on one side only as the largest movement.
func (o *Options) riskChange(a, b *float64) (Change, bool) {
	switch {
	case a == nil && b == nil:
		return Change{}, false
	case a == nil:
		return Change{Aspect: Risk, To: *b, size: 1}, true
	case b == nil:
		return Change{Aspect: Risk, From: *a, size: 1}, true
	}
	size := math.Abs(*b - *a)
	return Change{Aspect: Risk, From: *a, To: *b, size: size}, size > o.Tolerance
}

// signalChanges compares two signals of one detector, of which one may be nil.
func (o *Options) signalChanges(a, b *flagSignal) []Change {
	if a == nil || b == nil {
		return []Change{{Aspect: Outcome, Detector: cmp.Or(a, b).detector, From: outcomeOf(a), To: outcomeOf(b)}}
	}
	var all []Change
	if a.outcome != b.outcome {
		all = append(all, Change{Aspect: Outcome, Detector: a.detector, From: a.outcome, To: b.outcome})
	}
	if size := math.Abs(b.score - a.score); size > o.Tolerance {
		all = append(all, Change{Aspect: Score, Detector: a.detector, From: a.score, To: b.score, size: size})
	}
	if a.threshold != b.threshold {
		all = append(all, Change{Aspect: Threshold, Detector: a.detector, From: a.threshold, To: b.threshold})
	}
	if !slices.Equal(a.spans, b.spans) {
		from, to := describeSpans(a.spans, b.spans)
		all = append(all, Change{Aspect: Spans, Detector: a.detector, From: from, To: to})
	}
	if a.texts != b.texts {
		all = append(all, Change{Aspect: Texts, Detector: a.detector})
	}
	return all
}

// alignSignals yields the signals of both sides by detector, in the order of names; nil stands for one that a side does
// not have.
func alignSignals(a, b []flagSignal) func(yield func(a, b *flagSignal) bool) {
	return func(yield func(a, b *flagSignal) bool) {
		for len(a)+len(b) > 0 {
			var x, y *flagSignal
			if len(b) == 0 || len(a) > 0 && a[0].detector <= b[0].detector {
				x = &a[0]
			}
			if len(a) == 0 || len(b) > 0 && b[0].detector <= a[0].detector {
				y = &b[0]
			}
			if x != nil {
				a = a[1:]
			}
			if y != nil {
				b = b[1:]
			}
			if !yield(x, y) {
				return
			}
		}
	}
}

func outcomeOf(s *flagSignal) string {
	if s == nil {
		return absent
	}
	return s.outcome
}

// hasScore reports whether the signal holds a measured score.
func hasScore(s *flagSignal) bool {
	return s != nil && (s.outcome == string(schemas.Fired) || s.outcome == string(schemas.Clear))
}

// describeSpans says how many spans each side has, and the first that differs.
func describeSpans(a, b []flagSpan) (from, to string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return describeSpan(a, i), describeSpan(b, i)
}

func describeSpan(spans []flagSpan, i int) string {
	if i >= len(spans) {
		return fmt.Sprintf("%d in all", len(spans))
	}
	s := spans[i]
	at := fmt.Sprintf("answer %d:%d", s.start, s.end)
	if s.source != "" || s.sourceEnd != 0 {
		at += fmt.Sprintf(", source %s %d:%d", s.source, s.sourceStart, s.sourceEnd)
	}
	return fmt.Sprintf("%s (%d of %d)", at, i+1, len(spans))
}
