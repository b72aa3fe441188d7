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

// Options configure the entailment detector.
type Options struct {
	// MaxClaims is the number of claims that are classified, 1 to 64. Of more claims an even selection is.
	MaxClaims int `yaml:"max_claims" json:"max_claims"`
	// MinReliability is the reliability, 0 to 1, below which a claim is reported with the score 1 − reliability. 0: never.
	MinReliability float64 `yaml:"min_reliability" json:"min_reliability"`
}

// DefaultOptions classify up to 32 claims and report those with a reliability below 0.3, which sampled responses, sources and
// classifier together support little.
func DefaultOptions() Options { return Options{MaxClaims: 32, MinReliability: 0.3} }

// entailment classifies each claim as entailed by the best window of the sources, contradicted by it, or neutral. A claim's
// score is P(contradiction) + P(neutral)/2, so that a contradiction outranks missing support, and the answer's score is that
// of its worst claim.
//
// It also reports each claim's reliability, which combines sampled responses, sources and entailment.
type entailment struct {
	opts    Options
	weights deep.Reliability
}

// New returns the detector.
func New(o Options, weights deep.Reliability) (detectors.Detector, error) {
	if o.MaxClaims < 1 || o.MaxClaims > deep.MaxJudged {
		return nil, errors.New("max_claims is the number of classified claims: choose 1 to 64")
	}
	if !(o.MinReliability >= 0 && o.MinReliability <= 1) {
		return nil, errors.New("min_reliability is a share: choose a number from 0 (off) to 1")
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

var errRelations = errors.New("the entailer must return one relation per pair, with probabilities that add up to 1")

// claimRelation is one claim with its relation to the sources.
type claimRelation struct {
	support.Claim
	pair        int // index among the pairs, -1 when no source shares a word with the claim
	relation    schemas.Relation
	reliability float64
	fault       float64 // 0 to 1: P(contradiction) + P(neutral)/2, or more for a claim of low reliability
}

func (r *claimRelation) nonEntailment() float64 {
	return r.relation.Contradiction + r.relation.Neutral/2
}

// isUnread reports a claim that the sources neither entail nor contradict: the support may lie in text that was not read.
func (r *claimRelation) isUnread() bool {
	return r.relation.Neutral >= max(r.relation.Entailment, r.relation.Contradiction)
}

// Detect measures claims, entailed, neutral, contradicted, unmatched (claims that share no word with the sources, which count
// as neutral without a request), mean_reliability and worst_reliability (0 to 1), against_samples, and the usage.
func (e *entailment) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if deep.ModelsOf(doc).Entailer == nil {
		return detectors.Finding{NotCheckable: reasonNoEntailer}, nil
	}
	references, err := deep.ReferencesOf(ctx, doc)
	used := references.Usage
	withUsage := func(why string) detectors.Finding {
		return detectors.Finding{NotCheckable: why, Measures: doc.Measures(append(deep.UsageMeasures(used), references.Measure())...)}
	}
	if err != nil || references.NotCheckable != "" {
		return withUsage(references.NotCheckable), err
	}
	by := doc
	if references.Sampled {
		by = &detectors.Document{}
		by.ResetWithin(&schemas.Interaction{Answer: doc.Interaction().Answer, Messages: doc.Interaction().Messages, Sources: asSources(references.Texts)}, doc.Work())
	}
	if why := by.Uncheckable(); why != "" {
		return withUsage(why), nil
	}
	claims, pairs, left := claimPairs(by, e.opts.MaxClaims)
	if doc.Work().Ended() != "" {
		return withUsage(""), nil
	}
	if len(pairs) == 0 {
		return withUsage(reasonUnmatched), nil
	}
	relations, more, err := deep.ModelsOf(doc).Entailer.Entail(ctx, pairs)
	used = used.Plus(more)
	if err == nil {
		err = assignRelations(claims, relations, len(pairs))
	}
	if err != nil {
		return withUsage(""), err
	}
	if claims = e.rateClaims(doc, claims, references.Sampled); len(claims) == 0 {
		return withUsage(detectors.ReasonTruncated), nil
	}
	f := buildFinding(doc, claims, withUsage(""), references.Sampled)
	f.Truncated = left
	return f, nil
}

// rateClaims sets reliability and fault of the claims. It leaves out those whose support may lie in text that was not read.
func (e *entailment) rateClaims(doc *detectors.Document, claims []claimRelation, sampled bool) []claimRelation {
	for i := range claims {
		c := &claims[i]
		source := c.Similarity()
		if sampled {
			source = math.NaN()
		}
		c.reliability = e.weights.Combine(deep.AgreementAt(doc, c.At.Start), source, 1-c.nonEntailment())
		if c.fault = c.nonEntailment(); c.reliability < e.opts.MinReliability {
			c.fault = max(c.fault, 1-c.reliability)
		}
	}
	if sampled || !doc.SourcesTruncated() {
		return claims
	}
	return slices.DeleteFunc(claims, func(c claimRelation) bool { return c.isUnread() })
}

func asSources(texts []string) []schemas.Source {
	out := make([]schemas.Source, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// claimPairs returns the claims, or an even selection of them, and a pair for each with a matching window; more reports that
// claims were left out.
func claimPairs(d *detectors.Document, limit int) (claims []claimRelation, pairs []schemas.Pair, more bool) {
	p := support.NewPass(d)
	selected := min(p.Claims, limit)
	for i := range selected {
		c, ok := p.Measure(i*max(1, p.Claims-1)/max(1, selected-1), nil)
		if d.Work().Ended() != "" {
			break
		}
		if !ok {
			continue
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
	return claims, pairs, selected < p.Claims
}

// assignRelations sets each claim's relation. Values that are not probabilities are an error: they could count as clear.
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

// buildFinding completes the finding f with the claims, worst first.
func buildFinding(doc *detectors.Document, claims []claimRelation, f detectors.Finding, sampled bool) detectors.Finding {
	slices.SortStableFunc(claims, func(a, b claimRelation) int { return cmp.Compare(b.fault, a.fault) })
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
		if (c.relation.Entailment <= max(c.relation.Neutral, c.relation.Contradiction) || c.fault > c.nonEntailment()) && i < detectors.MaxEvidence {
			row := detectors.Evidence{Start: c.At.Start, End: c.At.End, Source: -1, Similarity: c.Similarity()}
			if !sampled { // flags do not contain sampled responses
				row = c.Evidence(doc)
			}
			row.Note = fmt.Sprintf("contradiction %.2f, neutral %.2f; reliability %.2f", c.relation.Contradiction, c.relation.Neutral, c.reliability)
			f.Evidence = append(f.Evidence, row)
		}
	}
	f.Score, f.Type, f.Reason = min(1, claims[0].fault), schemas.Factual, reasonNotEntailed
	if contradicted > 0 {
		f.Type, f.Reason = schemas.Logical, reasonContradicted
	}
	if sampled {
		f.Reason += deep.AgainstSamples
	}
	f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "claims", Value: float64(len(claims))}, detectors.Measure{Name: "entailed", Value: entailed},
		detectors.Measure{Name: "neutral", Value: neutral}, detectors.Measure{Name: "contradicted", Value: contradicted}, detectors.Measure{Name: "unmatched", Value: unmatched},
		detectors.Measure{Name: "mean_reliability", Value: sum / float64(len(claims))}, detectors.Measure{Name: "worst_reliability", Value: worst})...)
	f.Evidence = doc.Evidence(f.Evidence...)
	return f
}
