package recordshape

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// ownRecord has the names of the published schema.
const ownRecord = `{"interaction_id":"resp_1","tenant":"acme","service":"search","operation":"qa","provider":"openai","model":"m",` +
	`"occurred_at":"2026-11-21T10:00:00.123Z","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","conversation_id":"c1",` +
	`"tags":["medical"],"messages":[{"role":"user","content":"When?"}],"answer":"In 1937 [1].","finish_reason":"stop","temperature":0.7,` +
	`"sources":[{"id":"1","text":"It opened in 1937."}],"attributes":{"region":"eu"}}`

// Our own records pay nothing in storage for the recognition of others.
func TestRecognitionAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	d, err := NewDecoder(Options{}, json.Options{})
	require.NoError(t, err)
	plain := json.NewDecoder(json.Options{})
	var in schemas.Interaction
	raw := []byte(ownRecord)
	with := testing.AllocsPerRun(500, func() { require.NoError(t, d.Decode(raw, &in)) })
	without := testing.AllocsPerRun(500, func() { require.NoError(t, plain.Decode(raw, &in)) })
	require.LessOrEqual(t, with, without)
}

// BenchmarkOwnRecord is what recognition adds to reading a record of ours: at most a microsecond.
func BenchmarkOwnRecord(b *testing.B) {
	shapes, err := NewDecoder(Options{}, json.Options{})
	require.NoError(b, err)
	for name, d := range map[string]*json.Decoder{"plain": json.NewDecoder(json.Options{}), "shapes": shapes} {
		b.Run(name, func(b *testing.B) {
			var in schemas.Interaction
			raw := []byte(ownRecord)
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Decode(raw, &in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
