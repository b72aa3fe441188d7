package detectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/schemas"
)

// EntailmentOptions tune the entailment detector.
type EntailmentOptions struct {
	// MaxClaims is the number of claims that are asked about, 1 to 64; the others are left out.
	MaxClaims int `yaml:"max_claims" json:"max_claims"`
}

// DefaultEntailmentOptions ask about up to 32 claims.
func DefaultEntailmentOptions() EntailmentOptions { return EntailmentOptions{MaxClaims: 32} }

// entailment asks, for each claim, whether the best window of the sources entails it, contradicts it or says nothing of it.
// A claim's doubt is P(contradiction) + P(neutral)/2, so that a contradiction outranks silence, and the score is the worst
// claim's: one contradiction is enough.
//
// Beside it stands each claim's reliability: what fresh answers, sources and entailment together say of it.
type entailment struct {
	opts    EntailmentOptions
	weights ReliabilityWeights
}

// newEntailment builds the detector.
func newEntailment(o EntailmentOptions, weights ReliabilityWeights) (Detector, error) {
	if o.MaxClaims < 1 || o.MaxClaims > MaxClaims {
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
	claimSupport
	pair        int // index among the pairs, -1 where nothing shares a word with the claim
	relation    schemas.Relation
	reliability float64
}

func (r *claimRelation) doubt() float64 { return r.relation.Contradiction + r.relation.Neutral/2 }

// Detect measures claims, entailed, neutral, contradicted, unmatched (claims that share no word with anything: neutral, and
// nobody is asked), mean_reliability and worst_reliability (0 to 1), against_samples, and what was spent.
func (e *entailment) Detect(ctx context.Context, doc *Document) (Finding, error) {
	if modelsOf(doc).Entailer == nil {
		return Finding{NotCheckable: reasonNoEntailer}, nil
	}
	w, err := witnessesOf(ctx, doc)
	used := w.used
	spent := func(why string) Finding {
		return Finding{NotCheckable: why, Measures: doc.Measures(append(spending(used), w.measure())...)}
	}
	if err != nil || w.why != "" {
		return spent(w.why), err
	}
	by := doc
	if w.fresh {
		by = &Document{}
		by.ResetWithin(&schemas.Interaction{Answer: doc.Interaction().Answer, Messages: doc.Interaction().Messages, Sources: asSources(w.texts)}, doc.Work())
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
	relations, more, err := modelsOf(doc).Entailer.Entail(ctx, pairs)
	used = used.Plus(more)
	if err == nil {
		err = settle(claims, relations, len(pairs))
	}
	if err != nil {
		return spent(""), err
	}
	for i := range claims {
		c := &claims[i]
		source := c.similarity()
		if w.fresh {
			source = math.NaN()
		}
		c.reliability = e.weights.reliability(agreementAt(doc, c.at.start), source, 1-c.doubt())
	}
	f := finish(doc, claims, spent(""), w.fresh)
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
func claimPairs(d *Document, limit int) (claims []claimRelation, pairs []schemas.Pair, more bool) {
	p := newClaimPass(d)
	for i := range p.claims {
		c, ok := p.measure(i, nil)
		if d.Work().Ended() != "" {
			break
		}
		if !ok {
			continue
		}
		if len(claims) == limit {
			return claims, pairs, true
		}
		r := claimRelation{claimSupport: c, pair: -1, relation: schemas.Relation{Neutral: 1}}
		if source, start, end, ok := c.window.place(d); ok {
			r.pair = len(pairs)
			pairs = append(pairs, schemas.Pair{
				Premise: d.Source(source)[start:end], Hypothesis: d.Answer()[c.at.start:c.at.end],
			})
		}
		claims = append(claims, r)
	}
	return claims, pairs, false
}

// settle gives each claim its relation. Numbers that are no probabilities would compare into "clear".
func settle(claims []claimRelation, relations []schemas.Relation, pairs int) error {
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

// finish makes the finding, worst claims first.
func finish(doc *Document, claims []claimRelation, f Finding, fresh bool) Finding {
	slices.SortStableFunc(claims, func(a, b claimRelation) int { return cmp.Compare(b.doubt(), a.doubt()) })
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
		if c.relation.Entailment <= max(c.relation.Neutral, c.relation.Contradiction) && i < MaxEvidence {
			row := Evidence{Start: c.at.start, End: c.at.end, Source: -1, Similarity: c.similarity()}
			if !fresh { // fresh answers are in no flag: nobody could look there
				row = c.evidence(doc)
			}
			row.Note = fmt.Sprintf("contradiction %.2f, neutral %.2f; reliability %.2f", c.relation.Contradiction, c.relation.Neutral, c.reliability)
			f.Evidence = append(f.Evidence, row)
		}
	}
	f.Score, f.Type, f.Reason = min(1, claims[0].doubt()), schemas.Factual, reasonNotEntailed
	if contradicted > 0 {
		f.Type, f.Reason = schemas.Logical, reasonContradicted
	}
	if fresh {
		f.Reason += onFresh
	}
	f.Measures = doc.Measures(append(f.Measures, Measure{Name: "claims", Value: float64(len(claims))}, Measure{Name: "entailed", Value: entailed},
		Measure{Name: "neutral", Value: neutral}, Measure{Name: "contradicted", Value: contradicted}, Measure{Name: "unmatched", Value: unmatched},
		Measure{Name: "mean_reliability", Value: sum / float64(len(claims))}, Measure{Name: "worst_reliability", Value: worst})...)
	f.Evidence = doc.Evidence(f.Evidence...)
	return f
}
