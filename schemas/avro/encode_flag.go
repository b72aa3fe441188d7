package avro

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"confab/schemas"
)

// AppendFlag appends the Avro form of f under the published schema (schemas.FlagAvro) to dst, without a frame. Equal
// flags yield equal bytes. No NaN or infinity is ever written, by the rules of schemas/json: a score that is no number
// turns a fired or clear signal into one with outcome error, infinite scores become 0 or 1, a risk that is no number
// becomes null, other such figures become 0 and such measures are left out. Bytes that are no UTF-8 become U+FFFD. What
// is left to fail is a time outside the years 1 to 9999; dst is then returned as it came.
func AppendFlag(dst []byte, f *schemas.Flag) ([]byte, error) {
	e := recordEncoder{b: dst, repairUTF8: true}
	for _, s := range [...]string{
		f.IncidentID, string(f.Pass), f.InteractionID, f.Tenant, f.Service, f.Operation, f.Provider, f.Model, f.TraceID, f.SpanID,
		f.ConversationID,
	} {
		e.text(s)
	}
	e.texts(f.Tags)
	e.time(f.OccurredAt)
	e.time(f.DetectedAt)
	e.text(f.Origin.Topic)
	e.long(int64(f.Origin.Partition))
	e.long(f.Origin.Offset)
	e.int(f.Origin.Index)
	e.count(len(f.Signals))
	for i := range f.Signals {
		e.signal(&f.Signals[i])
	}
	e.end()
	e.texts(f.Fired)
	if f.Risk != nil && finite(*f.Risk) {
		e.long(1)
		e.double(*f.Risk)
	} else {
		e.long(0)
	}
	e.text(string(f.Recommendation))
	e.text(string(f.Action))
	e.boolean(f.Alert)
	e.grounding(f.Grounding)
	e.text(f.Calibration)
	e.text(f.WorkerVersion)
	e.int(f.ShedLevel)
	e.boolean(f.Truncated)
	e.boolean(f.Sampled)
	e.text(f.SampleReason)
	e.figure(f.SampleProbability)
	e.text(f.IDSource)
	e.strings(f.Attributes)
	e.figures(f.AnomalousRates)
	if e.err != nil {
		return dst, fmt.Errorf("encode flag: %w", e.err)
	}
	return e.b, nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// figure writes a number, one that is not finite as 0.
func (e *recordEncoder) figure(v float64) {
	if !finite(v) {
		v = 0
	}
	e.double(v)
}

// int writes a number into a field of 32 bits; what does not fit, which no answer is long enough for, is cut.
func (e *recordEncoder) int(v int) { e.long(int64(min(max(v, math.MinInt32), math.MaxInt32))) }

func (e *recordEncoder) signal(s *schemas.Signal) {
	score, outcome, reason := s.Score, s.Outcome, s.Reason
	switch {
	case math.IsNaN(score):
		score = 0
		if outcome == schemas.Fired || outcome == schemas.Clear {
			outcome, reason = schemas.Failed, "the score is no number"
		}
	case math.IsInf(score, 0):
		score = min(max(score, 0), 1)
	}
	e.text(s.Detector)
	e.text(string(outcome))
	e.double(score)
	e.figure(s.Threshold)
	e.figures(s.Measures)
	e.text(string(s.Type))
	e.text(reason)
	e.count(len(s.Evidence))
	for i := range s.Evidence {
		v := &s.Evidence[i]
		e.int(v.Start)
		e.int(v.End)
		e.text(v.Excerpt)
		e.text(v.Citation)
		e.text(v.SourceID)
		e.int(v.SourceStart)
		e.int(v.SourceEnd)
		e.figure(v.Similarity)
		e.text(v.Note)
	}
	e.end()
}

// figures writes a map of numbers, sorted, without those that are not finite.
func (e *recordEncoder) figures(m map[string]float64) {
	m = withValidKeys(m)
	names := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if finite(m[name]) {
			names = append(names, name)
		}
	}
	e.count(len(names))
	for _, name := range names {
		e.text(name)
		e.double(m[name])
	}
	e.end()
}

func (e *recordEncoder) grounding(g *schemas.Grounding) {
	if g == nil {
		e.long(0)
		return
	}
	e.long(1)
	e.boolean(g.Grounded)
	e.figure(g.Confidence)
	e.figure(g.OverallSimilarity)
	e.int(g.UngroundedClaims)
	e.count(len(g.UngroundedClaimList))
	for i := range g.UngroundedClaimList {
		c := &g.UngroundedClaimList[i]
		e.int(c.Start)
		e.int(c.End)
		e.text(c.Excerpt)
		e.figure(c.Similarity)
	}
	e.end()
	e.text(g.Source)
}
