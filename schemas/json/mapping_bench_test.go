package json

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// nestedShape is typical as a log of requests and responses has it, and the map that reads it.
func nestedShape(r *rand.Rand) []byte {
	raw := append([]byte(`{"request":{"id":"r","seed":7,"tools":[{"name":"search"}]},"choices":[{"index":0,"message":`), typicalRecord(r, "openai")...)
	return append(raw, `}],"usage":{"prompt_tokens":900,"completion_tokens":150}}`...)
}

// A mapping allocates as little as the plain decoder: nothing in the steady state.
func TestMappingAllocs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	if underRace {
		t.Skip("allocations are not counted under the race detector")
	}
	raws := benchCorpus(nestedShape)
	m := newMapping(t, identityMapping("/choices/0/message"))
	var in schemas.Interaction
	decode := func() {
		for _, raw := range raws {
			if err := m.Decode(raw, &in); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode() // warm up
	require.Len(t, in.Sources, 5)
	require.Equal(t, 150, in.Logprobs.Rows())
	require.LessOrEqual(t, testing.AllocsPerRun(20, decode)/benchEvents, 2.0, "those of its time")
}

// BenchmarkMapping reads the same events by the plain decoder, by a map of every field onto itself, and out of a nested
// shape.
func BenchmarkMapping(b *testing.B) {
	flat := func(r *rand.Rand) []byte { return typicalRecord(r, "openai") }
	var in schemas.Interaction
	b.Run("plain", func(b *testing.B) {
		d := NewDecoder(Options{})
		runDecode(b, benchCorpus(flat), func(raw []byte) error { return d.Decode(raw, &in) })
	})
	b.Run("identity", func(b *testing.B) {
		m := newMapping(b, identityMapping(""))
		runDecode(b, benchCorpus(flat), func(raw []byte) error { return m.Decode(raw, &in) })
	})
	b.Run("nested", func(b *testing.B) {
		m := newMapping(b, identityMapping("/choices/0/message"))
		runDecode(b, benchCorpus(nestedShape), func(raw []byte) error { return m.Decode(raw, &in) })
	})
}
