package avro

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	twmb "github.com/twmb/avro"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// requireEqual compares interactions and flags; of the first not what only a decoder of texts can know.
func requireEqual() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreFields(schemas.Interaction{}, "Scratch"), cmpopts.IgnoreFields(schemas.Logprobs{}, "Offsets"),
		cmpopts.EquateEmpty(), cmpopts.EquateNaNs(),
	}
}

func loadSchema(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := NewSchema(text)
	require.NoError(t, err)
	return s
}

// errorReason is the reason of an *scan.Error, "" of nil.
func errorReason(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var refused *scan.Error
	require.ErrorAs(t, err, &refused)
	require.Contains(t, scan.Reasons(), refused.Reason)
	return refused.Reason
}

// writeValue encodes v as an independent writer does.
func writeValue(t testing.TB, schema string, v any) []byte {
	t.Helper()
	s, err := twmb.Parse(schema)
	require.NoError(t, err)
	raw, err := s.Encode(v)
	require.NoError(t, err)
	return raw
}

// resolvedValue is what an independent reader with another schema makes of raw.
func resolvedValue(t testing.TB, writer, reader string, raw []byte) (v any, err error) {
	t.Helper()
	w, err := twmb.Parse(writer)
	require.NoError(t, err)
	r, err := twmb.Parse(reader)
	require.NoError(t, err)
	s, err := twmb.Resolve(w, r)
	if err != nil {
		return nil, err
	}
	rest, err := s.Decode(raw, &v)
	if err == nil && len(rest) > 0 {
		return nil, &scan.Error{Reason: scan.ReasonTrailingBytes}
	}
	return v, err
}

func fullInteraction() schemas.Interaction {
	return schemas.Interaction{
		ID: "resp_1", Tenant: "acme", Service: "search", Operation: "qa", Provider: "openai", Model: "gpt",
		OccurredAt: time.UnixMilli(1_795_255_200_123).UTC(), TraceID: "4bf9", SpanID: "00f0", ConversationID: "c1",
		Tags:     []string{"medical", "high-stakes"},
		Messages: []schemas.Message{{Role: "system", Content: "Answer."}, {Role: "user", Content: "What, où?"}},
		Answer:   "A café [1].", FinishReason: "stop", Streamed: true, Temperature: 0.25,
		Sources:        []schemas.Source{{ID: "1", Text: "A café.", URI: "doc://1", Score: 0.75}, {Text: "b"}},
		ResponseSchema: `{"type":"string"}`, Attributes: map[string]string{"region": "eu", "beta": "true"},
		Logprobs: schemas.Logprobs{TopK: 1, Values: []float32{-0.5, -1.25, -100, float32(math.NaN())}},
	}
}

// float32s packs values as producers do.
func float32s(values ...float32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// record is a schema of one record with these fields.
func recordOf(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
