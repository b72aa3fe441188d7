package knownfalse

import (
	"context"
	"slices"
	"time"

	"confab/detectors"
	"confab/schemas"
)

// Name is the detector's key in the configuration.
const Name = "known_false"

const (
	maxEvidence = 10
	claimWork   = 8 // bytes of a claim for one unit of work
)

// Threshold is where the rule fires: no calibration knows the detector.
const Threshold = 0.5

// Entry describes the detector over a store.
func Entry(store *Store) detectors.Entry {
	return detectors.TextEntry(Name, schemas.Factual, nil,
		func(struct{}) (detectors.Detector, error) { return NewDetector(store), nil }).Reading(schemas.FieldSources)
}

// NewDetector returns the detector over a store; nil: nothing is checkable.
func NewDetector(store *Store) detectors.Detector { return &repeats{store: store} }

type repeats struct{ store *Store }

// Detect implements detectors.Detector: the score is 1 if any sentence repeats a claim of the tenant
// known to be false, which no source states.
func (d *repeats) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	tenant := doc.Interaction().Tenant
	if d.store == nil || !d.store.Holds(tenant) {
		return detectors.Finding{NotCheckable: "no_observations"}, nil
	}
	n, _ := detectors.Scratch[Normalizer](doc)
	answer, found := doc.Text(), 0
	var rows [maxEvidence]detectors.Evidence
	for _, span := range doc.Sentences() {
		if !doc.Work().Spend(int(span.End-span.Start) / claimWork) {
			break
		}
		key, ok := n.Key(span.In(answer))
		if !ok {
			continue
		}
		o, ok := d.store.Find(tenant, key)
		if !ok || !n.Named() && !sharesSource(&o, doc) || stated(n, doc) {
			continue
		}
		if found < maxEvidence {
			rows[found] = detectors.Evidence{
				Start: int(span.Start), End: int(span.End), Source: -1,
				Note: "repeats a claim found false on " + o.At.UTC().Format(time.DateOnly) + " (" + o.Source + ")",
			}
		}
		found++
	}
	return d.finding(doc, rows[:min(found, maxEvidence)], found), nil
}

// sharesSource reports whether the answer has a source of the answer that made the claim. Without sources on either side the
// claim stands for itself.
func sharesSource(o *Observation, doc *detectors.Document) bool {
	sources := doc.Interaction().Sources
	if len(o.Sources) == 0 || len(sources) == 0 {
		return true
	}
	for i := range sources {
		if !doc.Work().Spend(len(sources[i].Text) / claimWork) {
			return false
		}
		if slices.Contains(o.Sources, HashSource(sources[i].Text)) {
			return true
		}
	}
	return false
}

// stated reports whether a source has the last claim word for word: what was false about one subject may be true of the
// subject that these sources are about.
func stated(n *Normalizer, doc *detectors.Document) bool {
	for i := range doc.Sources() {
		text := doc.Source(i)
		if !doc.Work().Spend(len(text) / claimWork) {
			return true // the rest was not read
		}
		if n.StatedBy(text) {
			return true
		}
	}
	return false
}

func (d *repeats) finding(doc *detectors.Document, rows []detectors.Evidence, found int) detectors.Finding {
	f := detectors.Finding{
		Type:      schemas.Factual,
		Measures:  doc.Measures(detectors.Measure{Name: "repeated_claims", Value: float64(found)}),
		Truncated: doc.Truncated(),
	}
	if found > 0 {
		f.Score, f.Reason = 1, "repeats claims that were confirmed false"
		f.Evidence = doc.Evidence(rows...)
	}
	return f
}
