package detectors

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/schemas"
)

// Limits of the text in a flag.
const (
	MaxExcerpt       = 100 // characters of an excerpt or a note, without the dots
	MaxSourceExcerpt = 160 // characters of a source's excerpt, a question or a statement, without the dots
	MaxEvidence      = 10  // rows of a signal
	MaxStatements    = 64  // verdicts of a signal

	maxReason = 200 // characters of an error
)

// Attributes of a flag that report defects of the interaction's record.
const (
	AttributeRepaired        = "repaired"         // a lone surrogate was replaced by U+FFFD
	AttributeUnknownFields   = "unknown_fields"   // how many top-level fields were ignored
	AttributeMalformedFields = "malformed_fields" // names of optional fields that could not be read, separated by commas
	AttributeNoSources       = "no_sources"       // why spans of the same trace gave no sources
	AttributeFinishReason    = "finish_reason"    // why the answer ends early
	AttributeUnitsSkipped    = "units_skipped"    // how many units of the answer are no statements, by kind
	AttributeUserPassages    = "user_passages"    // ignored: the user's text holds passages, which are no evidence
)

// Flag copies the evaluation into a verdict that shares no memory with the interaction. The recommendation only says
// whether a rule fired: the alert policy later sets recommendation, action and alert by the tenant's limits, and the
// sampler sets the sample fields.
func (e *Evaluation) Flag(origin schemas.Origin, pass schemas.Pass, detectedAt time.Time) schemas.Flag {
	in := e.doc.in
	var risk *float64
	if p, ok := e.Risk(); ok { // first: it may cut claims, which sets Truncated
		risk = &p
	}
	e.texts.Begin(e.suite.opts.Redact, e.newRedactionMask())
	defer e.texts.Begin(nil, nil) // it keeps no text
	keep := strings.Clone
	coverage := e.Coverage()
	f := schemas.Flag{
		IncidentID:     in.EventID().IncidentID(),
		Pass:           pass,
		InteractionID:  keep(in.ID),
		Tenant:         keep(in.Tenant),
		Service:        keep(in.Service),
		Operation:      keep(in.Operation),
		Provider:       keep(in.Provider),
		Model:          keep(in.Model),
		TraceID:        keep(in.TraceID),
		SpanID:         keep(in.SpanID),
		ConversationID: keep(in.ConversationID),
		Tags:           cloneAll(in.Tags),
		OccurredAt:     in.OccurredAt.UTC(), // readers parse one form, whatever the zone of the worker
		DetectedAt:     detectedAt.UTC(),
		Origin:         origin,
		Signals:        make([]schemas.Signal, 0, len(e.readings)),
		Fired:          append([]string{}, e.fired...),
		Risk:           risk,
		Recommendation: schemas.Allow,
		Calibration:    e.suite.opts.Calibration,
		WorkerVersion:  e.suite.opts.Version,
		Truncated:      e.Truncated(),
		IDSource:       keep(in.IDSource),
		Attributes:     e.attributes(),
		SourcesFrom:    sourcesFrom(in),
		Shape:          keep(in.Shape),
		Question:       e.quoteQuestion(),
		Checked:        coverage.Checked,
		Unchecked:      coverage.Reasons(),
		UserFeedback:   in.UserFeedback,
		UserFeedbackBy: schemas.Voter(in.Tenant, in.UserFeedbackBy),
	}
	if e.AnyFired() || f.Incomplete() {
		f.Recommendation = schemas.Recommend
	}
	for i := range e.readings {
		r := &e.readings[i]
		f.Signals = append(f.Signals, e.signal(r))
		if r.Finding.Grounding.Claims > 0 {
			f.Grounding = e.grounding(r)
		}
		if _, judged := r.Measured(); judged {
			f.JudgeModel, f.JudgePrompt = cmp.Or(f.JudgeModel, r.Finding.Asked.Model), cmp.Or(f.JudgePrompt, r.Finding.Asked.Prompt)
		}
	}
	return f
}

// sourcesFrom is where the sources were found. An interaction that was not searched has them in its field or has none.
func sourcesFrom(in *schemas.Interaction) string {
	switch {
	case in.SourcesFrom != "":
		return in.SourcesFrom
	case len(in.Sources) > 0:
		return schemas.SourcesFromField
	default:
		return schemas.SourcesFromNone
	}
}

