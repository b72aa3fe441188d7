package grounding

import (
	"context"
	"errors"

	"confab/detectors"
	"confab/detectors/support"
	"confab/schemas"
)

// Options tune the grounding detector.
type Options struct {
	// MinSupport is the share of a claim that its best source window must hold, 0 to 1, lest the claim be listed as
	// ungrounded where no model is loaded; with one, those are listed that are more likely unsupported than not. It shapes
	// what people are shown; whether the rule fires is decided by the score and its threshold.
	MinSupport float64 `yaml:"min_support" json:"min_support"`
}

// DefaultOptions list claims whose best window holds less than 0.4 of them: two of three claims that people had
// marked in labelled answers are then listed, one in five of those listed was marked (testdata/grounding_claims.golden).
// An answer that fires at the shipped threshold always has such a claim.
func DefaultOptions() Options { return Options{MinSupport: 0.4} }

// grounding asks whether each claim of the answer is borne out by any source.
//
// With a model the score is the probability that the answer has a fault, from learned risks of its words, probabilities
// of its claims and the shape of the interaction (Model; docs/tuning.md has the features and where the methods come
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
	opts  Options
	model *Model // nil: the plain measure
}

// New builds the detector; without a model the score is the plain measure.
func New(o Options, model *Model) (detectors.Detector, error) {
	if !(o.MinSupport >= 0 && o.MinSupport <= 1) {
		return nil, errors.New("min_support is a share: choose a number from 0 to 1")
	}
	return &grounding{opts: o, model: model}, nil
}

// Name is the detector's name in flags, metrics and the configuration.
const Name = "grounding"

func (*grounding) Name() string { return Name }

const reasonUngrounded = "the sources do not bear out the answer"

// doubtful is the probability from which on a claim counts as unsupported where a model gives one.
const doubtful = 0.5

// inventedRun is how many content words in a row, none of them in any source, look made up rather than mistaken.
const inventedRun = 4

// Detect measures claims, ungrounded_claims, worst_support and mean_support (0 to 1), missing_words (content words that no
// source holds) and longest_run (of those).
func (g *grounding) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if why := doc.Uncheckable(); why != "" {
		return detectors.Finding{NotCheckable: why}, nil
	}
	p := newPass(doc, g.model)
	tally := tally{limit: g.opts.MinSupport, worst: 1, learned: g.model != nil}
	for i := range p.Claims {
		if err := ctx.Err(); err != nil {
			return detectors.Finding{}, err
		}
		c, ok := p.claim(i)
		if doc.Work().Ended() != "" {
			return detectors.Finding{}, nil
		}
		if !ok {
			continue // stop words only: nothing to look for
		}
		c.Doubt = 1 - c.Similarity()
		if g.model != nil {
			c.Doubt = p.probability()
			tally.answer.add(c.Doubt, &p.vector)
		}
		tally.add(c)
	}
	if tally.claims == 0 || doc.Work().Ended() != "" {
		return detectors.Finding{NotCheckable: detectors.ReasonNoClaims}, nil
	}
	f := tally.finding(doc)
	if g.model != nil {
		f.Score = p.score(&tally.answer)
		f.Grounding.Confidence = 1 - f.Score
	}
	return f, nil
}

// tally gathers the claims of one answer.
type tally struct {
	limit       float64
	claims      int
	ungrounded  int
	total, best float64
	sum, worst  float64 // of the claims' similarities
	missing     int
	run         int
	shown       [detectors.MaxEvidence]support.Claim // the worst, worst first
	rows        int
	learned     bool
	answer      answerSums
}

func (t *tally) add(c support.Claim) {
	similarity := c.Similarity()
	t.claims++
	t.total += c.Total
	t.best += similarity * c.Total
	t.sum += similarity
	t.worst = min(t.worst, similarity)
	t.missing += c.Missing
	t.run = max(t.run, c.Run)
	if t.doubts(&c) {
		t.ungrounded++
	}
	t.show(c)
}

// doubts reports a claim that people should look at.
func (t *tally) doubts(c *support.Claim) bool {
	if t.learned {
		return c.Doubt >= doubtful
	}
	return c.Similarity() < t.limit
}

// show keeps the claim if it is among the worst.
func (t *tally) show(c support.Claim) {
	i := t.rows
	if i < len(t.shown) {
		t.rows++
	} else if i--; c.Doubt <= t.shown[i].Doubt {
		return
	}
	for ; i > 0 && c.Doubt > t.shown[i-1].Doubt; i-- {
		t.shown[i] = t.shown[i-1]
	}
	t.shown[i] = c
}

func (t *tally) finding(doc *detectors.Document) detectors.Finding {
	unsupported := max(0, t.total-t.best)
	score := unsupported / t.total
	mean := t.sum / float64(t.claims)
	f := detectors.Finding{
		Score:  score,
		Type:   schemas.Factual,
		Reason: reasonUngrounded,
		Measures: doc.Measures(
			detectors.Measure{Name: "claims", Value: float64(t.claims)}, detectors.Measure{Name: "ungrounded_claims", Value: float64(t.ungrounded)},
			detectors.Measure{Name: "worst_support", Value: t.worst}, detectors.Measure{Name: "mean_support", Value: mean},
			detectors.Measure{Name: "missing_words", Value: float64(t.missing)}, detectors.Measure{Name: "longest_run", Value: float64(t.run)},
		),
		Grounding: detectors.Grounding{
			Claims: t.claims, Confidence: 1 - score, OverallSimilarity: mean, UngroundedClaims: t.ungrounded,
		},
	}
	if t.run >= inventedRun {
		f.Type = schemas.Fabrication
	}
	var rows [detectors.MaxEvidence]detectors.Evidence
	var supports [detectors.MaxEvidence]detectors.Support
	evidence, ungrounded := rows[:0], supports[:0]
	for i := range t.rows {
		c := &t.shown[i]
		if i == 0 || t.doubts(c) {
			evidence = append(evidence, c.Evidence(doc))
		}
		if t.doubts(c) {
			ungrounded = append(ungrounded, detectors.Support{Start: c.At.Start, End: c.At.End, Similarity: c.Similarity()})
		}
	}
	f.Evidence, f.Grounding.Ungrounded = doc.Evidence(evidence...), doc.Supports(ungrounded...)
	return f
}
