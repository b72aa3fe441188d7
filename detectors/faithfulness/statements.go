package faithfulness

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/internal/text"
	"confab/schemas"
)

const (
	reasonNoStatements = "the judge found no statement"
	reasonNoScope      = "no statement in the scope of the sources"
	reasonUnfaithful   = "the judge found unsupported statements"
)

// basisStatements is the basis of the score, whose threshold is that of a share.
const basisStatements = "statements"

// maxStatements is the number of statements that are judged; further ones are only counted.
const maxStatements = 32

// minOwnShare is the share of a statement's words that answer and conversation must contain; below it the statement is dropped.
const minOwnShare = 0.5

var errVerdicts = errors.New("the judge returned a different number of verdicts than statements")

// judgeStatements extracts statements, then asks for verdicts (Es et al., "RAGAS", 2023). The score is 1 − faithful / all. It
// measures statements (judged), unfaithful, out_of_scope, dropped (not from the answer) and unjudged (beyond the limit).
func (f *faithfulness) judgeStatements(ctx context.Context, doc *detectors.Document, references *deep.References, r *schemas.JudgeRequest) (detectors.Finding, error) {
	judge := deep.ModelsOf(doc).Judge
	extracted, used, err := judge.Statements(ctx, r)
	if err != nil {
		return references.Finding(doc, used, ""), err
	}
	list := placeStatements(doc, r, extracted)
	if len(list.statements) == 0 || doc.Work().Ended() != "" {
		return references.Finding(doc, used, reasonNoStatements), nil
	}
	verdicts, more, err := judge.Verdicts(ctx, r, list.texts())
	if err == nil && len(verdicts) != len(list.statements) {
		err = errVerdicts
	}
	out := references.Finding(doc, used.Plus(more), "")
	if err != nil {
		return out, err
	}
	t := tallyVerdicts(list, verdicts, f.opts.ExcludeOutOfScope || doc.SourcesTruncated())
	judged := float64(len(list.statements))
	out.Measures = doc.Measures(append(out.Measures, detectors.Measure{Name: "statements", Value: judged}, detectors.Measure{Name: "unfaithful", Value: t.unfaithful},
		detectors.Measure{Name: "out_of_scope", Value: t.outside}, detectors.Measure{Name: "dropped", Value: float64(list.dropped)},
		detectors.Measure{Name: "unjudged", Value: float64(list.unjudged)})...)
	out.Statements, out.Basis = t.statements, basisStatements
	if t.outside == judged && t.unfaithful == 0 {
		out.NotCheckable = reasonNoScope
		return out, nil
	}
	out.Score, out.Type, out.Reason, out.Truncated = t.unfaithful/judged, schemas.Factual, references.Reason(reasonUnfaithful), list.unjudged > 0
	out.Supported = !references.Sampled && list.unjudged == 0 && t.unfaithful+t.outside == 0
	out.Evidence = doc.Evidence(t.rows[:min(len(t.rows), detectors.MaxEvidence)]...)
	return out, nil
}

// statement is a text to judge, with the span of the answer's claim that it belongs to.
type statement struct {
	text       string
	start, end int
}

// placedStatements are the statements that come from the answer, with places in it.
type placedStatements struct {
	statements []statement // in the order of the answer
	dropped    int         // statements that do not come from the answer
	unjudged   int         // statements beyond the limit
}

func (b *placedStatements) texts() []string {
	out := make([]string, len(b.statements))
	for i := range b.statements {
		out[i] = b.statements[i].text
	}
	return out
}

// placeStatements keeps the first of the extracted statements that consist of the words of answer and conversation, and gives
// each the place of the claim that has most of its words. Invented statements would dilute the score.
func placeStatements(d *detectors.Document, r *schemas.JudgeRequest, extracted []string) (out placedStatements) {
	texts, claims := []string{r.Answer}, d.Claims()
	for i := range r.Conversation {
		texts = append(texts, r.Conversation[i].Content)
	}
	own, of := wordsOf(d.Work(), texts...), make([]words, len(claims))
	for i, c := range claims {
		of[i] = wordsOf(d.Work(), r.Answer[c.Start:c.End])
	}
	seen := map[string]bool{}
	for _, s := range extracted {
		has := wordsOf(d.Work(), s)
		if !d.Work().Spend(len(has) * (1 + len(claims))) {
			return out
		}
		if seen[s] || len(has) == 0 || own.share(has, true) < minOwnShare {
			out.dropped++
			continue
		}
		seen[s] = true
		best, most := 0, -1.0
		for i := range of {
			if share := of[i].share(has, false); share > most {
				best, most = i, share
			}
		}
		out.statements = append(out.statements, statement{s, int(claims[best].Start), int(claims[best].End)})
	}
	slices.SortStableFunc(out.statements, func(a, b statement) int { return cmp.Compare(a.start, b.start) })
	out.unjudged = max(0, len(out.statements)-maxStatements)
	out.statements = out.statements[:len(out.statements)-out.unjudged]
	return out
}

// words are the distinct stems of texts without stop words; the value says whether it is a figure.
type words map[uint64]bool

func wordsOf(work *detectors.Work, texts ...string) words {
	w := words{}
	for _, s := range texts {
		work.Spend(deep.WordSetCost * len(s))
		tokens := text.AppendTokens(nil, s)
		for i := range tokens {
			if t := &tokens[i]; !t.Stop() {
				w[t.Stem] = t.Kind == text.Number
			}
		}
	}
	return w
}

// share is the share of the other words that these contain. If strict, it is 0 when a figure is missing.
func (w words) share(of words, strict bool) float64 {
	n := 0
	for stem, figure := range of {
		if _, has := w[stem]; has {
			n++
		} else if figure && strict {
			return 0
		}
	}
	return float64(n) / float64(len(of))
}

type verdictTally struct {
	unfaithful, outside float64
	rows                []detectors.Evidence
	statements          []schemas.Statement // all, with their verdicts
}

// tallyVerdicts counts statements that are not faithful. Those out of scope count as such, unless these are excluded.
func tallyVerdicts(list placedStatements, verdicts []schemas.Verdict, excludeOutOfScope bool) (t verdictTally) {
	for i, v := range verdicts {
		s := &list.statements[i]
		t.statements = append(t.statements, schemas.Statement{
			Start: s.start, End: s.end, Text: s.text, Verdict: string(v.Ruling), Reason: v.Reason, Confidence: v.Confidence,
		})
		if v.Ruling == schemas.OutOfScope {
			t.outside++
		}
		if v.Ruling == schemas.Faithful || v.Ruling == schemas.OutOfScope && excludeOutOfScope {
			continue
		}
		t.unfaithful++
		t.rows = append(t.rows, detectors.Evidence{Start: s.start, End: s.end, Source: -1, Similarity: 1 - v.Confidence, Note: cmp.Or(v.Reason, s.text), Rule: string(schemas.Unsupported)})
	}
	return t
}
