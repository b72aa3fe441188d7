package dispatch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/internal/text"
	"confab/schemas"
)

const (
	maxText        = 600 // bytes of an excerpt, a reason, a note or the question
	maxSignals     = 64  // of a flag; more than there are detectors
	maxEvidence    = 3   // of a signal
	maxMeasures    = 16  // of a signal
	maxUnchecked   = 16  // reasons; more than there are
	maxGroupModels = 16
	maxTopFlags    = 3
)

// trimFlag copies what messages show of a flag. The copy shares no memory with the decoded record.
func trimFlag(f *schemas.Flag) schemas.Flag {
	out := *f
	for _, s := range []*string{
		&out.InteractionID, &out.Tenant, &out.Service, &out.Operation, &out.Provider, &out.Model, &out.TraceID,
		&out.SpanID, &out.ConversationID, &out.Calibration, &out.WorkerVersion, &out.SampleReason, &out.IDSource,
		&out.Origin.Topic, &out.SourcesFrom, &out.Shape, &out.ConfirmedBy,
	} {
		*s = truncate(*s, maxLabel)
	}
	out.IncidentID, out.Question = strings.Clone(f.IncidentID), truncate(f.Question, maxText)
	out.Pass = normalPass(f)
	out.Recommendation = schemas.Recommendation(truncate(string(f.Recommendation), maxLabel))
	out.Action = schemas.Action(truncate(string(f.Action), maxLabel))
	out.Checked = schemas.Checked(truncate(string(f.Checked), maxLabel))
	out.Unchecked, out.Fired = truncateAll(f.Unchecked, maxUnchecked), truncateAll(f.Fired, maxSignals)
	out.Tags, out.Attributes, out.Grounding, out.UserFeedback, out.UserFeedbackBy = nil, nil, nil, "", ""
	if f.Risk != nil {
		risk := *f.Risk
		out.Risk = &risk
	}
	out.Signals = make([]schemas.Signal, min(len(f.Signals), maxSignals))
	for i := range out.Signals {
		out.Signals[i] = trimSignal(&f.Signals[i])
	}
	return out
}

// trimSignal keeps evidence and measures of a signal that fired, and outcome, score and threshold of the others.
func trimSignal(s *schemas.Signal) schemas.Signal {
	out := schemas.Signal{
		Detector: truncate(s.Detector, maxLabel), Outcome: schemas.Outcome(truncate(string(s.Outcome), maxLabel)),
		Score: s.Score, Threshold: s.Threshold,
	}
	if s.Outcome != schemas.Fired {
		return out
	}
	out.Type = schemas.SignalType(truncate(string(s.Type), maxLabel))
	out.Reason = truncate(s.Reason, maxText)
	for _, e := range s.Evidence[:min(len(s.Evidence), maxEvidence)] {
		e.Excerpt, e.Note = truncate(e.Excerpt, maxText), truncate(e.Note, maxText)
		e.SourceExcerpt, e.SourceSays = truncate(e.SourceExcerpt, maxText), truncate(e.SourceSays, maxText)
		e.Citation, e.SourceID, e.CallID = truncate(e.Citation, maxLabel), truncate(e.SourceID, maxLabel), truncate(e.CallID, maxLabel)
		out.Evidence = append(out.Evidence, e)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
		if len(out.Measures) == maxMeasures {
			break
		}
		if out.Measures == nil {
			out.Measures = make(map[string]float64, min(len(s.Measures), maxMeasures))
		}
		out.Measures[truncate(name, maxLabel)] = s.Measures[name]
	}
	return out
}

// truncateAll copies the first labels of a list.
func truncateAll(list []string, limit int) []string {
	out := slices.Clone(list[:min(len(list), limit)])
	for i := range out {
		out[i] = truncate(out[i], maxLabel)
	}
	return out
}

// truncate copies at most limit bytes of s and cuts between characters.
func truncate(s string, limit int) string {
	s, _ = text.Cut(s, limit)
	return strings.Clone(s)
}

// rankFlag adds f to the flags of highest risk if it is one of them, and reports a change. It returns a new slice.
func rankFlag(top []schemas.Flag, f *schemas.Flag) ([]schemas.Flag, bool) {
	out := slices.Clone(top)
	at := slices.IndexFunc(out, func(t schemas.Flag) bool { return t.IncidentID == f.IncidentID })
	if at >= 0 {
		if out[at].Pass == f.Pass {
			return top, false
		}
		out = slices.Delete(out, at, at+1)
	}
	place := len(out)
	for place > 0 && compareRisk(f, &out[place-1]) < 0 {
		place--
	}
	if at < 0 && place >= maxTopFlags {
		return top, false
	}
	out = slices.Insert(out, place, evidenceOnly(f))
	return slices.Clip(out[:min(len(out), maxTopFlags)]), true
}

// evidenceOnly copies a flag without the signals and measures that messages show of the first incident only.
func evidenceOnly(f *schemas.Flag) schemas.Flag {
	own := *f
	own.Signals = slices.DeleteFunc(slices.Clone(f.Signals), func(s schemas.Signal) bool { return s.Outcome != schemas.Fired })
	for i := range own.Signals {
		own.Signals[i].Measures = nil
	}
	return trimFlag(&own)
}

// compareRisk orders flags by risk, then by the number of fired detectors, the highest first.
func compareRisk(a, b *schemas.Flag) int {
	unknown := -1.0
	return cmp.Or(cmp.Compare(*cmp.Or(b.Risk, &unknown), *cmp.Or(a.Risk, &unknown)), cmp.Compare(len(b.Fired), len(a.Fired)))
}

// addModel adds a model to a sorted, bounded list, and reports a change. It returns a new slice.
func addModel(models []string, model string) ([]string, bool) {
	model = truncate(model, maxLabel)
	at, found := slices.BinarySearch(models, model)
	if found || model == "" || len(models) == maxGroupModels {
		return models, false
	}
	return slices.Insert(slices.Clone(models), at, model), true
}

// normalPass is the flag's pass as a constant, so that the state does not keep the bytes of a record.
func normalPass(f *schemas.Flag) schemas.Pass {
	if f.Pass == schemas.PassDeep {
		return schemas.PassDeep
	}
	return schemas.PassFast
}

// setLead makes f the first incident of the next message. The previous lead may stay among the flags of highest risk.
func setLead(g *schemas.AlertGroupState, f *schemas.Flag, first time.Time) {
	if g.Lead != nil {
		g.Top, _ = rankFlag(g.Top, g.Lead)
	}
	g.Lead, g.First, g.Feedback = f, first, nil
	g.Top = slices.DeleteFunc(slices.Clone(g.Top), func(t schemas.Flag) bool { return t.IncidentID == f.IncidentID })
}

// resetMessage makes the record pending without a message.
func resetMessage(rec *schemas.AlertState, now time.Time) {
	rec.Status, rec.Attempt, rec.PossiblyDuplicated, rec.UpdatedAt = schemas.AlertPending, 0, false, now
	rec.Channel, rec.Timestamp = "", ""
	g := rec.Group
	g.Message, g.Kind, g.Cause, g.SentAt = "", "", "", time.Time{}
}

// detectedAt is when the flag was made, or now if that is missing or in the future.
func detectedAt(f *schemas.Flag, now time.Time) time.Time {
	if f.DetectedAt.IsZero() || f.DetectedAt.After(now) {
		return now
	}
	return f.DetectedAt
}
