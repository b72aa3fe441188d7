package grounding

import (
	"context"
	"errors"

	"confab/detectors"
	"confab/detectors/contradiction"
	"confab/detectors/facts"
	"confab/detectors/support"
	"confab/detectors/synonyms"
	"confab/schemas"
)

// Options configures the grounding detector.
type Options struct {
	// MinSupport is the share of a claim, 0 to 1, below which it is listed as ungrounded if no model is loaded. With a model,
	// claims are listed that are more likely unsupported than not. It does not change the score.
	MinSupport float64 `yaml:"-" json:"min_support"`
}

// DefaultOptions lists claims of which less than 0.4 is in their best window. It lists two of three claims that people
// marked in labelled answers; one in five listed claims was marked (detectors/standard/testdata/grounding_claims.golden).
// An answer that fires at the shipped threshold always has such a claim.
func DefaultOptions() Options { return Options{MinSupport: 0.4} }

// groundingDetector measures how far the sources support each claim of the answer.
//
// With a model the score is the probability that the answer has a fault, from learned risks of its words, probabilities
// of its claims and the shape of the interaction (see [Model]; docs/tuning.md has the features and the literature).
//
// Without a model the score is the plain measure. The support of a claim is the share of its content words in the best
// window of one to three neighboring source sentences, compared by stem and weighted by inverse document frequency over
// the interaction's source sentences. The score is the unsupported share of all claims: the weight outside of their best
// windows, divided by the weight of all their content words. A share allows one threshold for short and long answers,
// which the mass of unsupported words does not (docs/adr/0004-starting-thresholds.md). A missing figure lowers the support
// of a claim strongly, and if all sources are JSON records, figures and names count more than wording.
type groundingDetector struct {
	opts  Options
	model *Model // nil: the plain measure
	words *synonyms.Choice
}

// Dependencies are what the detector needs from outside.
type Dependencies struct {
	Model *Model           // nil: the plain measure
	Words *synonyms.Choice // the synonyms of records; nil: the default ones
}

// New builds the detector; without a model the score is the plain measure.
func New(o Options, deps Dependencies) (detectors.Detector, error) {
	if !(o.MinSupport >= 0 && o.MinSupport <= 1) {
		return nil, errors.New("MinSupport is a share: choose a number from 0 to 1")
	}
	if deps.Words == nil {
		deps.Words = &synonyms.Choice{}
	}
	if deps.Model != nil {
		Load()
	}
	return &groundingDetector{opts: o, model: deps.Model, words: deps.Words}, nil
}

// Name is the detector's name in flags, metrics and the configuration.
const Name = "grounding"

func (*groundingDetector) Name() string { return Name }

const (
	reasonUngrounded   = "the sources do not support the answer"
	reasonContradicted = "the answer states the opposite of a source"
)

// ungroundedProbability is the model's probability from which a claim counts as ungrounded.
const ungroundedProbability = 0.5

// rewordedProbability is the largest probability of a claim that repeats a sentence with two changes that cancel out.
const rewordedProbability = 0.1

// inventedRun is the run of missing content words from which the fault is fabrication, not a mistake.
const inventedRun = 4

// Detect measures claims, ungrounded_claims, worst_support and mean_support (0 to 1), missing_words (content words in no
// source) and longest_run (of missing words). Of an answer with too many claims it measures a selection, and
// the number of the others as unread_statements. Claims that only text beyond the limits supports or may support are left out and
// counted as unread_claims; so are, as foreign_claims, those in another language than a source.
func (g *groundingDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if why := uncheckable(doc); why != "" {
		return detectors.Finding{NotCheckable: why}, nil
	}
	g.words.Use(doc)
	p := newPass(doc, g.model)
	p.plain = g.model != nil && facts.IsPlain(doc)
	tally := claimTally{limit: g.opts.MinSupport, worst: 1, learned: g.model != nil}
	for i := range p.Claims {
		if err := ctx.Err(); err != nil {
			return detectors.Finding{}, err
		}
		c, ok := p.measureClaim(i)
		if doc.Work().Ended() != "" {
			return detectors.Finding{}, nil
		}
		if !ok {
			continue // stop words only
		}
		g.addClaim(&p, &tally, i, c)
	}
	if why := tally.notCheckable(); why != "" || doc.Work().Ended() != "" {
		return detectors.Finding{NotCheckable: why, Truncated: tally.unread > 0}, nil
	}
	f := tally.finding(doc)
	if g.model != nil {
		f.Score = p.answerScore(&tally)
	}
	f.Score = max(f.Score, tally.contradicted)
	f.Grounding.Confidence = 1 - f.Score
	return f, nil
}

// addClaim adds the i-th claim, which p has measured, unless it lacks support that may lie in text that was not read or
// that is in another language.
func (g *groundingDetector) addClaim(p *answerPass, tally *claimTally, i int, c support.Claim) {
	m := g.judge(p, i, c)
	if m.said.Weight() == 0 {
		switch {
		case m.unread:
			tally.unread++
			return
		case tally.isUngrounded(&m.Claim, m.said) && p.Doc.DiffersFromSource(p.List[i].First, p.List[i].Last):
			tally.foreign++
			return
		}
	}
	tally.contradicted = max(tally.contradicted, m.said.Weight())
	if g.model != nil {
		tally.highest = max(tally.highest, m.Unsupported)
		tally.answer.add(m.Unsupported, m.vector)
	}
	tally.add(m.Claim, m.said)
}

// judgedClaim is a claim with its probability to be unsupported.
type judgedClaim struct {
	shownClaim
	vector *claimVector
	unread bool // its support may lie in text that was not read
}

