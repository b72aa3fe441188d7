package avro

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func schemaVariant(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "evolution", name+".avsc"))
	require.NoError(t, err)
	return string(text)
}

// writerSchemas are records of writers with other schemas than ours, with what we read.
func writerSchemas() map[string]struct {
	schema string
	wrote  map[string]any
	want   schemas.Interaction
	ours   bool // no other reader resolves it: Avro's rules do not
} {
	at := time.UnixMilli(1_795_255_200_123).UTC()
	return map[string]struct {
		schema string
		wrote  map[string]any
		want   schemas.Interaction
		ours   bool
	}{
		"older": {
			"minimal",
			map[string]any{"interaction_id": "i", "answer": "a", "sources": []any{map[string]any{"text": "s"}}},
			schemas.Interaction{ID: "i", Answer: "a", Sources: []schemas.Source{{Text: "s"}}, Temperature: -1},
			false,
		},
		"newer": {
			"newer",
			map[string]any{
				"region": "US", "answer": "a", "usage": map[string]any{"prompt_tokens": 3, "by_model": map[string]any{"m": int64(7)}},
				"interaction_id": "i", "tool_calls": []any{map[string]any{"name": "n", "arguments": "{}"}, map[string]any{"name": "n", "arguments": nil}},
				"digest": []byte{0xff, 0xfe, 0xfd, 0xfc}, "temperature": 0.5, "cost": float32(math.Inf(1)),
				"sources": []any{map[string]any{"page": 3, "text": "t", "id": "1", "score": 0.5}},
			},
			schemas.Interaction{
				ID: "i", Answer: "a", Temperature: 0.5, Sources: []schemas.Source{{ID: "1", Text: "t", Score: 0.5}}, UnknownFields: 5,
				UnknownNames: []string{"region", "usage", "tool_calls", "digest", "cost"},
			},
			false,
		},
		"nullable, given": {
			"nullable",
			map[string]any{
				"interaction_id": "i", "tenant": "acme", "occurred_at": at, "tags": []any{"medical"},
				"messages": []any{map[string]any{"role": "user", "content": "c"}}, "answer": "a", "streamed": true, "temperature": 0.0,
				"sources":    []any{map[string]any{"id": "1", "text": "t", "score": 0.5}},
				"attributes": map[string]any{"s": "x", "l": int64(-7), "d": 1.5, "b": true, "n": nil},
				"top_k":      1, "token_logprobs": float32s(-1, 1),
			},
			schemas.Interaction{
				ID: "i", Tenant: "acme", OccurredAt: at, Tags: []string{"medical"}, Messages: []schemas.Message{{Role: "user", Content: "c"}},
				Answer: "a", Streamed: true, Sources: []schemas.Source{{ID: "1", Text: "t", Score: 0.5}},
				Attributes: map[string]string{"s": "x", "l": "-7", "d": "1.5", "b": "true"},
				Logprobs:   schemas.Logprobs{TopK: 1, Values: []float32{-1, 0}},
			},
			true,
		},
		"nullable, null": {
			"nullable",
			map[string]any{
				"interaction_id": nil, "tenant": nil, "occurred_at": nil, "tags": nil, "messages": nil, "answer": "", "streamed": nil,
				"temperature": nil, "sources": nil, "attributes": nil, "top_k": nil, "token_logprobs": nil,
			},
			schemas.Interaction{Temperature: -1},
			true,
		},
		"promoted": {
			"promoted",
			map[string]any{
				"interaction_id": []byte("i"), "occurred_at": at.UnixMilli(), "answer": []byte("é"), "temperature": 1,
				"sources":    []any{map[string]any{"text": []byte("t"), "score": float32(0.5)}},
				"attributes": map[string]any{"k": []byte("v")}, "top_k": 0, "token_logprobs": float32s(-1),
			},
			schemas.Interaction{
				ID: "i", OccurredAt: at, Answer: "é", Temperature: 1, Sources: []schemas.Source{{Text: "t", Score: 0.5}},
				Attributes: map[string]string{"k": "v"}, Logprobs: schemas.Logprobs{Values: []float32{-1}},
			},
			false,
		},
		"renamed": {
			"renamed",
			map[string]any{
				"response_id": "i", "response": "a", "answerText": "other", "finishReason": "stop", "traceId": "t", "span_id": "s",
				"spanId": "other", "sources": []any{map[string]any{"passage": "p", "URI": "u"}}, "topK": 1, "tokenLogprobs": float32s(-1, -2),
			},
			schemas.Interaction{
				ID: "i", Answer: "a", FinishReason: "stop", TraceID: "t", SpanID: "s", Temperature: -1,
				Sources:  []schemas.Source{{Text: "p", URI: "u"}},
				Logprobs: schemas.Logprobs{TopK: 1, Values: []float32{-1, -2}}, UnknownFields: 2, UnknownNames: []string{"answerText", "spanId"},
			},
			true,
		},
	}
}

