package records

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
)

const plainInteraction = `{"interaction_id":"i-1","tenant":"acme","answer":"yes"}`

func TestCodecRejects(t *testing.T) {
	fixed := config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantFixed, Tenant: "default"}
	byHeader := config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantHeader, TenantHeader: "x-tenant"}
	tests := []struct {
		name          string
		input         config.Input
		raw           consumer.Raw
		stage, reason string
	}{
		{"registry prefix", fixed, consumer.Raw{Value: []byte("\x00\x00\x00\x00\x07abc")}, "decode", "unknown_format"},
		{"single-object Avro", fixed, consumer.Raw{Value: []byte("\xc3\x01abcdefgh")}, "decode", "unknown_format"},
		{"schema id header", fixed, consumer.Raw{
			Value: []byte("\x02a"), Headers: []kafka.Header{{Key: "__value_schema_id", Value: []byte("x")}},
		}, "decode", "bad_frame"},
		{"empty", fixed, consumer.Raw{Value: []byte{}}, "decode", "unknown_format"},
		{"text", fixed, consumer.Raw{Value: []byte("hello")}, "decode", "unknown_format"},
		{"list", fixed, consumer.Raw{Value: []byte(`[1]`)}, "decode", "unknown_format"},
		{"no answer", fixed, consumer.Raw{Value: []byte(`{"interaction_id":"i"}`)}, "decode", "missing_answer"},
		{"no tenant header", byHeader, consumer.Raw{Value: []byte(plainInteraction)}, "validate", "tenant_unverified"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := NewInteractionCodec([]config.Input{tt.input}, "cluster", 1<<20)
			tt.raw.Topic = "in"
			got, err := c.Decode(t.Context(), &tt.raw, nil)
			require.Empty(t, got)
			var bad *consumer.PoisonError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, tt.stage, bad.Stage)
			require.Equal(t, tt.reason, bad.Reason)
		})
	}
}

func TestCodecTrustsOnlyTheConfiguredTenant(t *testing.T) {
	tests := []struct {
		name    string
		input   config.Input
		headers []kafka.Header
		tenant  string
		claimed string
	}{
		{"fixed", config.Input{TenantFrom: config.TenantFixed, Tenant: "default"}, nil, "default", "acme"},
		{"fixed, same", config.Input{TenantFrom: config.TenantFixed, Tenant: "acme"}, nil, "acme", ""},
		{"header", config.Input{TenantFrom: config.TenantHeader, TenantHeader: "t"}, []kafka.Header{{Key: "t", Value: []byte("umbrella")}}, "umbrella", "acme"},
		{"last header wins", config.Input{TenantFrom: config.TenantHeader, TenantHeader: "t"}, []kafka.Header{
			{Key: "t", Value: []byte("first")}, {Key: "t", Value: []byte("last")},
		}, "last", "acme"},
		{"payload", config.Input{TenantFrom: config.TenantPayload}, nil, "acme", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.input.Topic, tt.input.Format = "in", config.FormatAuto
			c := NewInteractionCodec([]config.Input{tt.input}, "cluster", 1<<20)
			got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(plainInteraction), Headers: tt.headers}, nil)
			require.NoError(t, err)
			require.Len(t, got, 1)
			require.Equal(t, tt.tenant, got[0].Tenant)
			require.Equal(t, tt.claimed, got[0].Attributes[payloadTenant])
		})
	}
}

func TestCodecResetsTheTenantOfAPooledInteraction(t *testing.T) {
	c := NewInteractionCodec([]config.Input{{Topic: "in", TenantFrom: config.TenantFixed, Tenant: "default"}}, "cluster", 1<<20)
	first, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(plainInteraction)}, nil)
	require.NoError(t, err)
	c.Release(first[0])
	again, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(`{"answer":"x"}`)}, nil)
	require.NoError(t, err)
	require.Empty(t, again[0].Attributes)
}

func TestCodecDerivesMissingIDs(t *testing.T) {
	c := NewInteractionCodec([]config.Input{{Topic: "in", TenantFrom: config.TenantFixed, Tenant: "default"}}, "c-1", 1<<20)
	got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Partition: 3, Offset: 42, Value: []byte(`{"answer":"x"}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, "c-1/in/3/42/0", got[0].ID)
	require.Equal(t, schemas.IDSourceOffset, got[0].IDSource)
}

func TestFlagCodecRejectsAFlagWithoutIncident(t *testing.T) {
	_, err := FlagCodec{}.Decode(t.Context(), &consumer.Raw{Value: []byte(`{"pass":"fast"}`)}, nil)
	var bad *consumer.PoisonError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "missing_incident_id", bad.Reason)
}

// A record that holds a whole stream is read as the completion that it makes. Single chunks are not joined.
func TestWholeStreams(t *testing.T) {
	part := func(id, text, finish string) string {
		return fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`, id, text, finish)
	}
	input := config.DefaultInput("in")
	input.Map = config.PresetMap("openai")
	c := NewInteractionCodec([]config.Input{input}, "c", 1<<20)
	for value, want := range map[string]string{
		"data: " + part("sse", "Par", "null") + "\n\ndata: " + part("sse", "is.", `"stop"`) + "\n\ndata: [DONE]\n\n": "Paris.",
		"[" + part("list", "Paris.", `"stop"`) + "]":                                                                 "Paris.",
		"[" + part("open", "Paris", `null`) + "]":                                                                    "Paris",
		`{"response":{"id":"whole","choices":[{"message":{"content":"The chat.completion.chunk."}}]}}`:               "The chat.completion.chunk.",
		part("one", "Paris.", `"stop"`):                                                                              "",
		"data: nonsense\n\n":                                                                                         "",
	} {
		list, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(value)}, nil)
		if want == "" {
			var poison *consumer.PoisonError
			require.ErrorAs(t, err, &poison, value)
			continue
		}
		require.NoError(t, err, value)
		require.Equal(t, want, list[0].Answer)
		require.Equal(t, value[0] != '{', list[0].Streamed)
		require.Equal(t, value[0] != '{', list[0].Record != nil, "the copy is the whole answer")
	}
}
