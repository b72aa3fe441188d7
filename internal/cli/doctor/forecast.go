package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"confab/detectors"
	"confab/detectors/consistency"
	"confab/internal/finding"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

// Forecast estimates what deep evaluations of the inputs' traffic cost.
type Forecast struct {
	LLM     *config.LLM
	Sampler *sampling.Sampler
}

// NewForecast returns nil if nothing is sampled or no endpoint evaluates.
func NewForecast(c *config.Config) *Forecast {
	if !c.LLM.Enabled() || !c.SamplingEnabled() {
		return nil
	}
	s, err := sampling.New(c.SamplingOptions())
	if err != nil { // the checks of the settings report it
		return nil
	}
	return &Forecast{&c.LLM, s}
}

// forecastSums add up over the interactions of a sample.
type forecastSums struct {
	answers                   int
	sampled, requests, tokens float64 // expected
}

// Estimates of a deep evaluation.
const (
	bytesPerToken   = 3
	claimBytes      = 120 // of an answer
	claimsPerPrompt = 16  // compared in one request
	promptTokens    = 300 // instructions of one request
	verdictTokens   = 40  // a verdict with its reason
)

// add adds what is expected for the interaction.
func (s *forecastSums) add(f *Forecast, in *schemas.Interaction, e *detectors.Evaluation) {
	s.answers++
	seen := sampling.NoFastScores()
	if risk, ok := e.Risk(); ok {
		seen.Risk = risk
	}
	for i := range e.Readings() {
		if g := &e.Readings()[i].Finding.Grounding; g.Claims > 0 {
			seen.Support = g.OverallSimilarity
		}
	}
	p := f.Sampler.Decide(in, seen).Probability
	if p == 0 || e.Skipped() {
		return
	}
	requests, tokens := f.evaluation(in)
	s.sampled += p
	s.requests += p * requests
	s.tokens += p * tokens
}

// evaluation is the expected number of requests and tokens of one deep evaluation.
func (f *Forecast) evaluation(in *schemas.Interaction) (requests, tokens float64) {
	answer, messages, sources := len(in.Answer), 0, 0
	for i := range in.Messages {
		messages += len(in.Messages[i].Content)
	}
	for i := range in.Sources {
		sources += len(in.Sources[i].Text)
	}
	claims := math.Ceil(float64(answer) / claimBytes)
	o := consistency.DefaultOptions()
	if f.LLM.Sampler.BaseURL != "" {
		requests++
		tokens += float64(messages+sources)/bytesPerToken + float64(o.Samples)*math.Min(float64(answer)/bytesPerToken, float64(o.MaxTokens))
	}
	if f.LLM.Judge.BaseURL != "" {
		requests += 2
		tokens += 2*promptTokens + float64(3*answer+sources)/bytesPerToken + claims*verdictTokens
		if f.LLM.Entailer.BaseURL == "" {
			requests += math.Ceil(claims / claimsPerPrompt)
			tokens += math.Ceil(claims/claimsPerPrompt)*promptTokens + claims*(4*claimBytes/bytesPerToken+verdictTokens)
		}
	}
	if f.LLM.Entailer.BaseURL != "" {
		requests += math.Ceil(claims / claimsPerPrompt)
	}
	return requests, tokens
}

// forecast reports the expected cost for the topic's traffic of the last day.
func (d *clusterCheck) forecast(ctx context.Context, topic string, s *topicSample) {
	if d.Forecast == nil {
		return
	}
	d.report(checkForecast, topic, func(r *finding.Report) {
		if s.forecast.answers == 0 {
			r.Skip("no record could be evaluated", "")
			return
		}
		records, err := d.admin.RecordsSince(ctx, topic, d.Now().Add(-24*time.Hour))
		if err != nil {
			r.Skip(err.Error(), "")
			return
		}
		scale := float64(records) / float64(max(1, s.read))
		day := float64(d.Forecast.LLM.Budget.TokensPerWindow) * float64(24*time.Hour) / float64(d.Forecast.LLM.Budget.Window)
		detail := fmt.Sprintf("%d records in 24 hours; by the last %d of them about %s deep evaluations a day, %s requests, %s tokens",
			records, s.read, roundTwo(scale*s.forecast.sampled), roundTwo(scale*s.forecast.requests), roundTwo(scale*s.forecast.tokens))
		if tokens := scale * s.forecast.tokens; tokens > day {
			r.Warn(detail+fmt.Sprintf("; the budget is %s tokens a day", roundTwo(day)), "lower sampling rates, or raise llm.budget.tokens_per_window")
			return
		}
		r.OK(detail)
	})
}

// roundTwo formats a count with two significant digits.
func roundTwo(x float64) string {
	if x >= 100 {
		unit := math.Pow(10, math.Floor(math.Log10(x))-1)
		x = math.Round(x/unit) * unit
	}
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.1f million", x/1e6)
	case x >= 10:
		return fmt.Sprintf("%.0f", x)
	default:
		return fmt.Sprintf("%.1f", x)
	}
}
