package dispatch

import (
	"slices"
	"strings"

	"confab/alerting/card"
	"confab/schemas"
)

// trimMark returns the mark that an incident is forgotten without anything that is not needed; false for other records.
func trimMark(f *schemas.Feedback) (schemas.Feedback, bool) {
	ok := f.Verdict == schemas.Forgotten && card.IsIncidentID(f.IncidentID)
	return schemas.Feedback{IncidentID: strings.Clone(f.IncidentID), Verdict: schemas.Forgotten, At: f.At}, ok
}

// forgetIncident removes what a group holds of an incident: its texts and labels, and its ids but that of the incident. It
// reports a change. It replaces flags and lists instead of changing them.
func forgetIncident(g *schemas.AlertGroupState, incident string) (changed bool) {
	if lead := forgetFlag(g.Lead, incident); lead != g.Lead {
		g.Lead, g.Feedback, changed = lead, nil, true
	}
	same := func(f schemas.Flag) bool { return f.IncidentID == incident }
	if slices.ContainsFunc(g.Top, same) {
		g.Top, changed = slices.DeleteFunc(slices.Clone(g.Top), same), true
	}
	if changed {
		g.Changed = true
	}
	return changed
}

// forgetFlag returns f without texts if it is of the incident, else f itself.
func forgetFlag(f *schemas.Flag, incident string) *schemas.Flag {
	if f == nil || f.IncidentID != incident || isForgotten(f) {
		return f
	}
	out := &schemas.Flag{
		IncidentID: f.IncidentID, Pass: f.Pass, Tenant: f.Tenant, Service: f.Service, Operation: f.Operation, Provider: f.Provider, Model: f.Model,
		DetectedAt: f.DetectedAt, Fired: f.Fired, Risk: f.Risk, Recommendation: f.Recommendation, Action: f.Action, Alert: f.Alert,
		Signals: make([]schemas.Signal, len(f.Signals)),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		out.Signals[i] = schemas.Signal{Detector: s.Detector, Outcome: s.Outcome, Score: s.Score, Threshold: s.Threshold, Type: s.Type}
	}
	return out
}

// isForgotten reports whether nothing is left to remove.
func isForgotten(f *schemas.Flag) bool {
	if f.InteractionID+f.ConversationID+f.TraceID+f.SpanID+f.Question != "" {
		return false
	}
	return !slices.ContainsFunc(f.Signals, func(s schemas.Signal) bool { return s.Reason != "" || len(s.Evidence) > 0 })
}
