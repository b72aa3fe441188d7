package entailment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/support"
	"confab/schemas"
)

// Options tune the entailment detector.
type Options struct {
	// MaxClaims is the number of claims that are asked about, 1 to 64; the others are left out.
	MaxClaims int `yaml:"max_claims" json:"max_claims"`
}

// DefaultOptions ask about up to 32 claims.
func DefaultOptions() Options { return Options{MaxClaims: 32} }

// entailment asks, for each claim, whether the best window of the sources entails it, contradicts it or says nothing of it.
// A claim's doubt is P(contradiction) + P(neutral)/2, so that a contradiction outranks silence, and the score is the worst
// claim's: one contradiction is enough.
//
// Beside it stands each claim's reliability: what fresh answers, sources and entailment together say of it.
type entailment struct {
	opts    Options
	weights deep.Reliability
}

// New builds the detector.
func New(o Options, weights deep.Reliability) (detectors.Detector, error) {
	if o.MaxClaims < 1 || o.MaxClaims > detectors.MaxClaims {
		return nil, errors.New("max_claims is how many are asked about: choose 1 to 64")
	}
	return &entailment{opts: o, weights: weights}, nil
}

func (*entailment) Name() string { return "entailment" }

const (
	reasonNoEntailer   = "no entailer"
	reasonUnmatched    = "no claim shares a word with a source"
	reasonContradicted = "a claim is contradicted"
	reasonNotEntailed  = "a claim does not follow"
)

var errRelations = errors.New("the entailer gave another number of relations than pairs")

// claimRelation is one claim beside what it was held against.
type claimRelation struct {
	support.Claim
	pair        int // index among the pairs, -1 where nothing shares a word with the claim
	relation    schemas.Relation
	reliability float64
}

func (r *claimRelation) nonEntailment() float64 {
	return r.relation.Contradiction + r.relation.Neutral/2
}

// Detect measures claims, entailed, neutral, contradicted, unmatched (claims that share no word with anything: neutral, and
// nobody is asked), mean_reliability and worst_reliability (0 to 1), against_samples, and what was spent.
func (e *entailment) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if deep.ModelsOf(doc).Entailer == nil {
		return detectors.Finding{NotCheckable: reasonNoEntailer}, nil
	}
	w, err := deep.ReferencesOf(ctx, doc)
	used := w.Usage
	spent := func(why string) detectors.Finding {
		return detectors.Finding{NotCheckable: why, Measures: doc.Measures(append(deep.UsageMeasures(used), w.Measure())...)}
	}
	if err != nil || w.NotCheckable != "" {
		return spent(w.NotCheckable), err
	}
	by := doc
	if w.Sampled {
		by = &detectors.Document{}
		by.ResetWithin(&schemas.Interaction{Answer: doc.Interaction().Answer, Messages: doc.Interaction().Messages, Sources: asSources(w.Texts)}, doc.Work())
	}
	if why := by.Uncheckable(); why != "" {
		return spent(why), nil
	}
	claims, pairs, left := claimPairs(by, e.opts.MaxClaims)
	if doc.Work().Ended() != "" {
		return spent(""), nil
	}
	if len(pairs) == 0 {
		return spent(reasonUnmatched), nil
	}
	relations, more, err := deep.ModelsOf(doc).Entailer.Entail(ctx, pairs)
	used = used.Plus(more)
	if err == nil {
		err = assignRelations(claims, relations, len(pairs))
	}
	if err != nil {
		return spent(""), err
	}
	for i := range claims {
		c := &claims[i]
		source := c.Similarity()
		if w.Sampled {
			source = math.NaN()
		}
		c.reliability = e.weights.Combine(deep.AgreementAt(doc, c.At.Start), source, 1-c.nonEntailment())
	}
	f := buildFinding(doc, claims, spent(""), w.Sampled)
	f.Truncated = left
	return f, nil
}

