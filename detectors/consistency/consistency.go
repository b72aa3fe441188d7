package consistency

import (
	"context"
	"errors"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

// Options configure the consistency detector.
type Options struct {
	// Samples is the number of sampled responses that are requested, 2 to 16.
	Samples int `yaml:"samples"`
	// MaxTokens is the limit of one sampled response.
	MaxTokens int `yaml:"max_tokens"`
}

// DefaultOptions request four responses of up to 400 tokens.
func DefaultOptions() Options {
	ask := deep.DefaultAsk()
	return Options{Samples: ask.Answers, MaxTokens: ask.MaxTokens}
}

func (o Options) ask() schemas.SampleRequest {
	ask := deep.DefaultAsk()
	ask.Answers, ask.MaxTokens = o.Samples, o.MaxTokens
	return ask
}

// agreedShare is the share of the sampled responses below which a claim is listed as evidence.
const agreedShare = 0.6

// consistency measures whether the model repeats its answer: facts that it knows recur in every sampled response, invented
// ones vary (Manakul et al., "SelfCheckGPT", 2023). The score is 1 − agreement, see [Measurement.Agreement].
type consistency struct{ opts Options }

// New returns the detector.
func New(o Options) (detectors.Detector, error) {
	var errs []error
	if o.Samples < 2 || o.Samples > 16 {
		errs = append(errs, errors.New("samples is a number of responses: choose 2 to 16"))
	}
	if o.MaxTokens < 1 || o.MaxTokens > 8192 {
		errs = append(errs, errors.New("max_tokens limits one sampled response: choose 1 to 8192"))
	}
	return &consistency{opts: o}, errors.Join(errs...)
}

// Name is the detector's name in flags, metrics and the configuration.
const Name = "consistency"

const (
	reasonNoSampler      = "no sampler"
	reasonNoMessages     = "no messages"
	reasonSamplesRefused = "the model refused to answer again"
	reasonInconsistent   = "sampled responses of the model differ from the answer"
)

const basisEmbedding = "embedding" // threshold key: consistency.embedding

// Detect measures samples (sampled responses that were compared), refused, cut, empty and foreign (those that were not),
// original_similarity and agreement (0 to 1), short (1 when values are compared instead of claims),
// claims, agreed_claims, against_samples (1), and the usage: calls, prompt_tokens, completion_tokens.
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
	got := m.result()
	f.Score = got.Score()
	f.Measures = doc.Measures(append(append(usable.Measures(), got.measures()...), deep.UsageMeasures(used)...)...)
	f.Evidence = m.evidence(doc, usable.Texts)
	return f, nil
}
