package doctor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/incidents"
	"confab/internal/worker/livetest"
	"confab/internal/worker/records"
	"confab/sampling"
)

// What the judge would be asked in a day: the alerts that would wait, and the answers of the most value.
func TestForecastOfTheJudge(t *testing.T) {
	s := livetest.New(t, func(c *config.Config) {
		c.LLM.Judge.BaseURL, c.LLM.Judge.Model = "http://127.0.0.1:1/v1", "m" // nobody is asked
		c.Sampling.Rate, c.Sampling.JudgeShare, c.Sampling.Salt = 0, 0.25, "a salt"
	})
	var values []string
	for i := range 40 {
		values = append(values, fmt.Sprintf(livetest.Grounded, fmt.Sprint("good-", i)))
	}
	for i := range 10 {
		values = append(values, fmt.Sprintf(livetest.Ungrounded, fmt.Sprint("bad-", i)))
	}
	s.Produce(t, 0, values...)
	s.Run(t)
	evaluator, err := evaluation.NewFast(s.Config, nil, nil)
	require.NoError(t, err)
	sampler, err := sampling.New(s.Config.SamplingOptions())
	require.NoError(t, err)
	sample, end := records.NewSampleReader(s.Config)
	defer end()
	o := Options{
		Kafka: s.Kafka, Inputs: []string{"llm.interactions"}, Sample: sample, Suite: evaluator.Suite,
		Judge: &JudgeOptions{
			Policy: alerting.NewPolicy(s.Config.PolicyOptions()), Sampler: sampler, Share: 0.25, Tokens: 1_000_000, Confirms: true, Now: time.Now(),
			Flags: incidents.FindOptions{Kafka: s.Kafka, Topic: s.Config.Kafka.Topics.Incidents, Decode: records.NewFlagReader(nil), Now: time.Now},
		},
	}
	said := func() map[string]console.Finding {
		found := map[string]console.Finding{}
		for _, f := range Cluster(t.Context(), o) {
			if f.Check == checkJudge {
				found[f.Subject] = f
			}
		}
		return found
	}
	got := said()
	require.Equal(t, console.OK, got["alerting.confirm"].State)
	require.Contains(t, got["alerting.confirm"].Detail, "10 alerts of the last day would wait for the judge")
	require.Equal(t, console.OK, got["sampling.judge_share"].State, got["sampling.judge_share"].Detail)
	require.Regexp(t, `^of 50 answers a day the judge would be asked about \d+, with some \d+ tokens, and find about 10 wrong ones, \d+ if asked by chance`, got["sampling.judge_share"].Detail)
	o.Judge.Tokens = 1000
	require.Equal(t, console.Warning, said()["sampling.judge_share"].State)
	o.Judge.Now = time.Now().Add(48 * time.Hour)
	require.Contains(t, said()["alerting.confirm"].Detail, "0 alerts of the last day")
	require.Contains(t, said()["sampling.judge_share"].Detail, "no answers in the last day")
}
