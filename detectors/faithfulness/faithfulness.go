package faithfulness

import (
	"context"
	"errors"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

// Options configure the faithfulness detector.
type Options struct {
	// ExcludeOutOfScope leaves statements that the sources do not cover out of the score. They are always left out if text of a
	// source was not read.
	ExcludeOutOfScope bool `yaml:"exclude_out_of_scope_statements"`
}

// DefaultOptions judge without statements out of scope.
func DefaultOptions() Options { return Options{ExcludeOutOfScope: true} }

// maxStatements is the number of statements that are judged; further ones are only counted.
const maxStatements = 32

// faithfulness asks a language model which statements of the answer its sources support: it extracts statements, then asks
// for verdicts (Es et al., "RAGAS", 2023). The score is 1 − faithful / judged.
//
// The judge is not trusted. Statements that do not come from the answer are dropped, claims of the answer that no statement
// covers are judged verbatim, and a judge that calls a canary statement faithful makes the outcome an error.
type faithfulness struct{ opts Options }

// New returns the detector.
func New(o Options) (detectors.Detector, error) { return &faithfulness{opts: o}, nil }

func (*faithfulness) Name() string { return "faithfulness" }

const (
	reasonNoJudge    = "no judge"
	reasonNoScope    = "no statement in the scope of the sources"
	reasonUnfaithful = "the judge found unsupported statements"
)

var errVerdicts = errors.New("the judge returned a different number of verdicts than statements")

// Detect measures statements (judged), unfaithful, out_of_scope, dropped (not from the answer), added (claims that no
// statement covers), unjudged (beyond the limit), against_samples (1 without sources), and the usage.
func (f *faithfulness) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	models := deep.ModelsOf(doc)
	if models.Extractor == nil || models.Judge == nil {
		return detectors.Finding{NotCheckable: reasonNoJudge}, nil
	}
	references, err := deep.ReferencesOf(ctx, doc)
	if err != nil || references.NotCheckable != "" {
		return references.Finding(doc, schemas.Usage{}, references.NotCheckable), err
	}
	list, verdicts, used, err := f.judge(ctx, doc, references.Texts)
	out := references.Finding(doc, used, "")
	if err != nil || doc.Work().Ended() != "" {
		return out, err
	}
	t := tallyVerdicts(list, verdicts, f.excludesOutOfScope(doc))
	out.Measures = doc.Measures(append(out.Measures, detectors.Measure{Name: "statements", Value: t.judged}, detectors.Measure{Name: "unfaithful", Value: t.unfaithful},
		detectors.Measure{Name: "out_of_scope", Value: t.outside}, detectors.Measure{Name: "dropped", Value: float64(list.dropped)}, detectors.Measure{Name: "added", Value: float64(list.added)},
		detectors.Measure{Name: "unjudged", Value: float64(list.unjudged)})...)
	out.Statements = t.statements
	if t.judged == 0 {
		out.NotCheckable = reasonNoScope
		return out, nil
	}
	out.Score, out.Type, out.Reason, out.Truncated = t.unfaithful/t.judged, schemas.Factual, references.Reason(reasonUnfaithful), list.unjudged > 0
	out.Supported = !references.Sampled && list.unjudged == 0 && t.unfaithful+t.outside == 0
	out.Evidence = doc.Evidence(t.rows[:min(len(t.rows), detectors.MaxEvidence)]...)
	return out, nil
}

// judge returns the statements of the answer, up to the limit, with their verdicts.
func (f *faithfulness) judge(ctx context.Context, doc *detectors.Document, texts []string) (list matchedStatements, verdicts []schemas.Verdict, used schemas.Usage, err error) {
	models := deep.ModelsOf(doc)
	extracted, used, err := models.Extractor.Statements(ctx, doc.Interaction().UserQuestion(), doc.Answer())
	if err != nil {
		return list, nil, used, err
	}
	list = matchStatements(doc, extracted)
	if doc.Work().Ended() != "" {
		return list, nil, used, nil
	}
	list.limit(maxStatements)
	verdicts, more, err := models.Judge.Verdicts(ctx, list.texts(), texts)
	if err == nil && len(verdicts) != len(list.statements) {
		err = errVerdicts
	}
	return list, verdicts, used.Plus(more), err
}

// excludesOutOfScope reports whether statements count only if the sources cover them. What was not read may cover them.
func (f *faithfulness) excludesOutOfScope(doc *detectors.Document) bool {
	return f.opts.ExcludeOutOfScope || doc.SourcesTruncated()
}

type verdictTally struct {
	judged, unfaithful, outside float64
	rows                        []detectors.Evidence
	statements                  []schemas.Statement // all, with their verdicts
}

// verdictName is the verdict as flags show it.
func verdictName(r schemas.Ruling) string {
	switch r {
	case schemas.Faithful:
		return "faithful"
	case schemas.OutOfScope:
		return "out_of_scope"
	default:
		return "unfaithful"
	}
}

func tallyVerdicts(list matchedStatements, verdicts []schemas.Verdict, excludeOutOfScope bool) (t verdictTally) {
	for i, v := range verdicts {
		s := &list.statements[i]
		t.statements = append(t.statements, schemas.Statement{
			Start: s.start, End: s.end, Text: s.text, Verdict: verdictName(v.Ruling), Reason: v.Reason, Confidence: v.Confidence,
		})
		if v.Ruling == schemas.OutOfScope {
			t.outside++
			if excludeOutOfScope {
				continue
			}
		}
		t.judged++
		if v.Ruling == schemas.Faithful {
			continue
		}
		t.unfaithful++
		note := v.Reason
		if note == "" {
			note = s.text
		}
		t.rows = append(t.rows, detectors.Evidence{Start: s.start, End: s.end, Source: -1, Similarity: 1 - v.Confidence, Note: note})
	}
	return t
}
