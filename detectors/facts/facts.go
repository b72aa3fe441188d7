package facts

import (
	"context"
	"io"
	"strings"
	"unsafe"

	"confab/detectors"
	"confab/detectors/contradiction"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
	"confab/schemas"
)

// Options configures the facts detector.
type Options struct {
	// Names includes names as well as figures and fields. Set it to false for texts in which capitals do not mark names.
	Names bool `yaml:"names" json:"names"`
	// Synonyms is a YAML file that replaces the built-in words for the same thing in records and answers
	// (detectors/synonyms/default.yaml). Empty: the built-in ones.
	Synonyms string `yaml:"synonyms" json:"synonyms,omitempty"`
}

// DefaultOptions includes names.
func DefaultOptions() Options { return Options{Names: true} }

// factsDetector checks whether sources or prompt support every figure, date, time and name of the answer's claims and, if
// a source is a JSON record, whether the claims agree with its fields.
//
// Each unsupported fact is a finding. Its weight is about the share of findings of its kind that were faults in labelled
// answers. The score is 1 − Π(1 − weight): several findings count more than one, and none counts fully.
type factsDetector struct {
	opts  Options
	words *synonyms.Choice
}

// Dependencies are what the detector needs from outside.
type Dependencies struct {
	Open  func(path string) (io.ReadCloser, error) // opens the synonym file; nil: it is not read
	Words *synonyms.Choice                         // receives the table of the file; nil: the built-in one
}

// New builds the detector and loads the synonym file into the choice that it shares with other detectors.
func New(o Options, deps Dependencies) (detectors.Detector, error) {
	if deps.Words == nil {
		deps.Words = &synonyms.Choice{}
	}
	if err := deps.Words.Load(o.Synonyms, deps.Open); err != nil {
		return nil, err
	}
	return &factsDetector{opts: o, words: deps.Words}, nil
}

func (*factsDetector) Name() string { return "facts" }

const (
	reasonNoFacts = "no facts"
	reasonFact    = "the answer contains a figure or name that no source contains"
	reasonField   = "the answer contradicts a field of a source"

	reasonContradiction = "the answer contradicts itself"
)

// Detect measures facts (checked), unsupported_numbers, unsupported_dates, unsupported_names, weak_facts (in the sources,
// but in another context), contradicted_fields, missing_fields (stated although the record leaves the field open) and
// worst (the largest weight, 0 to 1). Of an answer in another language than its sources only figures are measured.
func (g *factsDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if doc.Translated() {
		f, err := g.compare(ctx, doc)
		if f.NotCheckable == reasonNoFacts {
			f.NotCheckable = detectors.ReasonLanguage
		}
		return f, err
	}
	if !doc.Comparable() {
		return detectors.Finding{NotCheckable: detectors.ReasonLanguage}, nil
	}
	within, contradicts := contradiction.Of(doc).WithinAnswer(doc)
	f, err := g.compare(ctx, doc)
	if contradicts && err == nil && doc.Work().Ended() == "" {
		addContradiction(doc, &f, &within)
	}
	return f, err
}

// compare compares the facts of the answer with sources and prompt.
func (g *factsDetector) compare(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if len(doc.AllSourceSentences()) == 0 && !figureindex.PromptIsLong(doc) {
		return detectors.Finding{NotCheckable: detectors.ReasonNoSources}, nil
	}
	g.words.Use(doc)
	index := Of(doc)
	if err := ctx.Err(); err != nil {
		return detectors.Finding{}, err
	}
	switch {
	case doc.Work().Ended() != "":
		return detectors.Finding{}, nil
	case index.Checked <= 0 && index.Unread > 0:
		return detectors.Finding{NotCheckable: detectors.ReasonTruncated, Truncated: true}, nil
	case index.Checked == 0:
		return detectors.Finding{NotCheckable: reasonNoFacts}, nil
	}
	return g.finding(doc, index), nil
}

// addContradiction adds a sentence that contradicts another one of the answer. It needs no source.
func addContradiction(doc *detectors.Document, f *detectors.Finding, within *contradiction.Finding) {
	var rows [detectors.MaxEvidence]detectors.Evidence
	evidence := append(rows[:0], contradiction.Of(doc).Evidence(doc, within))
	evidence = append(evidence, f.Evidence[:min(len(f.Evidence), detectors.MaxEvidence-1)]...)
	f.NotCheckable = ""
	f.Score = 1 - (1-f.Score)*(1-within.Weight())
	f.Type, f.Reason = schemas.Logical, reasonContradiction
	f.Evidence = doc.Evidence(evidence...)
}

