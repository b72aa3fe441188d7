package avro

import (
	"math"

	"confab/schemas"
)

// DecodeFlag overwrites f with the flag in body, which was written with s. Strings of f point into body. Empty lists are
// as in schemas/json: Signals and Fired are empty, others nil. The error is an *Error.
func DecodeFlag(s *Schema, body []byte, f *schemas.Flag) error {
	*f = schemas.Flag{Signals: []schemas.Signal{}, Fired: []string{}}
	r, err := s.decode(s.flag, body)
	if err != nil {
		return err
	}
	f.IncidentID, f.Pass = r.str("incident_id"), schemas.Pass(r.str("pass"))
	f.InteractionID, f.Tenant = r.str("interaction_id"), r.str("tenant")
	f.Service, f.Operation = r.str("service"), r.str("operation")
	f.Provider, f.Model = r.str("provider"), r.str("model")
	f.TraceID, f.SpanID, f.ConversationID = r.str("trace_id"), r.str("span_id"), r.str("conversation_id")
	f.Tags = r.texts(nil, "tags", MaxItems)
	f.OccurredAt, f.DetectedAt = r.time("occurred_at"), r.time("detected_at")
	f.Origin = r.origin()
	r.list("signals", MaxItems, func(item decodedValue, _ bool) {
		if s, ok := r.record(item); ok {
			f.Signals = append(f.Signals, s.signal())
		}
	})
	f.Fired = r.texts(f.Fired, "fired", MaxItems)
	if risk, ok := r.get("risk"); ok {
		n := r.number(risk)
		f.Risk = &n
	}
	f.Recommendation, f.Action = schemas.Recommendation(r.str("recommendation")), schemas.Action(r.str("action"))
	f.Alert = r.boolean("alert")
	f.Grounding = r.grounding()
	f.Calibration, f.WorkerVersion = r.str("calibration"), r.str("worker_version")
	f.Truncated, f.Sampled = r.boolean("truncated"), r.boolean("sampled")
	f.SampleReason, f.SampleProbability = r.str("sample_reason"), r.float("sample_probability", 0)
	f.IDSource = r.str("id_source")
	r.dict("attributes", MaxItems, func(key string, v decodedValue) {
		if f.Attributes == nil {
			f.Attributes = make(map[string]string)
		}
		f.Attributes[key] = r.text(v)
	})
	f.AnomalousRates = r.figures("anomalous_rates")
	f.SourcesFrom, f.Question = r.str("sources_from"), r.str("question")
	f.Checked = schemas.Checked(r.str("checked"))
	f.Unchecked = r.texts(nil, "unchecked", MaxItems)
	if r.err != nil {
		return r.err
	}
	return nil
}

// int reads a number that fits 32 bits.
func (r decodedRecord) int(name string, absent int64) int {
	return int(r.integer(name, absent, math.MinInt32, math.MaxInt32))
}

// figures reads a map of numbers, nil where it is empty.
func (r decodedRecord) figures(name string) (m map[string]float64) {
	r.dict(name, MaxItems, func(key string, v decodedValue) {
		if m == nil {
			m = make(map[string]float64)
		}
		m[key] = r.number(v)
	})
	return m
}

func (r decodedRecord) origin() (o schemas.Origin) {
	v, ok := r.get("origin")
	if !ok {
		return o
	}
	if at, ok := r.record(v); ok {
		o.Topic, o.Partition = at.str("topic"), int32(at.int("partition", 0))
		o.Offset, o.Index = at.integer("offset", 0, math.MinInt64, math.MaxInt64), at.int("index", 0)
	}
	return o
}

func (r decodedRecord) signal() schemas.Signal {
	s := schemas.Signal{
		Detector: r.str("detector"), Outcome: schemas.Outcome(r.str("outcome")), Score: r.float("score", 0),
		Threshold: r.float("threshold", 0), Type: schemas.SignalType(r.str("type")), Reason: r.str("reason"),
	}
	s.Measures = r.figures("measures")
	r.list("evidence", MaxItems, func(item decodedValue, _ bool) {
		if e, ok := r.record(item); ok {
			s.Evidence = append(s.Evidence, schemas.Evidence{
				Start: e.int("start", schemas.NoPlace), End: e.int("end", schemas.NoPlace), Excerpt: e.str("excerpt"),
				Citation: e.str("citation"), SourceID: e.str("source_id"), SourceStart: e.int("source_start", 0),
				SourceEnd: e.int("source_end", 0), Similarity: e.float("similarity", 0), Note: e.str("note"),
				SourceNumber: e.int("source_number", 0), SourceExcerpt: e.str("source_excerpt"), SourceSays: e.str("source_says"),
			})
		}
	})
	r.list("statements", MaxItems, func(item decodedValue, _ bool) {
		if v, ok := r.record(item); ok {
			s.Statements = append(s.Statements, schemas.Statement{
				Start: v.int("start", schemas.NoPlace), End: v.int("end", schemas.NoPlace), Text: v.str("text"),
				Verdict: v.str("verdict"), Reason: v.str("reason"), Confidence: v.float("confidence", 0),
			})
		}
	})
	return s
}

func (r decodedRecord) grounding() *schemas.Grounding {
	v, ok := r.get("grounding")
	if !ok {
		return nil
	}
	in, ok := r.record(v)
	if !ok {
		return nil
	}
	g := &schemas.Grounding{
		Grounded: in.boolean("grounded"), Confidence: in.float("confidence", 0), OverallSimilarity: in.float("overall_similarity", 0),
		UngroundedClaims: in.int("ungrounded_claim_count", 0), UngroundedClaimList: []schemas.Claim{}, Source: in.str("source"),
	}
	in.list("ungrounded_claims", MaxItems, func(item decodedValue, _ bool) {
		if c, ok := in.record(item); ok {
			g.UngroundedClaimList = append(g.UngroundedClaimList, schemas.Claim{
				Start: c.int("start", schemas.NoPlace), End: c.int("end", schemas.NoPlace), Excerpt: c.str("excerpt"),
				Similarity: c.float("similarity", 0),
			})
		}
	})
	return g
}
