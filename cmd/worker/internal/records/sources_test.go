package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/cmd/worker/internal/config"
	"confab/consumer"
	"confab/internal/kafka"
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

func TestCodecDecodesNothingWithABrokenPattern(t *testing.T) {
	input := config.Input{Topic: "in", Format: config.FormatJSON, SourcesFrom: "prompt", SourcesPattern: "("}
	_, err := NewInteractionCodec([]config.Input{input}, "c", 1<<20).Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(promptRecord)}, nil)
	require.ErrorContains(t, err, "kafka.inputs sources of in: sources_pattern is not a regular expression")
}
