package doctor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/schemas"
)

func TestExamineContent(t *testing.T) {
	v, err := evaluation.NewFast(config.Default(), nil, nil)
	require.NoError(t, err)
	const text = "The old bridge was opened in May 1937 by the king."
	good := schemas.Interaction{Answer: text, Sources: []schemas.Source{{Text: text}}}
	odd := good
	odd.UnknownNames = []string{"user_id"}
	ragas := schemas.Interaction{Answer: text, UnknownNames: []string{"question", "contexts"}}
	bare := schemas.Interaction{Answer: text}
	malformed := schemas.Interaction{Answer: text, Malformed: []string{schemas.FieldSources}}
	tokens := good
	tokens.Malformed = []string{schemas.FieldLogprobs}
	times := good
	times.Malformed = []string{"occurred_at"}
	unknownModel := good
	unknownModel.Model = "gpt-new"
	silent := schemas.Interaction{NoAnswer: schemas.NotRecorded}
	question := []schemas.Message{{Role: "user", Content: "When?"}}
	found := schemas.Interaction{Answer: text, Messages: question, Sources: good.Sources, SourcesFrom: schemas.SourcesFromSystem}
	notFound := schemas.Interaction{ID: "a-7", Answer: text, Messages: question, SourcesFrom: schemas.SourcesFromNone}
	type sample struct {
		of schemas.Interaction
		n  int
	}
	for _, tt := range []struct {
		name   string
		sample []sample
		want   []string // state: detail → remedy
	}{
		{"good", []sample{{good, 20}}, []string{"ok: 0 of 20 answers have nothing to check → "}},
		{"unknown fields beside sources", []sample{{odd, 3}}, []string{"ok: 0 of 3 answers have nothing to check; unknown fields: user_id → "}},
		{"another shape", []sample{{ragas, 20}}, []string{
			"warning: 20 of 20 records have no sources; unknown fields: contexts, question → if one of the unknown fields has what the model was given, send it as sources or map it: docs/existing-topics.md",
			"warning: 20 of 20 answers have nothing to check: no_sources 20 → if one of the unknown fields has what the model was given, send it as sources or map it: docs/existing-topics.md",
		}},
		{"spans without content", []sample{{silent, 3}, {good, 17}}, []string{
			"warning: 3 of 20 answers came as spans without prompt and answer: the application does not record content → " + contentRemedy,
			"ok: 3 of 20 answers have nothing to check → ",
		}},
		{"some without sources", []sample{{bare, 5}, {good, 15}}, []string{"ok: 5 of 20 answers have nothing to check → "}},
		{"many without sources", []sample{{bare, 12}, {good, 8}}, []string{
			"warning: 12 of 20 records have no sources → send what the model was given in sources: docs/interaction.md",
			"warning: 12 of 20 answers have nothing to check: no_sources 12 → send what the model was given in sources: docs/interaction.md",
		}},
		{"malformed sources", []sample{{malformed, 20}}, []string{
			"warning: malformed fields in 20 of 20 records: sources 20 → correct them in the producer: docs/interaction.md has the types",
			"warning: 20 of 20 answers have nothing to check: malformed_field 20 → correct the malformed fields in the producer: docs/interaction.md has the types",
		}},
		{"malformed log-probabilities", []sample{{tokens, 2}, {good, 18}}, []string{
			"warning: malformed fields in 2 of 20 records: logprobs 2 → correct them in the producer: docs/interaction.md has the types",
			"ok: 0 of 20 answers have nothing to check → ",
		}},
		{"times without a zone", []sample{{times, 1}, {good, 19}}, []string{
			"warning: malformed fields in 1 of 20 records: occurred_at 1 → correct them in the producer: docs/interaction.md has the types; for times without a zone set kafka.inputs[].time_zone",
			"ok: 0 of 20 answers have nothing to check → ",
		}},
		{"a new model", []sample{{unknownModel, 4}, {good, 16}}, []string{
			"warning: model gpt-new has no calibration (4 of 20 answers): its thresholds are those of other models → " +
				"label answers of this model and run `confab tune` on them together with the labels of the other models: docs/tuning.md",
			"ok: 0 of 20 answers have nothing to check → ",
		}},
		{"prompts with sources", []sample{{found, 20}}, []string{
			"ok: sources found in 20 of 20 prompts → ",
			"ok: 0 of 20 answers have nothing to check → ",
		}},
		{"a prompt without", []sample{{found, 18}, {notFound, 2}}, []string{
			"warning: sources found in 18 of 20 prompts; the first without: a-7 → compare that prompt with docs/prompt-sources.md",
			"ok: 2 of 20 answers have nothing to check → ",
		}},
		{"nothing", nil, []string{"not checked: no record could be evaluated → "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sum coverage.Summary
			for _, s := range tt.sample {
				for range s.n {
					e := v.Suite.Evaluate(t.Context(), &s.of)
					sum.Add(e, s.of.Model != "gpt-new")
					e.Release()
				}
			}
			r := console.Report{}
			examineContent(&r, &sum)
			var got []string
			for _, f := range r.Findings {
				got = append(got, fmt.Sprintf("%s: %s → %s", f.State, f.Detail, f.Remedy))
			}
			if sum.Answers > 0 {
				tt.want = append(tt.want, fmt.Sprintf("ok: 0 of %d answers have log-probabilities, which confidence needs → ", sum.Answers))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

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
		Sample: read, Suite: v.Suite,
	})
	require.Equal(t, []string{"ok llm.interactions: the last 20 records can be read"}, findingLines(all, checkSample))
	lines := findingLines(all, checkContent)
	require.Equal(t, []string{
		"warning llm.interactions: malformed fields in 20 of 20 records: logprobs 20",
		"warning llm.interactions: 20 of 20 records have no sources; unknown fields: retrieved_docs",
		"warning llm.interactions: 20 of 20 answers have nothing to check: no_sources 20",
		"ok llm.interactions: 0 of 20 answers have log-probabilities, which confidence needs",
	}, lines)
}

// The remedy of records that cannot be read is that of the most frequent reason, for the first such record.
func TestDoctorNamesTheRemedyOfSamples(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	for _, value := range []string{`{"messages": [{"role": "user", "content": "q"}]}`, "not json", `{"messages": [], "id": "c2"}`} {
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
	require.Contains(t, remedy(), "this looks like api.request: log the response in the same record, as response, or as answer")
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
