package detectors

import (
	"context"
	"unsafe"

	"confab/schemas"
)

// FactsOptions tune the facts detector.
type FactsOptions struct {
	// Names has names looked for as well as figures and fields. Switch it off where capitals do not make names.
	Names bool `yaml:"names" json:"names"`
}

// DefaultFactsOptions look for names too.
func DefaultFactsOptions() FactsOptions { return FactsOptions{Names: true} }

// facts asks whether the sources or the prompt bear out every figure, date, time and name of the answer's claims and,
// where a source is a JSON record, whether its fields do.
//
// Each thing that is not borne out is a finding with a weight: about how often a finding of its kind was a fault in
// labelled answers. The score is 1 − Π(1 − weight), so that several doubts count for more than one and none counts fully.
type facts struct{ opts FactsOptions }

// newFacts builds the detector.
func newFacts(o FactsOptions) (Detector, error) { return &facts{opts: o}, nil }

func (*facts) Name() string { return "facts" }

const (
	reasonNoFacts = "no facts"
	reasonFact    = "a figure or name of the answer is in no source"
	reasonField   = "the answer contradicts a field of a source"
)

// Detect measures facts (that were looked for), unsupported_numbers, unsupported_dates, unsupported_names, weak_facts
// (in the sources, but about something else), contradicted_fields, missing_fields (said of a field that the record leaves
// open) and worst (the heaviest finding, 0 to 1).
func (g *facts) Detect(ctx context.Context, doc *Document) (Finding, error) {
	if len(doc.AllSourceSentences()) == 0 && !promptTells(doc) {
		return Finding{NotCheckable: ReasonNoSources}, nil
	}
	if !doc.Comparable() {
		return Finding{NotCheckable: ReasonLanguage}, nil
	}
	index := factIndexOf(doc)
	if err := ctx.Err(); err != nil {
		return Finding{}, err
	}
	if index.checked == 0 || doc.Work().Ended() != "" {
		return Finding{NotCheckable: reasonNoFacts}, nil
	}
	return g.finding(doc, index), nil
}

func (g *facts) finding(doc *Document, index *factIndex) Finding {
	found := index.findings
	var counts [factKinds]float64
	doubtless, heaviest, worst := 1.0, 0.0, factWeak
	for i := range found {
		f := &found[i]
		if f.kind == factName && !g.opts.Names {
			continue
		}
		counts[f.kind]++
		weight := float64(f.weight)
		doubtless *= 1 - weight
		if weight > heaviest {
			heaviest, worst = weight, f.kind
		}
	}
	finding := Finding{
		Score:     1 - doubtless,
		Type:      schemas.Factual,
		Truncated: index.truncated,
		Reason:    reasonFact,
	}
	switch worst {
	case factDate:
		finding.Type = schemas.Temporal
	case factContradicted, factMissing:
		finding.Reason = reasonField
	default:
	}
	finding.Measures = doc.Measures(
		Measure{Name: "facts", Value: float64(index.checked)},
		Measure{Name: "unsupported_numbers", Value: counts[factNumber]}, Measure{Name: "unsupported_dates", Value: counts[factDate]},
		Measure{Name: "unsupported_names", Value: counts[factName]}, Measure{Name: "weak_facts", Value: counts[factWeak]},
		Measure{Name: "contradicted_fields", Value: counts[factContradicted]}, Measure{Name: "missing_fields", Value: counts[factMissing]},
		Measure{Name: "worst", Value: heaviest},
	)
	finding.Evidence = factEvidence(doc, found, g.opts.Names)
	return finding
}

// factsScratch is what the detector keeps of a document while it reads it.
type factsScratch struct{ notes []byte }

// factEvidence shows the heaviest findings, heaviest first.
func factEvidence(d *Document, found []factFinding, names bool) []Evidence {
	var shown [MaxEvidence]int
	rows := 0
	for i := range found {
		if found[i].kind == factName && !names {
			continue
		}
		at := rows
		if at < len(shown) {
			rows++
		} else if at--; found[i].weight <= found[shown[at]].weight {
			continue
		}
		for ; at > 0 && found[i].weight > found[shown[at-1]].weight; at-- {
			shown[at] = shown[at-1]
		}
		shown[at] = i
	}
	scratch, _ := Scratch[factsScratch](d)
	scratch.notes = scratch.notes[:0]
	var evidence [MaxEvidence]Evidence
	for row, i := range shown[:rows] {
		f := &found[i]
		e := Evidence{
			Start: int(f.start), End: int(f.end), Source: -1, Similarity: 1 - float64(f.weight),
			Note: d.Answer()[f.start:f.end],
		}
		if f.source >= 0 {
			e.Source, e.SourceStart, e.SourceEnd = int(f.source), int(f.sourceStart), int(f.sourceEnd)
			e.Note = scratch.join(e.Note, "; the source has ", d.Source(int(f.source))[f.sourceStart:f.sourceEnd])
		}
		evidence[row] = e
	}
	return d.Evidence(evidence[:rows]...)
}

// join joins the parts in storage of the document.
func (s *factsScratch) join(parts ...string) string {
	first := len(s.notes)
	for _, p := range parts {
		s.notes = append(s.notes, p...)
	}
	if first == len(s.notes) {
		return ""
	}
	return unsafe.String(&s.notes[first], len(s.notes)-first) //nolint:gosec // a view of bytes that the document owns, like all of a finding
}
