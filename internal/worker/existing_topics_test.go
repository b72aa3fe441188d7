package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/schemas"
)

// existingTopicConfig is the configuration of one worked example of docs/existing-topics.md, and the records of its sample.
func existingTopicConfig(t *testing.T, name string) (cfg *config.Config, rows [][]byte) {
	t.Helper()
	dir := filepath.Join("..", "..", "examples", "existing-topics")
	cfg, err := config.Load(config.LoadOptions{File: filepath.Join(dir, name+".yaml")})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
	require.NoError(t, err)
	rows = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return cfg, rows
}

const parcels = "Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."

// Every field that a map of the worked examples names is filled by its sample.
func TestExistingTopicsAreRead(t *testing.T) {
	at := func(d time.Duration) time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).Add(d) }
	openai := schemas.Interaction{
		SourcesFrom: schemas.SourcesFromField, Shape: "api.pair",
		ID: "chatcmpl-0001", Tenant: "web-shop", Operation: "delivery_questions", Model: "gpt-4o-mini-2024-07-18", OccurredAt: at(time.Second),
		Messages: []schemas.Message{
			{Role: "system", Content: "Answer from the passages and cite them."}, {Role: "user", Content: "When do parcels leave?"},
		},
		Answer:       "Standard parcels leave the Rotterdam warehouse within two working days [1].",
		FinishReason: "stop", Temperature: 0.2, Sources: []schemas.Source{{Text: parcels, Score: 0.83}},
		Attributes: map[string]string{"user": "u-1", "fingerprint": "fp_44709d6fcb"},
	}
	litellm := schemas.Interaction{
		SourcesFrom: schemas.SourcesFromField, Shape: "litellm.call",
		ID: "chatcmpl-0001", Tenant: "support", Service: "help-desk", Operation: "delivery_questions", Provider: "openai", Model: "gpt-4o-mini",
		OccurredAt: at(1250 * time.Millisecond), ConversationID: "7f0c2c1e-4b6f-4f0e-9a50-0a6f6f1f0001", Tags: []string{"help-desk", "User-Agent: python"},
		Messages:     []schemas.Message{{Role: "user", Content: "When do parcels leave?"}},
		Answer:       "Standard parcels leave the Rotterdam warehouse within two working days [1].",
		FinishReason: "stop", Temperature: 0.2, Sources: []schemas.Source{{ID: "1", Text: parcels, URI: "delivery.md", Score: 0.83}},
		Attributes: map[string]string{"call_type": "acompletion", "model_group": "small", "end_user": "customer-1"},
	}
	tests := []struct {
		name  string
		first schemas.Interaction
		rest  func(t *testing.T, read []*schemas.Interaction)
	}{
		{"openai", openai, func(t *testing.T, read []*schemas.Interaction) {
			require.Len(t, read, 4)
			require.JSONEq(t, `{"type":"object","required":["days"],"properties":{"days":{"type":"integer"}},"additionalProperties":false}`,
				read[2].ResponseSchema)
			require.Equal(t, schemas.Logprobs{TopK: 1, Values: []float32{-0.01, -0.01, -0.001, -0.001, -0.3, -0.3}, Offsets: []int32{0, 7, 8}}, read[2].Logprobs)
			require.Empty(t, read[3].Answer, "a turn that calls a tool")
			require.Equal(t, "tool_calls", read[3].FinishReason)
		}},
		{"litellm", litellm, func(t *testing.T, read []*schemas.Interaction) {
			require.Len(t, read, 3)
			require.Equal(t, "default", read[2].Tenant, "a key of no team")
			require.Empty(t, read[2].Sources)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, rows := existingTopicConfig(t, tt.name)
			c := records.NewInteractionCodec(cfg.Kafka.Inputs, "cluster", int(cfg.Kafka.MaxRecordBytes))
			var read []*schemas.Interaction
			var err error
			for _, record := range rows {
				read, err = c.Decode(t.Context(), &consumer.Raw{Topic: cfg.Kafka.Inputs[0].Topic, Value: record}, read)
				require.NoError(t, err)
			}
			require.Empty(t, cmp.Diff(tt.first, *read[0], cmpopts.IgnoreFields(schemas.Interaction{}, "Scratch"), cmpopts.EquateEmpty()))
			tt.rest(t, read)
		})
	}
}

// check --input gives the flags that the worker would write.
func TestFileInput(t *testing.T) {
	cfg, rows := existingTopicConfig(t, "openai")
	v, err := evaluation.NewFast(cfg, nil, nil)
	require.NoError(t, err)
	_, err = records.NewFileInput(cfg, "nowhere")
	require.ErrorContains(t, err, "name one of openai.chat.log")
	input, err := records.NewFileInput(cfg, "openai.chat.log")
	require.NoError(t, err)
	var in schemas.Interaction
	require.NoError(t, input.Decode(rows[1], &in))
	input.Admit(&in, schemas.Origin{Topic: "file", Offset: 2})
	f := v.Evaluate(t.Context(), &in, schemas.Origin{Topic: "file", Offset: 2}, time.Unix(0, 0))
	require.Equal(t, "web-shop", f.Tenant)
	require.Equal(t, []string{"citation", "facts"}, f.Fired)
}
