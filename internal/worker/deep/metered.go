package deep

import (
	"context"
	"crypto/sha256"
	"fmt"

	"confab/detectors/deep"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

// models are metered clients of the configured endpoints, for one session.
func (c *Clients) models(s *session) deep.Models {
	var m deep.Models
	options := func(to *modelClient) sampling.EndpointOptions {
		return sampling.EndpointOptions{Client: to.client, Gate: s.reserve}
	}
	if to := c.sampler; to != nil {
		m.Resampler = meteredResampler{sampling.NewResampler(options(to)), endpointMeter{s, to}}
	}
	if to := c.embedder; to != nil {
		m.Embedder = meteredEmbedder{sampling.NewEmbedder(options(to)), endpointMeter{s, to}}
	}
	if to := c.judge; to != nil {
		judge := meteredJudge{sampling.NewJudge(options(to), c.asked.Rules), endpointMeter{s, to}}
		if m.Asked = Asked(c.asked); c.asked.Mode == config.JudgeStatements {
			m.Judge = judge
		} else {
			m.Faults = judge
		}
		m.Verifier, m.ByJudge = meteredVerifier{sampling.NewComparer(options(to)), endpointMeter{s, to}}, true
	}
	if to := c.verifier; to != nil {
		m.Verifier, m.ByJudge = meteredVerifier{sampling.NewVerifier(c.server, s.reserve), endpointMeter{s, to}}, false
	}
	return m
}

// Asked is how the configured judge is asked; empty without one.
func Asked(j *config.Judge) schemas.Asked {
	switch {
	case j.BaseURL == "":
		return schemas.Asked{}
	case j.Mode == config.JudgeStatements:
		return schemas.Asked{Model: j.Model, Prompt: sampling.PromptStatements}
	default:
		return schemas.Asked{Model: j.Model, Prompt: sampling.PromptFaults}
	}
}

// requestKey identifies a request by its content.
func requestKey(kind string, parts ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", parts)
	return kind + string(h.Sum(nil))
}

type meteredResampler struct {
	deep.Resampler
	endpointMeter
}

func (r meteredResampler) Resample(ctx context.Context, in *schemas.Interaction, a schemas.SampleRequest) ([]schemas.SampledResponse, schemas.Usage, error) {
	return callMetered(r.endpointMeter, requestKey("resample", a), 1, func() ([]schemas.SampledResponse, schemas.Usage, error) {
		return r.Resampler.Resample(ctx, in, a)
	})
}

type meteredJudge struct {
	*sampling.Judge
	endpointMeter
}

func (j meteredJudge) Faults(ctx context.Context, r *schemas.JudgeRequest) ([]schemas.Fault, schemas.Usage, error) {
	return callMetered(j.endpointMeter, requestKey("faults", *r), 1, func() ([]schemas.Fault, schemas.Usage, error) {
		return j.Judge.Faults(ctx, r)
	})
}

func (j meteredJudge) Statements(ctx context.Context, r *schemas.JudgeRequest) ([]string, schemas.Usage, error) {
	return callMetered(j.endpointMeter, requestKey("statements", *r), 1, func() ([]string, schemas.Usage, error) {
		return j.Judge.Statements(ctx, r)
	})
}

func (j meteredJudge) Verdicts(ctx context.Context, r *schemas.JudgeRequest, statements []string) ([]schemas.Verdict, schemas.Usage, error) {
	return callMetered(j.endpointMeter, requestKey("verdicts", *r, statements), 1, func() ([]schemas.Verdict, schemas.Usage, error) {
		return j.Judge.Verdicts(ctx, r, statements)
	})
}

type meteredVerifier struct {
	deep.Verifier
	endpointMeter
}

func (v meteredVerifier) Verify(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	return callMetered(v.endpointMeter, requestKey("verify", pairs), 1, func() ([]schemas.Relation, schemas.Usage, error) {
		return v.Verifier.Verify(ctx, pairs)
	})
}

type meteredEmbedder struct {
	deep.Embedder
	endpointMeter
}

func (e meteredEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error) {
	requests := (len(texts) + embedTexts - 1) / embedTexts
	return callMetered(e.endpointMeter, requestKey("embed", texts), requests, func() ([][]float32, schemas.Usage, error) {
		return e.Embedder.Embed(ctx, texts)
	})
}

// embedTexts is how many texts llm.Embed sends in one request.
const embedTexts = 8
