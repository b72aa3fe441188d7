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
	return ConsistencyOptions{Samples: 4, Temperature: 0.7, MaxTokens: 400, AgreedShare: 0.6}
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

type consistency struct {
	opts ConsistencyOptions
	from Resampler
	by   Embedder
}

func newConsistency(o ConsistencyOptions, deps Deps) (Detector, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &consistency{opts: o, from: deps.Resampler, by: deps.Embedder}, nil
}

func (*consistency) Name() string { return "consistency" }

const reasonNoSampler = "no sampler"

// Detect is not written yet.
func (c *consistency) Detect(context.Context, *Document) (Finding, error) {
	return Finding{NotCheckable: reasonNoSampler}, nil
}
