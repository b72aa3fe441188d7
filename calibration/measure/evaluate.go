package measure

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unique"

	"confab/detectors"
	"confab/schemas"
)

// measure makes a row of a labelled interaction. It keeps names, copied, and no text.
func (m *measureRun) measure(ctx context.Context, row *schemas.Labelled, place string) Row {
	in := &row.Interaction
	in.Tenant = cmp.Or(in.Tenant, schemas.DefaultTenant)
	r := Row{
		ID: strings.Clone(in.ID), Weight: row.Weight,
		Dataset: SharedName(row.Dataset), Task: SharedName(row.Task), Group: SharedName(row.Group),
		Tenant: SharedName(in.Tenant), Operation: SharedName(in.Operation), Model: SharedName(in.Model),
		Service: SharedName(in.Service), Provider: SharedName(in.Provider), Attributes: sharedNames(in.Attributes),
		Positive: row.Label == 1, Kind: SharedName(row.Kind),
		Words: len(strings.Fields(in.Answer)), New: measureNovelty(in.Answer, in.Sources), Fused: math.NaN(),
	}
	if r.Group == "" {
		r.Group = "row " + place
	}
	e := m.Evaluate(ctx, in)
	defer e.Release()
	r.readEvaluation(e)
	r.readSamples(in.Answer, row.Samples)
	r.Spans = spanHit(e.Readings(), row.Spans)
	return r
}

// SharedName returns one copy of a name that many rows share.
func SharedName(name string) string { return unique.Make(name).Value() }

func sharedNames(names map[string]string) map[string]string {
	if len(names) == 0 {
		return nil
	}
	out := make(map[string]string, len(names))
	for name, value := range names {
		out[SharedName(name)] = SharedName(value)
	}
	return out
}

// readEvaluation copies the numbers of an evaluation.
func (r *Row) readEvaluation(e *detectors.Evaluation) {
	readings := e.Readings()
	r.Signals = make([]Signal, len(readings))
	for i := range readings {
		score, has := readings[i].Measured()
		r.Signals[i] = Signal{Detector: readings[i].Detector, Outcome: readings[i].Outcome, Score: score, HasScore: has, Fused: !readings[i].Independent()}
	}
	r.Measurable = SharedName(e.Measurable())
	if e.HasFusion() {
		r.fuse(e.LogOdds)
	}
}

// spanHit reports whether the top evidence touches a labelled span. The top evidence is that of the firing detector
// with the highest score, or else of the detector with the highest score, among those whose evidence has a position.
func spanHit(readings []detectors.Reading, spans []schemas.Span) SpanHit {
	if len(spans) == 0 {
		return NoSpans
	}
	var worst *detectors.Reading
	var top detectors.Evidence
	for i := range readings {
		reading := &readings[i]
		placed := slices.IndexFunc(reading.Finding.Evidence, func(e detectors.Evidence) bool { return e.Start >= 0 && e.Start < e.End })
		if _, ok := reading.Measured(); placed < 0 || !ok || (worst != nil && !ranksAbove(reading, worst)) {
			continue
		}
		worst, top = reading, reading.Finding.Evidence[placed]
	}
	if worst == nil {
		return NoSpans
	}
	for _, s := range spans {
		if top.Start < s.End && s.Start < top.End {
			return SpanTouched
		}
	}
	return SpanMissed
}

func ranksAbove(a, b *detectors.Reading) bool {
	aFired, bFired := a.Outcome == schemas.Fired, b.Outcome == schemas.Fired
	if aFired != bFired {
		return aFired
	}
	return a.Finding.Score > b.Finding.Score
}
