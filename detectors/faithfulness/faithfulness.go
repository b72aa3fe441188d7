package faithfulness

import (
	"context"
	"errors"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

// Options tune the faithfulness detector.
type Options struct {
	// ExcludeOutOfScope leaves statements about nothing that the sources speak of out of the share.
	ExcludeOutOfScope bool `yaml:"exclude_out_of_scope_statements" json:"exclude_out_of_scope_statements"`
	// MaxStatements is the number of statements that are judged, 1 to 64; the others are counted.
	MaxStatements int `yaml:"max_statements" json:"max_statements"`
}

// DefaultOptions judge up to 32 statements and count all of them.
func DefaultOptions() Options { return Options{MaxStatements: 32} }

// faithfulness asks a language model which statements of the answer its sources bear out: statements first, then verdicts
// (Es et al., "RAGAS", 2023). The score is 1 − faithful / judged.
//
// The judge is not trusted. Statements that are not the answer's are dropped, parts of the answer that no statement covers
// are judged in its own words, and a judge that was talked into calling a planted falsehood faithful gives an error.
type faithfulness struct{ opts Options }

// New builds the detector.
func New(o Options) (detectors.Detector, error) {
	if o.MaxStatements < 1 || o.MaxStatements > detectors.MaxClaims {
		return nil, errors.New("max_statements is how many are judged: choose 1 to 64")
	}
	return &faithfulness{opts: o}, nil
}

func (*faithfulness) Name() string { return "faithfulness" }

const (
	reasonNoJudge    = "no judge"
	reasonNoScope    = "no statement in the scope of the sources"
	reasonUnfaithful = "a judge finds statements that are not borne out"
)

var errVerdicts = errors.New("the judge gave another number of verdicts than statements")

// Detect measures statements (judged), unfaithful, out_of_scope, dropped (that the judge made up), added (claims that it
// left out), unjudged (beyond the cap), against_samples (1 where there were no sources), and what was spent.
func (f *faithfulness) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	models := deep.ModelsOf(doc)
	if models.Extractor == nil || models.Judge == nil {
		return detectors.Finding{NotCheckable: reasonNoJudge}, nil
	}
	w, err := deep.ReferencesOf(ctx, doc)
	used := w.Usage
	spent := func(why string) detectors.Finding {
		return detectors.Finding{NotCheckable: why, Measures: doc.Measures(append(deep.UsageMeasures(used), w.Measure())...)}
	}
	if err != nil || w.NotCheckable != "" {
		return spent(w.NotCheckable), err
	}
	said, more, err := models.Extractor.Statements(ctx, lastUserMessage(doc.Interaction()), doc.Answer())
	used = used.Plus(more)
	if err != nil {
		return spent(""), err
	}
	list := matchStatements(doc, said)
	if doc.Work().Ended() != "" {
		return spent(""), nil
	}
	unjudged := max(0, len(list.statements)-f.opts.MaxStatements)
	list.statements = list.statements[:len(list.statements)-unjudged]
	verdicts, more, err := models.Judge.Verdicts(ctx, list.texts(), w.Texts)
	used = used.Plus(more)
	if err == nil && len(verdicts) != len(list.statements) {
		err = errVerdicts
	}
	if err != nil {
		return spent(""), err
	}
	t := f.tally(list, verdicts)
	out := spent("")
	out.Measures = doc.Measures(append(out.Measures, detectors.Measure{Name: "statements", Value: t.judged}, detectors.Measure{Name: "unfaithful", Value: t.unfaithful},
		detectors.Measure{Name: "out_of_scope", Value: t.outside}, detectors.Measure{Name: "dropped", Value: float64(list.dropped)}, detectors.Measure{Name: "added", Value: float64(list.added)},
		detectors.Measure{Name: "unjudged", Value: float64(unjudged)})...)
	if t.judged == 0 {
		out.NotCheckable = reasonNoScope
		return out, nil
	}
	out.Score, out.Type, out.Reason, out.Truncated = t.unfaithful/t.judged, schemas.Factual, reasonUnfaithful, unjudged > 0
	if w.Sampled {
		out.Reason += deep.AgainstSamples
	}
	out.Evidence = doc.Evidence(t.rows[:min(len(t.rows), detectors.MaxEvidence)]...)
	return out, nil
}

type verdictTally struct {
	judged, unfaithful, outside float64
	rows                        []detectors.Evidence
}

func (f *faithfulness) tally(list matchedStatements, verdicts []schemas.Verdict) (t verdictTally) {
	for i, v := range verdicts {
		s := &list.statements[i]
		if v.Ruling == schemas.OutOfScope {
			t.outside++
			if f.opts.ExcludeOutOfScope {
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

// lastUserMessage is the last thing that a user said.
func lastUserMessage(in *schemas.Interaction) string {
	for _, m := range slices.Backward(in.Messages) {
		if strings.EqualFold(m.Role, "user") {
			return m.Content
		}
	}
	return ""
}