func (g *factsDetector) finding(doc *detectors.Document, index *Check) detectors.Finding {
	found := index.List
	var counts [figureindex.Kinds]float64
	supported, heaviest, worst := 1.0, 0.0, figureindex.Weak
	for i := range found {
		f := &found[i]
		if f.Kind == figureindex.Name && !g.opts.Names {
			continue
		}
		counts[f.Kind]++
		weight := float64(f.Weight)
		supported *= 1 - weight
		if weight > heaviest {
			heaviest, worst = weight, f.Kind
		}
	}
	finding := detectors.Finding{
		Score:     1 - supported,
		Type:      schemas.Factual,
		Truncated: index.Truncated,
		Reason:    reasonFact,
	}
	switch worst {
	case figureindex.Date:
		finding.Type = schemas.Temporal
	case figureindex.Contradicted, figureindex.Missing:
		finding.Reason = reasonField
	default:
	}
	finding.Measures = doc.Measures(
		detectors.Measure{Name: "facts", Value: float64(index.Checked)},
		detectors.Measure{Name: "unsupported_numbers", Value: counts[figureindex.Number]}, detectors.Measure{Name: "unsupported_dates", Value: counts[figureindex.Date]},
		detectors.Measure{Name: "unsupported_names", Value: counts[figureindex.Name]}, detectors.Measure{Name: "weak_facts", Value: counts[figureindex.Weak]},
		detectors.Measure{Name: "contradicted_fields", Value: counts[figureindex.Contradicted]}, detectors.Measure{Name: "missing_fields", Value: counts[figureindex.Missing]},
		detectors.Measure{Name: "worst", Value: heaviest},
	)
	finding.Evidence = factEvidence(doc, found, g.opts.Names)
	return finding
}

// noteBuffer is reused across documents.
type noteBuffer struct{ notes []byte }

// factEvidence returns the findings with the largest weights, largest first.
func factEvidence(d *detectors.Document, found []figureindex.Finding, names bool) []detectors.Evidence {
	var shown [detectors.MaxEvidence]int
	rows := 0
	for i := range found {
		if found[i].Kind == figureindex.Name && !names {
			continue
		}
		at := rows
		if at < len(shown) {
			rows++
		} else if at--; found[i].Weight <= found[shown[at]].Weight {
			continue
		}
		for ; at > 0 && found[i].Weight > found[shown[at-1]].Weight; at-- {
			shown[at] = shown[at-1]
		}
		shown[at] = i
	}
	scratch, _ := detectors.Scratch[noteBuffer](d)
	scratch.notes = scratch.notes[:0]
	var evidence [detectors.MaxEvidence]detectors.Evidence
	for row, i := range shown[:rows] {
		f := &found[i]
		e := detectors.Evidence{
			Start: int(f.Start), End: int(f.End), Source: -1, Similarity: 1 - float64(f.Weight),
			Note: d.Answer()[f.Start:f.End],
		}
		if f.Source >= 0 {
			e.Source, e.SourceStart, e.SourceEnd = int(f.Source), int(f.SourceStart), int(f.SourceEnd)
			source := d.Source(int(f.Source))
			scratch.compare(&e, f, source)
		}
		evidence[row] = e
	}
	return d.Evidence(evidence[:rows]...)
}

// compare writes the note that sets the finding against what the source has.
func (s *noteBuffer) compare(e *detectors.Evidence, f *figureindex.Finding, source string) {
	const instead = "; the source has "
	says, value := len(e.Note)+len(instead), source[f.SourceStart:f.SourceEnd]
	switch {
	case f.Kind == figureindex.Weak && strings.EqualFold(value, e.Note):
		e.Note = s.join(e.Note, " is next to other words in the source")
		return
	case f.KeyEnd > f.KeyStart:
		e.Note = s.join(e.Note, instead, source[f.KeyStart:f.KeyEnd], " \"", value, "\"")
	default:
		e.Note = s.join(e.Note, instead, value)
	}
	e.Says = e.Note[says:]
}

// join joins the parts in the buffer.
func (s *noteBuffer) join(parts ...string) string {
	first := len(s.notes)
	for _, p := range parts {
		s.notes = append(s.notes, p...)
	}
	if first == len(s.notes) {
		return ""
	}
	return unsafe.String(&s.notes[first], len(s.notes)-first) //nolint:gosec // a view of bytes that are valid until the next Reset, like the finding
}