// What other writers wrote is read, and where Avro's own rules say how, an independent reader with our schema agrees.
func TestOtherWriters(t *testing.T) {
	for name, c := range writerSchemas() {
		t.Run(name, func(t *testing.T) {
			text := schemaVariant(t, c.schema)
			raw := writeValue(t, text, c.wrote)
			var got schemas.Interaction
			require.NoError(t, loadSchema(t, text).DecodeInteraction(raw, &got))
			require.Empty(t, cmp.Diff(c.want, got, requireEqual()))
			if c.ours {
				return
			}
			if got.Tenant == "" {
				got.Tenant = schemas.DefaultTenant // the schema's default; our caller decides
			}
			again, err := AppendInteraction(nil, &got)
			require.NoError(t, err)
			mine, err := resolvedValue(t, schemas.InteractionAvro(), schemas.InteractionAvro(), again)
			require.NoError(t, err)
			theirs, err := resolvedValue(t, text, schemas.InteractionAvro(), raw)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(theirs, mine, requireEqual()))
		})
	}
}

// Readers with an older or a newer schema read what we write.
func TestOtherReaders(t *testing.T) {
	in := fullInteraction()
	raw, err := AppendInteraction(nil, &in)
	require.NoError(t, err)
	for _, name := range []string{"minimal", "newer"} {
		t.Run(name, func(t *testing.T) {
			got, err := resolvedValue(t, schemas.InteractionAvro(), schemaVariant(t, name), raw)
			require.NoError(t, err)
			record, ok := got.(map[string]any)
			require.True(t, ok)
			require.Equal(t, in.ID, record["interaction_id"])
			require.Equal(t, in.Answer, record["answer"])
			sources, ok := record["sources"].([]any)
			require.True(t, ok)
			require.Len(t, sources, len(in.Sources))
		})
	}
}

// Readers of flags with an older schema, which lacks some of our fields, and with a newer one, which has another.
func TestOtherReadersOfFlags(t *testing.T) {
	want := fullFlag()
	raw, err := AppendFlag(nil, &want)
	require.NoError(t, err)
	for name, change := range map[string]func(fields []any) []any{
		"older": func(fields []any) []any {
			return slices.DeleteFunc(fields, func(f any) bool {
				return slices.Contains([]string{"attributes", "grounding", "sample_reason"}, f.(map[string]any)["name"].(string))
			})
		},
		"newer": func(fields []any) []any {
			return append(fields, map[string]any{"name": "severity", "type": "int", "default": 3})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var schema map[string]any
			require.NoError(t, json.Unmarshal([]byte(schemas.FlagAvro()), &schema))
			schema["fields"] = change(schema["fields"].([]any))
			reader, err := json.Marshal(schema)
			require.NoError(t, err)
			got, err := resolvedValue(t, schemas.FlagAvro(), string(reader), raw)
			require.NoError(t, err)
			record, ok := got.(map[string]any)
			require.True(t, ok)
			require.Len(t, record, len(schema["fields"].([]any)))
			require.Equal(t, want.IncidentID, record["incident_id"])
			require.Len(t, record["signals"], len(want.Signals))
			if name == "newer" {
				require.EqualValues(t, 3, record["severity"])
			}
		})
	}
}
