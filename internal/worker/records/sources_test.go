package records

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

const promptRecord = `{"interaction_id":"i-1","answer":"At 8:00.","messages":[{"role":"user","content":"Context:\n[1] The ferry leaves at 7:40.\n[2] A ticket costs 18 euros.\n\nQuestion: When?"}]}`

// TestCodecsFindSourcesInMessages: the detect role, the sample role and commands on files find the same sources.
func TestCodecsFindSourcesInMessages(t *testing.T) {
	found := []schemas.Source{{ID: "1", Text: "The ferry leaves at 7:40."}, {ID: "2", Text: "A ticket costs 18 euros."}}
	for name, c := range map[string]struct {
		setting string
		want    []schemas.Source
		from    string
	}{
		"by default":   {"auto", found, schemas.SourcesFromPrompt},
		"switched off": {"field", nil, schemas.SourcesFromNone},
		"elsewhere":    {"tool_messages", nil, schemas.SourcesFromNone},
	} {
		t.Run(name, func(t *testing.T) {
			input := config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantFixed, Tenant: "default", SourcesFrom: c.setting}
			raw := consumer.Raw{Topic: "in", Value: []byte(promptRecord)}
			detected, err := NewInteractionCodec([]config.Input{input}, "c", 1<<20).Decode(t.Context(), &raw, nil)
			require.NoError(t, err)
			origin := schemas.Origin{Topic: "in", Offset: 3}
			copied := consumer.Raw{Topic: "sampled", Value: raw.Value, Headers: []kafka.Header{{Key: sampling.HeaderOrigin, Value: origin.Header("default")}}}
			sampled, err := NewSampledCodec([]config.Input{input}, "c", 1<<20).Decode(t.Context(), &copied, nil)
			require.NoError(t, err)
			file, err := NewFileInput(&config.Config{Kafka: config.Kafka{Inputs: []config.Input{input}, MaxRecordBytes: 1 << 20}}, "in")
			require.NoError(t, err)
			var read schemas.Interaction
			require.NoError(t, file.Decode(raw.Value, &read))
			file.Admit(&read, origin)
			for _, in := range []*schemas.Interaction{detected[0], sampled[0], &read} {
				require.Equal(t, c.want, append([]schemas.Source(nil), in.Sources...))
				require.Equal(t, c.from, in.SourcesFrom)
			}
		})
	}
}

// TestPromptSourcesAreCounted: only prompts that were searched count.
func TestPromptSourcesAreCounted(t *testing.T) {
	c := NewInteractionCodec([]config.Input{{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantFixed, Tenant: "default", SourcesFrom: "auto"}}, "c", 1<<20)
	reg := prometheus.NewRegistry()
	c.Count(NewMetrics(reg, labels.NewTraffic(labels.Options{}, labels.Options{}), nil))
	for _, record := range []string{
		promptRecord, `{"answer":"x","messages":[{"role":"user","content":"When?"}]}`, `{"answer":"x","sources":["y"]}`, `{"answer":"x"}`,
		`{"answer":"x","messages":[{"role":"system","content":"Context:\nIt opens at 9:00."},{"role":"user","content":"When?"}]}`,
	} {
		_, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(record)}, nil)
		require.NoError(t, err)
	}
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP confab_prompt_sources_total Answers whose messages were searched for sources, by where these were found: tool_messages, system, prompt (a message of the user), none.
# TYPE confab_prompt_sources_total counter
confab_prompt_sources_total{from="none",topic="in"} 1
confab_prompt_sources_total{from="prompt",topic="in"} 1
confab_prompt_sources_total{from="system",topic="in"} 1
confab_prompt_sources_total{from="tool_messages",topic="in"} 0
`), "confab_prompt_sources_total"))
}

func TestCodecDecodesNothingWithABrokenPattern(t *testing.T) {
	input := config.Input{Topic: "in", Format: config.FormatJSON, SourcesFrom: "prompt", SourcesPattern: "("}
	_, err := NewInteractionCodec([]config.Input{input}, "c", 1<<20).Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(promptRecord)}, nil)
	require.ErrorContains(t, err, "kafka.inputs sources of in: sources_pattern is not a regular expression")
}

// Every reader of interactions adds the reference context of their tenant and operation, behind their own sources.
func TestCodecsAddReferenceContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.md")
	require.NoError(t, os.WriteFile(file, []byte("Returns within 14 days."), 0o600))
	input := config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantPayload, SourcesFrom: "auto"}
	c := &config.Config{
		Kafka: config.Kafka{Inputs: []config.Input{input}, MaxRecordBytes: 1 << 20},
		ReferenceContext: []config.ReferenceContext{
			{Operation: "support", TextFile: file}, {Tenant: "bank", ID: "fees", Text: "No fees."},
		},
	}
	references, err := LoadReferences(c)
	require.NoError(t, err)
	policy, fees := schemas.Source{ID: "policy.md", Text: "Returns within 14 days."}, schemas.Source{ID: "fees", Text: "No fees."}
	for record, want := range map[string]struct {
		sources []schemas.Source
		from    string
	}{
		`{"answer":"a","operation":"support"}`:                            {[]schemas.Source{policy}, schemas.SourcesFromConfiguration},
		`{"answer":"a","operation":"support","sources":["x"]}`:            {[]schemas.Source{{ID: "", Text: "x"}, policy}, schemas.SourcesFromField},
		`{"answer":"a","operation":"support","tenant":"bank"}`:            {[]schemas.Source{policy, fees}, schemas.SourcesFromConfiguration},
		`{"answer":"a","operation":"other","tenant":"shop"}`:              {nil, schemas.SourcesFromNone},
		`{"answer":"a","operation":"other","tenant":"shop","sources":[]}`: {nil, schemas.SourcesFromNone},
	} {
		raw := consumer.Raw{Topic: "in", Value: []byte(record)}
		codec := NewInteractionCodec(c.Kafka.Inputs, "c", 1<<20)
		codec.UseReferences(references)
		detected, err := codec.Decode(t.Context(), &raw, nil)
		require.NoError(t, err)
		origin := schemas.Origin{Topic: "in", Offset: 3}
		copies := NewSampledCodec(c.Kafka.Inputs, "c", 1<<20)
		copies.UseReferences(references)
		copied := consumer.Raw{Topic: "sampled", Value: raw.Value, Headers: []kafka.Header{{Key: sampling.HeaderOrigin, Value: origin.Header(detected[0].Tenant)}}}
		sampled, err := copies.Decode(t.Context(), &copied, nil)
		require.NoError(t, err)
		input, err := NewFileInput(c, "in")
		require.NoError(t, err)
		var read schemas.Interaction
		require.NoError(t, input.Decode(raw.Value, &read))
		input.Admit(&read, origin)
		for _, in := range []*schemas.Interaction{detected[0], sampled[0], &read} {
			require.Equal(t, want.sources, append([]schemas.Source(nil), in.Sources...), record)
			require.Equal(t, want.from, in.SourcesFrom, record)
		}
	}
	c.ReferenceContext[0].TextFile += ".gone"
	_, err = NewFileInput(c, "in")
	require.ErrorContains(t, err, "reference_context[0].text_file")
}
