package doctor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/schemas"
)

// The doctor evaluates the last records of an input as the worker does, spread over its partitions.
func TestDoctorEvaluatesSamples(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"llm.interactions": 3})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	for i := range 60 {
		value := fmt.Sprintf(`{"interaction_id": "i-%d", "answer": "The old bridge was opened in May 1937.", "retrieved_docs": ["x"], "logprobs": "y"}`, i)
		require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.interactions", Partition: int32(i % 3), Value: []byte(value)}))
	}
	c := config.Default()
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	read, end := records.NewSampleReader(c)
	defer end()
	all := Cluster(t.Context(), Options{
		Kafka: cfg, Inputs: []string{"llm.interactions"}, Topics: []kafka.TopicRequirement{{Name: "llm.interactions"}},
		Sample: read, Evaluate: func(ctx context.Context, in *schemas.Interaction) schemas.Flag {
			return v.Evaluate(ctx, in, schemas.Origin{}, time.Now())
		},
	})
	require.Equal(t, []string{"ok llm.interactions: the last 20 records can be read"}, findingLines(all, checkSample))
	require.Equal(t, []string{"warning llm.interactions: 20 of 20 answers have nothing to check: no_sources (20)"}, findingLines(all, checkContent))
}

// The remedy of records that cannot be read is that of the most frequent reason, for the first such record.
func TestDoctorNamesTheRemedyOfSamples(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	for _, value := range []string{`{"choices": [{"message": {"content": "a"}}], "id": "c1"}`, "not json", `{"choices": [], "id": "c2"}`} {
		kafkatest.Write(t, cfg, kafka.Message{Topic: "in", Value: []byte(value)})
	}
	c := config.Default()
	c.Kafka.Inputs[0].Topic = "in"
	read, end := records.NewSampleReader(c)
	defer end()
	o := Options{Kafka: cfg, Inputs: []string{"in"}, Topics: []kafka.TopicRequirement{{Name: "in"}}, Sample: read}
	remedy := func() string {
		for _, f := range Cluster(t.Context(), o) {
			if f.Check == checkSample {
				require.Equal(t, "3 of the last 3 records cannot be read: missing_answer (2), unknown_format (1)", f.Detail)
				return f.Remedy
			}
		}
		return ""
	}
	require.Contains(t, remedy(), "docs/interaction.md explains the reasons")
	o.Remedy = func(_, reason string, value []byte) string {
		return records.NewRemedy(nil)("in", "decode", reason, value)
	}
	require.Contains(t, remedy(), "this looks like an OpenAI chat completion: set map: {preset: openai} of the input; see docs/existing-topics.md; else write the answer as the field answer")
}

// A filter that skips every record is an error.
func TestDoctorSaysWhatIsSkipped(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	c := config.Default()
	c.Kafka.Inputs[0].Topic = "in"
	c.Kafka.Inputs[0].Where = map[string][]string{"/type": {"GENERATION"}}
	read, end := records.NewSampleReader(c)
	defer end()
	o := Options{Kafka: cfg, Inputs: []string{"in"}, Topics: []kafka.TopicRequirement{{Name: "in"}}, Sample: read}
	for _, step := range []struct{ value, want string }{
		{`{"type": "generation", "answer": "x"}`, "warning in: all of the last 1 records are skipped by where"},
		{`{"type": "GENERATION", "answer": "x"}`, "ok in: the last 2 records can be read, 1 are skipped by where"},
	} {
		kafkatest.Write(t, cfg, kafka.Message{Topic: "in", Value: []byte(step.value)})
		require.Equal(t, []string{step.want}, findingLines(Cluster(t.Context(), o), checkSample))
	}
}
