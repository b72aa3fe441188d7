package detectors

import (
	"context"
	"errors"

	"confab/schemas"
)

// ConsistencyOptions tune the consistency detector.
type ConsistencyOptions struct {
	// Samples is the number of fresh answers that are asked for, 2 to 16.
	Samples int `yaml:"samples" json:"samples"`
	// Temperature of the fresh answers, above 0 (else they are all alike) and at most 2.
	Temperature float64 `yaml:"temperature" json:"temperature"`
	// MaxTokens is the limit of one fresh answer.
	MaxTokens int `yaml:"max_tokens" json:"max_tokens"`
	// AgreedShare is the share of the fresh answers that must contain a claim lest it be listed, 0 to 1.
	AgreedShare float64 `yaml:"agreed_share" json:"agreed_share"`
}

// DefaultConsistencyOptions ask for four answers of up to 400 tokens at temperature 0.7.
func DefaultConsistencyOptions() ConsistencyOptions {
	ask := defaultAsk()
	return ConsistencyOptions{Samples: ask.Answers, Temperature: ask.Temperature, MaxTokens: ask.MaxTokens, AgreedShare: 0.6}
}

func (o ConsistencyOptions) ask() schemas.Ask {
	return schemas.Ask{Answers: o.Samples, Temperature: o.Temperature, MaxTokens: o.MaxTokens}
}

func (o ConsistencyOptions) check() error {
	var errs []error
	for _, c := range []struct {
		wrong   bool
		message string
	}{
		{o.Samples < 2 || o.Samples > 16, "samples is a number of answers: choose 2 to 16"},
		{!(o.Temperature > 0 && o.Temperature <= 2), "temperature must differ from 0, or all answers are alike: choose up to 2"},
		{o.MaxTokens < 1 || o.MaxTokens > 8192, "max_tokens limits one fresh answer: choose 1 to 8192"},
		{!(o.AgreedShare >= 0 && o.AgreedShare <= 1), "agreed_share is a share: choose a number from 0 to 1"},
	} {
		if c.wrong {
			errs = append(errs, errors.New(c.message))
		}
	}
	return errors.Join(errs...)
}

// consistency asks whether the model says the same again: what it knows it repeats, what it makes up comes out
// differently each time (Manakul et al., "SelfCheckGPT", 2023). The score is 1 − agreement, see [Consistency].
type consistency struct{ opts ConsistencyOptions }

// newConsistency builds the detector.
func newConsistency(o ConsistencyOptions) (Detector, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &consistency{opts: o}, nil
}

func (*consistency) Name() string { return "consistency" }

// Why consistency could not be measured.
const (
	reasonNoSampler     = "no sampler"
	reasonNoMessages    = "no messages"
	reasonFreshRefusals = "the model refuses to answer again"
)

const (
	reasonInconsistent = "asked again, the model says something else"
	basisEmbedding     = "embedding" // thresholds: consistency.embedding
)

// Detect measures samples (fresh answers that were compared), refused, cut, empty and foreign (those that were not),
// original_similarity, among_similarity and agreement (0 to 1), short (1 where values are compared rather than claims),
// claims, agreed_claims, and what was spent: calls, prompt_tokens, completion_tokens.
func (c *consistency) Detect(ctx context.Context, doc *Document) (Finding, error) {
	switch {
	case modelsOf(doc).Resampler == nil:
		return Finding{NotCheckable: reasonNoSampler}, nil
	case len(doc.Interaction().Messages) == 0:
		return Finding{NotCheckable: reasonNoMessages}, nil
	case declines(doc.Answer()):
		return Finding{NotCheckable: reasonRefusal}, nil
	}
	answers, used, err := freshAnswers(ctx, doc, c.opts.ask())
	usable := pickFresh(doc.Answer(), answers, doc.Work())
	if len(usable.texts) < minFresh {
		f := Finding{Measures: doc.Measures(append(usable.measures(), spending(used)...)...)}
		switch {
		case err != nil:
			return f, err
		case usable.refused >= minFresh:
			f.NotCheckable = reasonFreshRefusals
		case usable.foreign >= minFresh:
			f.NotCheckable = ReasonLanguage
		default:
			f.NotCheckable = reasonTooFewAnswers
		}
		return f, nil
	}
	m := compareFresh(doc.Interaction(), usable.texts, doc.Work())
	if doc.Work().Ended() != "" {
		return Finding{Measures: doc.Measures(spending(used)...)}, nil
	}
	setAgreement(doc, m.claims)
	f := Finding{Type: schemas.Factual, Reason: reasonInconsistent}
	if by := modelsOf(doc).Embedder; by != nil {
		more, err := m.embed(ctx, by, doc.Answer(), usable.texts)
		used = used.Plus(more)
		if err != nil {
			return Finding{Measures: doc.Measures(append(usable.measures(), spending(used)...)...)}, err
		}
		f.Basis = basisEmbedding
	}
	got := m.result(c.opts.AgreedShare)
	f.Score = got.Score()
	f.Measures = doc.Measures(append(append(usable.measures(), got.measures()...), spending(used)...)...)
	f.Evidence = m.evidence(doc, usable.texts, c.opts.AgreedShare)
	return f, nil
}