func (e *Evaluation) signal(r *Reading) schemas.Signal {
	s := schemas.Signal{
		Detector:  r.Detector,
		Outcome:   r.Outcome,
		Score:     r.Score,
		Threshold: r.Threshold,
		Type:      r.Finding.Type,
		Reason:    strings.Clone(r.Reason),
	}
	if s.Type == "" {
		s.Type = r.entry.Type
	}
	if r.err != nil {
		s.Reason = e.texts.Short(r.err.Error(), maxReason)
	}
	if len(r.Finding.Measures) > 0 {
		s.Measures = make(map[string]float64, len(r.Finding.Measures))
		for _, m := range r.Finding.Measures {
			if m.Value-m.Value == 0 { // neither NaN nor infinite, which JSON cannot express
				s.Measures[m.Name] = m.Value
			}
		}
	}
	if e.shows(r) {
		rows := r.Finding.Evidence[:min(len(r.Finding.Evidence), MaxEvidence)]
		s.Evidence = slices.Grow(s.Evidence, len(rows))
		for at := range rows {
			row := &rows[at]
			if r.Finding.Explain != nil {
				row.Rule, row.Note = r.Finding.Explain.Explain(at)
			}
			s.Evidence = append(s.Evidence, e.evidence(row))
		}
	}
	for _, v := range r.Finding.Statements[:min(len(r.Finding.Statements), MaxStatements)] {
		v.Text, v.Reason = e.quoteWords(v.Text), e.quoteWords(v.Reason)
		s.Statements = append(s.Statements, v)
	}
	return s
}

// shows reports whether the flag carries the evidence of the reading.
func (e *Evaluation) shows(r *Reading) bool {
	return r.Outcome == schemas.Fired || e.suite.opts.Explain && r.Outcome == schemas.Clear
}

// hiddenDifference is the note of two texts whose difference is redacted.
const hiddenDifference = "the source has another value; both are redacted"

func (e *Evaluation) evidence(row *Evidence) schemas.Evidence {
	out := schemas.Evidence{Start: row.Start, End: row.End, Similarity: row.Similarity, Rule: row.Rule}
	if row.Start >= 0 {
		out.Excerpt = e.excerpt(row.Start, row.End)
	}
	if sources := e.doc.in.Sources; row.Source >= 0 && row.Source < len(sources) {
		out.SourceID = strings.Clone(sources[row.Source].ID)
		out.SourceStart, out.SourceEnd = row.SourceStart, row.SourceEnd
		out.SourceNumber = row.Source + 1
		from, to := e.texts.Around(sources[row.Source].Text, row.SourceStart, row.SourceEnd)
		out.SourceExcerpt = e.quoteWords(sources[row.Source].Text[from:to])
	}
	out.CallID = e.texts.Short(row.CallID, MaxExcerpt)
	if !e.suite.opts.HideExcerpts {
		out.Citation, out.Note = e.texts.Short(row.Citation, MaxExcerpt), e.texts.Short(row.Note, MaxExcerpt)
		out.SourceSays = e.texts.Short(row.Says, MaxExcerpt)
		if row.Start >= 0 && out.SourceSays != "" && out.SourceSays == out.Excerpt && row.Says != e.doc.RawAnswer()[row.Start:row.End] {
			out.Note = hiddenDifference
		}
		if _, quoted, ok := strings.Cut(out.Note, `"[`); ok && out.Note != row.Note { // no source has "[phone]"
			if label, _, _ := strings.Cut(quoted, `"`); strings.Contains(out.SourceExcerpt, "["+label) {
				out.Note = hiddenDifference
			}
		}
	}
	return out
}

func (e *Evaluation) grounding(r *Reading) *schemas.Grounding {
	g := &r.Finding.Grounding
	out := &schemas.Grounding{
		Grounded:            r.Outcome != schemas.Fired,
		Confidence:          g.Confidence,
		OverallSimilarity:   g.OverallSimilarity,
		UngroundedClaimList: []schemas.Claim{},
	}
	if e.doc.in.Streamed {
		out.Source = "streaming_response"
	}
	if out.Grounded {
		return out
	}
	out.Confidence, out.UngroundedClaims = 1-g.Confidence, g.UngroundedClaims
	for _, c := range g.Ungrounded[:min(len(g.Ungrounded), MaxEvidence)] {
		out.UngroundedClaimList = append(out.UngroundedClaimList, schemas.Claim{
			Start: c.Start, End: c.End, Excerpt: e.excerpt(c.Start, c.End), Similarity: c.Similarity,
		})
	}
	return out
}

// attributes are what the flag reports of the record and of the reading of its answer.
func (e *Evaluation) attributes() map[string]string {
	in, m := e.doc.in, map[string]string{}
	for _, name := range e.suite.opts.Attributes {
		if value := in.Attributes[name]; value != "" {
			m[name] = e.texts.Short(value, MaxExcerpt)
		}
	}
	if skipped := e.doc.unitsSkipped(); skipped != "" {
		m[AttributeUnitsSkipped] = skipped
	}
	if in.Repaired {
		m[AttributeRepaired] = "true"
	}
	if in.UnknownFields > 0 {
		m[AttributeUnknownFields] = strconv.Itoa(in.UnknownFields)
	}
	if len(in.Malformed) > 0 {
		m[AttributeMalformedFields] = strings.Join(in.Malformed, ",")
	}
	if in.EndsEarly() {
		m[AttributeFinishReason] = strings.Clone(in.FinishReason)
	}
	if in.UserPassages {
		m[AttributeUserPassages] = "ignored"
	}
	if in.NoSources != "" && len(in.Sources) == 0 {
		m[AttributeNoSources] = strings.Clone(in.NoSources)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

func cloneAll(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = strings.Clone(out[i])
	}
	return out
}
