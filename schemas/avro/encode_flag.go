package avro

import (
	"math"

	"confab/internal/recordformat"
	"confab/schemas"
)

// AppendFlag appends the Avro form of f under the published schema (schemas.FlagAvro) to dst, without a frame. Equal
// flags yield equal bytes. Numbers are made finite as recordformat.FiniteFlag describes, and bytes that are not UTF-8
// become U+FFFD. It fails only on a time outside the years 1 to 9999; dst is then returned unchanged.
func AppendFlag(dst []byte, flag *schemas.Flag) ([]byte, error) {
	f := recordformat.FiniteFlag(flag)
	e := recordEncoder{Buffer: recordformat.Buffer{Bytes: dst}, repairUTF8: true}
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
	if f.Risk != nil {
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
	e.boolean(f.Truncated)
	e.boolean(f.Sampled)
	e.text(f.SampleReason)
	e.double(f.SampleProbability)
	e.text(f.IDSource)
	writeMap(&e, f.Attributes, e.text)
	writeMap(&e, f.AnomalousRates, e.double)
	e.text(f.SourcesFrom)
	e.text(f.Question)
	e.text(string(f.Checked))
	e.texts(f.Unchecked)
	return e.Result(dst, "flag")
}

// int writes a number into a field of 32 bits; larger values, which no answer is long enough for, are limited.
func (e *recordEncoder) int(v int) { e.long(int64(min(max(v, math.MinInt32), math.MaxInt32))) }

func (e *recordEncoder) signal(s *schemas.Signal) {
	e.text(s.Detector)
	e.text(string(s.Outcome))
	e.double(s.Score)
	e.double(s.Threshold)
	writeMap(e, s.Measures, e.double)
	e.text(string(s.Type))
	e.text(s.Reason)
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
		e.double(v.Similarity)
		e.text(v.Note)
		e.int(v.SourceNumber)
		e.text(v.SourceExcerpt)
		e.text(v.SourceSays)
	}
	e.end()
	e.count(len(s.Statements))
	for i := range s.Statements {
		v := &s.Statements[i]
		e.int(v.Start)
		e.int(v.End)
		e.text(v.Text)
		e.text(v.Verdict)
		e.text(v.Reason)
		e.double(v.Confidence)
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
	e.double(g.Confidence)
	e.double(g.OverallSimilarity)
	e.int(g.UngroundedClaims)
	e.count(len(g.UngroundedClaimList))
	for i := range g.UngroundedClaimList {
		c := &g.UngroundedClaimList[i]
		e.int(c.Start)
		e.int(c.End)
		e.text(c.Excerpt)
		e.double(c.Similarity)
	}
	e.end()
	e.text(g.Source)
}
