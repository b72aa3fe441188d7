package consistency

import (
	"context"
	"errors"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

// Options tune the consistency detector.
type Options struct {
	// Samples is the number of fresh answers that are asked for, 2 to 16.
	Samples int `yaml:"samples" json:"samples"`
	// Temperature of the fresh answers, above 0 (else they are all alike) and at most 2.
	Temperature float64 `yaml:"temperature" json:"temperature"`
	// MaxTokens is the limit of one fresh answer.
	MaxTokens int `yaml:"max_tokens" json:"max_tokens"`
	// AgreedShare is the share of the fresh answers that must contain a claim lest it be listed, 0 to 1.
	AgreedShare float64 `yaml:"agreed_share" json:"agreed_share"`
}

// DefaultOptions ask for four answers of up to 400 tokens at temperature 0.7.
func DefaultOptions() Options {
	ask := deep.DefaultAsk()
	return Options{Samples: ask.Answers, Temperature: ask.Temperature, MaxTokens: ask.MaxTokens, AgreedShare: 0.6}
}

func (o Options) ask() schemas.Ask {
	return schemas.Ask{Answers: o.Samples, Temperature: o.Temperature, MaxTokens: o.MaxTokens}
}

func (o Options) check() error {
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
type consistency struct{ opts Options }

// New builds the detector.
func New(o Options) (detectors.Detector, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &consistency{opts: o}, nil
}

func (*consistency) Name() string { return "consistency" }

// Why consistency could not be measured.
const (
	reasonNoSampler      = "no sampler"
	reasonNoMessages     = "no messages"
	reasonSamplesRefused = "the model refuses to answer again"
)

const (
	reasonInconsistent = "asked again, the model says something else"
	basisEmbedding     = "embedding" // thresholds: consistency.embedding
)

// Detect measures samples (fresh answers that were compared), refused, cut, empty and foreign (those that were not),
// original_similarity, among_similarity and agreement (0 to 1), short (1 where values are compared rather than claims),
// claims, agreed_claims, and what was spent: calls, prompt_tokens, completion_tokens.
func (c *consistency) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	switch {
	case deep.ModelsOf(doc).Resampler == nil:
		return detectors.Finding{NotCheckable: reasonNoSampler}, nil
	case len(doc.Interaction().Messages) == 0:
		return detectors.Finding{NotCheckable: reasonNoMessages}, nil
	case deep.IsRefusal(doc.Answer()):
		return detectors.Finding{NotCheckable: deep.ReasonRefusal}, nil
	}
	answers, used, err := deep.SampledResponses(ctx, doc, c.opts.ask())
	usable := deep.SelectUsable(doc.Answer(), answers, doc.Work())
	if len(usable.Texts) < deep.MinSamples {
		f := detectors.Finding{Measures: doc.Measures(append(usable.Measures(), deep.UsageMeasures(used)...)...)}
		switch {
		case err != nil:
			return f, err
		case usable.Refused >= deep.MinSamples:
			f.NotCheckable = reasonSamplesRefused
		case usable.OtherLanguage >= deep.MinSamples:
			f.NotCheckable = detectors.ReasonLanguage
		default:
			f.NotCheckable = deep.ReasonTooFewSamples
		}
		return f, nil
	}
	m := compareSamples(doc.Interaction(), usable.Texts, doc.Work())
	if doc.Work().Ended() != "" {
		return detectors.Finding{Measures: doc.Measures(deep.UsageMeasures(used)...)}, nil
	}
	deep.SetAgreement(doc, m.claims)
	f := detectors.Finding{Type: schemas.Factual, Reason: reasonInconsistent}
	if by := deep.ModelsOf(doc).Embedder; by != nil {
		more, err := m.embed(ctx, by, doc.Answer(), usable.Texts)
		used = used.Plus(more)
		if err != nil {
			return detectors.Finding{Measures: doc.Measures(append(usable.Measures(), deep.UsageMeasures(used)...)...)}, err
		}
		f.Basis = basisEmbedding
	}
	got := m.result(c.opts.AgreedShare)
	f.Score = got.Score()
	f.Measures = doc.Measures(append(append(usable.Measures(), got.measures()...), deep.UsageMeasures(used)...)...)
	f.Evidence = m.evidence(doc, usable.Texts, c.opts.AgreedShare)
	return f, nil
}
