package detectors

import (
	"context"
	"errors"

	"confab/schemas"
)

// GroundingOptions tune the grounding detector.
type GroundingOptions struct {
	// MinSupport is the share of a claim that its best source window must hold, 0 to 1, lest the claim be listed as
	// ungrounded where no model is loaded; with one, those are listed that are more likely unsupported than not. It shapes
	// what people are shown; whether the rule fires is decided by the score and its threshold.
	MinSupport float64 `yaml:"min_support" json:"min_support"`
}

// DefaultGroundingOptions list claims whose best window holds less than 0.4 of them: two of three claims that people had
// marked in labelled answers are then listed, one in five of those listed was marked (testdata/grounding_claims.golden).
// An answer that fires at the shipped threshold always has such a claim.
func DefaultGroundingOptions() GroundingOptions { return GroundingOptions{MinSupport: 0.4} }

// grounding asks whether each claim of the answer is borne out by any source.
//
// With a model the score is the probability that the answer has a fault, from learned risks of its words, probabilities
// of its claims and the shape of the interaction (GroundingModel; docs/tuning.md has the features and where the methods come
// from). Without one it is the plain measure:
//
// Support of a claim is the share of its content words that the best window of one to three neighboring source sentences
// holds, weighted by inverse document frequency over the event's own source sentences, compared by stem. The score is
// the unsupported share of all claims together: the weight that their best windows leave out, divided by the weight of
// all their content words. Within one kind of answers the mass of unsupported words ranks better, since longer answers
// invent more; but it grows with the length, and no threshold on it holds for short and long answers alike
// (docs/adr/0004-starting-thresholds.md has the figures). A claim with a figure that no source holds is hardly supported,
// and where all sources are JSON records, figures and names count more than wording.
type grounding struct {
	opts  GroundingOptions
	model *GroundingModel // nil: the plain measure
}

// newGrounding builds the detector; without a model the score is the plain measure.
func newGrounding(o GroundingOptions, model *GroundingModel) (Detector, error) {
	if !(o.MinSupport >= 0 && o.MinSupport <= 1) {
		return nil, errors.New("min_support is a share: choose a number from 0 to 1")
	}
	return &grounding{opts: o, model: model}, nil
}

func (*grounding) Name() string { return "grounding" }

const reasonUngrounded = "the sources do not bear out the answer"

// doubtful is the probability from which on a claim counts as unsupported where a model gives one.
const doubtful = 0.5

// inventedRun is how many content words in a row, none of them in any source, look made up rather than mistaken.
const inventedRun = 4

// Detect measures claims, ungrounded_claims, worst_support and mean_support (0 to 1), missing_words (content words that no
// source holds) and longest_run (of those).
func (g *grounding) Detect(ctx context.Context, doc *Document) (Finding, error) {
	if why := doc.Uncheckable(); why != "" {
		return Finding{NotCheckable: why}, nil
	}
	p := newGroundingPass(doc, g.model)
	tally := groundingTally{limit: g.opts.MinSupport, worst: 1, learned: g.model != nil}
	for i := range p.claims {
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
		c, ok := p.claim(i)
		if doc.Work().Ended() != "" {
			return Finding{}, nil
		}
		if !ok {
			continue // stop words only: nothing to look for
		}
		c.doubt = 1 - c.similarity()
		if g.model != nil {
			c.doubt = p.probability()
			tally.answer.add(c.doubt, &p.vector)
		}
		tally.add(c)
	}
	if tally.claims == 0 || doc.Work().Ended() != "" {
		return Finding{NotCheckable: ReasonNoClaims}, nil
	}
	f := tally.finding(doc)
	if g.model != nil {
		f.Score = p.score(&tally.answer)
		f.Grounding.Confidence = 1 - f.Score
	}
	return f, nil
}

// groundingTally gathers the claims of one answer.
type groundingTally struct {
	limit       float64
	claims      int
	ungrounded  int
	total, best float64
	sum, worst  float64 // of the claims' similarities
	missing     int
	run         int
	shown       [MaxEvidence]claimSupport // the worst, worst first
	rows        int
	learned     bool
	answer      answerSums
}

func (t *groundingTally) add(c claimSupport) {
	similarity := c.similarity()
	t.claims++
	t.total += c.total
	t.best += similarity * c.total
	t.sum += similarity
	t.worst = min(t.worst, similarity)
	t.missing += c.missing
	t.run = max(t.run, c.run)
	if t.doubts(&c) {
		t.ungrounded++
	}
	t.show(c)
}

// doubts reports a claim that people should look at.
func (t *groundingTally) doubts(c *claimSupport) bool {
	if t.learned {
		return c.doubt >= doubtful
	}
	return c.similarity() < t.limit
}

// show keeps the claim if it is among the worst.
func (t *groundingTally) show(c claimSupport) {
	i := t.rows
	if i < len(t.shown) {
		t.rows++
	} else if i--; c.doubt <= t.shown[i].doubt {
		return
	}
	for ; i > 0 && c.doubt > t.shown[i-1].doubt; i-- {
		t.shown[i] = t.shown[i-1]
	}
	t.shown[i] = c
}

func (t *groundingTally) finding(doc *Document) Finding {
	unsupported := max(0, t.total-t.best)
	score := unsupported / t.total
	mean := t.sum / float64(t.claims)
	f := Finding{
		Score:  score,
		Type:   schemas.Factual,
		Reason: reasonUngrounded,
		Measures: doc.Measures(
			Measure{Name: "claims", Value: float64(t.claims)}, Measure{Name: "ungrounded_claims", Value: float64(t.ungrounded)},
			Measure{Name: "worst_support", Value: t.worst}, Measure{Name: "mean_support", Value: mean},
			Measure{Name: "missing_words", Value: float64(t.missing)}, Measure{Name: "longest_run", Value: float64(t.run)},
		),
		Grounding: Grounding{
			Claims: t.claims, Confidence: 1 - score, OverallSimilarity: mean, UngroundedClaims: t.ungrounded,
		},
	}
	if t.run >= inventedRun {
		f.Type = schemas.Fabrication
	}
	var rows [MaxEvidence]Evidence
	var supports [MaxEvidence]Support
	evidence, ungrounded := rows[:0], supports[:0]
	for i := range t.rows {
		c := &t.shown[i]
		if i == 0 || t.doubts(c) {
			evidence = append(evidence, c.evidence(doc))
		}
		if t.doubts(c) {
			ungrounded = append(ungrounded, Support{Start: c.at.start, End: c.at.end, Similarity: c.similarity()})
		}
	}
	f.Evidence, f.Grounding.Ungrounded = doc.Evidence(evidence...), doc.Supports(ungrounded...)
	return f
}