func asSources(texts []string) []schemas.Source {
	out := make([]schemas.Source, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// claimPairs are the first claims, and each of them with its best window; more says that claims are left out.
func claimPairs(d *detectors.Document, limit int) (claims []claimRelation, pairs []schemas.Pair, more bool) {
	p := support.NewPass(d)
	for i := range p.Claims {
		c, ok := p.Measure(i, nil)
		if d.Work().Ended() != "" {
			break
		}
		if !ok {
			continue
		}
		if len(claims) == limit {
			return claims, pairs, true
		}
		r := claimRelation{Claim: c, pair: -1, relation: schemas.Relation{Neutral: 1}}
		if source, start, end, ok := c.Window.Place(d); ok {
			r.pair = len(pairs)
			pairs = append(pairs, schemas.Pair{
				Premise: d.Source(source)[start:end], Hypothesis: d.Answer()[c.At.Start:c.At.End],
			})
		}
		claims = append(claims, r)
	}
	return claims, pairs, false
}

// assignRelations gives each claim its relation. Numbers that are no probabilities would compare into "clear".
func assignRelations(claims []claimRelation, relations []schemas.Relation, pairs int) error {
	if len(relations) != pairs {
		return errRelations
	}
	for i := range claims {
		c := &claims[i]
		if c.pair < 0 {
			continue
		}
		c.relation = relations[c.pair]
		sum := c.relation.Entailment + c.relation.Neutral + c.relation.Contradiction
		if !(math.Abs(sum-1) < 1e-3) || min(c.relation.Entailment, c.relation.Neutral, c.relation.Contradiction) < 0 {
			return errRelations
		}
	}
	return nil
}

// buildFinding makes the finding, worst claims first.
func buildFinding(doc *detectors.Document, claims []claimRelation, f detectors.Finding, fresh bool) detectors.Finding {
	slices.SortStableFunc(claims, func(a, b claimRelation) int { return cmp.Compare(b.nonEntailment(), a.nonEntailment()) })
	var entailed, neutral, contradicted, unmatched, sum float64
	worst := 1.0
	for i := range claims {
		c := &claims[i]
		sum += c.reliability
		worst = min(worst, c.reliability)
		if c.pair < 0 {
			unmatched++
		}
		switch r := c.relation; {
		case r.Contradiction > max(r.Entailment, r.Neutral):
			contradicted++
		case r.Entailment > r.Neutral:
			entailed++
		default:
			neutral++
		}
		if c.relation.Entailment <= max(c.relation.Neutral, c.relation.Contradiction) && i < detectors.MaxEvidence {
			row := detectors.Evidence{Start: c.At.Start, End: c.At.End, Source: -1, Similarity: c.Similarity()}
			if !fresh { // fresh answers are in no flag: nobody could look there
				row = c.Evidence(doc)
			}
			row.Note = fmt.Sprintf("contradiction %.2f, neutral %.2f; reliability %.2f", c.relation.Contradiction, c.relation.Neutral, c.reliability)
			f.Evidence = append(f.Evidence, row)
		}
	}
	f.Score, f.Type, f.Reason = min(1, claims[0].nonEntailment()), schemas.Factual, reasonNotEntailed
	if contradicted > 0 {
		f.Type, f.Reason = schemas.Logical, reasonContradicted
	}
	if fresh {
		f.Reason += deep.AgainstSamples
	}
	f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "claims", Value: float64(len(claims))}, detectors.Measure{Name: "entailed", Value: entailed},
		detectors.Measure{Name: "neutral", Value: neutral}, detectors.Measure{Name: "contradicted", Value: contradicted}, detectors.Measure{Name: "unmatched", Value: unmatched},
		detectors.Measure{Name: "mean_reliability", Value: sum / float64(len(claims))}, detectors.Measure{Name: "worst_reliability", Value: worst})...)
	f.Evidence = doc.Evidence(f.Evidence...)
	return f
}
