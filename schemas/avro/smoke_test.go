package avro

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestRoundTrip(t *testing.T) {
	s, err := NewSchema(schemas.InteractionAvro())
	require.NoError(t, err)
	want := schemas.Interaction{
		ID: "i", Tenant: "acme", OccurredAt: time.UnixMilli(1_795_255_200_123).UTC(), Tags: []string{"medical"},
		Messages: []schemas.Message{{Role: "user", Content: "é?"}}, Answer: "A café.", Temperature: 0.5,
		Sources:    []schemas.Source{{ID: "1", Text: "A café.", Score: 0.25}},
		Attributes: map[string]string{"a": "b", "c": "d"},
		Logprobs:   schemas.Logprobs{TopK: 1, Values: []float32{-1, -2}},
	}
	raw, err := AppendInteraction(nil, &want)
	require.NoError(t, err)
	var got schemas.Interaction
	require.NoError(t, s.DecodeInteraction(raw, &got))
	require.Empty(t, cmp.Diff(want, got))
}