// restFrom is the probability from which a claim is also compared with the text that was left out of the sources.
const restFrom = 0.2

// judge completes the i-th claim, which p has measured. If text was left out of the sources, the part of them counts that
// supports the claim best.
func (g *groundingDetector) judge(p *answerPass, i int, c support.Claim) judgedClaim {
	c.Unsupported = 1 - c.Similarity()
	if g.model != nil {
		c.Unsupported = p.claimProbability()
	}
	said := p.contradiction(i, &c)
	m := judgedClaim{shownClaim{c, said}, &p.vector, false}
	if c.Unsupported < restFrom || !p.Doc.SourcesTruncated() {
		return m
	}
	rest := p.restPass()
	if rest == nil {
		m.unread = true
		return m
	}
	left, ok := rest.measureClaim(i)
	if !ok {
		m.unread = true
		return m
	}
	best := g.judge(rest, i, left)
	if ended := rest.Doc.Work().Ended() != ""; ended || best.Unsupported >= m.Unsupported {
		m.unread = ended || best.unread
		return m
	}
	best.Window, best.said = support.Window{}, contradiction.Finding{} // they are places in another document
	return best
}

// notCheckable is the reason why no claim was measured, "" if one was.
func (t *claimTally) notCheckable() string {
	switch {
	case t.claims > 0:
		return ""
	case t.unread > 0:
		return detectors.ReasonTruncated
	case t.foreign > 0:
		return detectors.ReasonLanguage
	default:
		return detectors.ReasonNoClaims
	}
}

// uncheckable is the reason why the answer cannot be measured, "" if it can. An answer that only asks is measured by what its
// questions presuppose.
func uncheckable(doc *detectors.Document) string {
	why := doc.Uncheckable()
	if why != detectors.ReasonNoClaims || len(doc.Questions()) == 0 {
		return why
	}
	if !doc.Comparable() {
		return detectors.ReasonLanguage
	}
	return ""
}

// claimTally adds up the claims of one answer and keeps the worst.
type claimTally struct {
	limit       float64
	claims      int
	ungrounded  int
	unread      int // claims whose support may lie in text that was not read
	foreign     int // claims whose support may lie in a source in another language
	total, best float64
	sum, worst  float64 // of the claims' similarities
	missing     int
	run         int
	shown       [detectors.MaxEvidence]shownClaim // the worst, worst first
	rows        int
	learned     bool
	highest     float64 // of the claims' probabilities
	answer      answerSums

	contradicted float64 // the largest weight of a contradiction
}

// shownClaim is a claim with the contradiction found in it, if any.
type shownClaim struct {
	support.Claim
	said contradiction.Finding
}

func (t *claimTally) add(c support.Claim, said contradiction.Finding) {
	similarity := c.Similarity()
	t.claims++
	t.total += c.Total
	t.best += similarity * c.Total
	t.sum += similarity
	t.worst = min(t.worst, similarity)
	t.missing += c.Missing
	t.run = max(t.run, c.Run)
	if t.isUngrounded(&c, said) {
		t.ungrounded++
	}
	t.keepWorst(shownClaim{c, said})
}

// isUngrounded reports a claim to list as ungrounded.
func (t *claimTally) isUngrounded(c *support.Claim, said contradiction.Finding) bool {
	if t.learned || said.Kind != contradiction.None {
		return c.Unsupported >= ungroundedProbability
	}
	return c.Similarity() < t.limit
}

// keepWorst inserts the claim if it is among the worst.
func (t *claimTally) keepWorst(c shownClaim) {
	i := t.rows
	if i < len(t.shown) {
		t.rows++
	} else if i--; c.Unsupported <= t.shown[i].Unsupported {
		return
	}
	for ; i > 0 && c.Unsupported > t.shown[i-1].Unsupported; i-- {
		t.shown[i] = t.shown[i-1]
	}
	t.shown[i] = c
}

func (t *claimTally) finding(doc *detectors.Document) detectors.Finding {
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
	if t.unread > 0 {
		f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "unread_claims", Value: float64(t.unread)})...)
	}
	if n := doc.UnreadStatements(); n > 0 {
		f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "unread_statements", Value: float64(n)})...)
	}
	if t.foreign > 0 {
		f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "foreign_claims", Value: float64(t.foreign)})...)
	}
	switch {
	case t.contradicted > 0:
		f.Reason = reasonContradicted
	case t.run >= inventedRun:
		f.Type = schemas.Fabrication
	}
	var rows [detectors.MaxEvidence]detectors.Evidence
	var supports [detectors.MaxEvidence]detectors.Support
	evidence, ungrounded := rows[:0], supports[:0]
	for i := range t.rows {
		c := &t.shown[i]
		listed := t.isUngrounded(&c.Claim, c.said)
		if i == 0 || listed {
			evidence = append(evidence, c.evidence(doc))
		}
		if listed {
			ungrounded = append(ungrounded, detectors.Support{Start: c.At.Start, End: c.At.End, Similarity: c.Similarity()})
		}
	}
	f.Evidence, f.Grounding.Ungrounded = doc.Evidence(evidence...), doc.Supports(ungrounded...)
	return f
}

// evidence pairs the claim with what contradicts it, otherwise with its best window.
func (c *shownClaim) evidence(doc *detectors.Document) detectors.Evidence {
	if c.said.Kind == contradiction.None {
		return c.Evidence(doc)
	}
	e := contradiction.Of(doc).Evidence(doc, &c.said)
	e.Similarity = c.Similarity()
	return e
}
