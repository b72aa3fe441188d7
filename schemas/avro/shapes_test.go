package avro

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// What docs/avro.md says of a writer's own schema.
func TestWritersShapes(t *testing.T) {
	at := time.UnixMilli(1_795_255_200_123).UTC()
	for name, c := range map[string]struct {
		field string
		wrote any
		want  schemas.Interaction
	}{
		"texts as sources": {
			`{"name":"sources","type":{"type":"array","items":"string"}}`,
			[]any{"a", "b"},
			schemas.Interaction{Sources: []schemas.Source{{Text: "a"}, {Text: "b"}}},
		},
		"an enum": {
			`{"name":"finish_reason","type":{"type":"enum","name":"E","symbols":["stop","length"]}}`,
			"length",
			schemas.Interaction{FinishReason: "length"},
		},
		"string or bytes": {`{"name":"model","type":["bytes","string"]}`, "m", schemas.Interaction{Model: "m"}},
		"null":            {`{"name":"model","type":"null"}`, nil, schemas.Interaction{}},
		"milliseconds": {
			`{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"}}`,
			at,
			schemas.Interaction{OccurredAt: at},
		},
		"nanoseconds": {
			`{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-nanos"}}`,
			at.Add(4567),
			schemas.Interaction{OccurredAt: at.Add(4567)},
		},
		"no logical type": {`{"name":"occurred_at","type":"long"}`, at.UnixMilli(), schemas.Interaction{OccurredAt: at}},
		"unknown time":    {`{"name":"occurred_at","type":"long"}`, int64(0), schemas.Interaction{}},
	} {
		t.Run(name, func(t *testing.T) {
			text := recordOf(`{"name":"answer","type":"string"},` + c.field)
			raw := writeValue(t, text, map[string]any{"answer": "x", strings.Split(c.field, `"`)[3]: c.wrote})
			c.want.Answer, c.want.Temperature = "x", schemas.UnknownTemperature
			var got schemas.Interaction
			require.NoError(t, loadSchema(t, text).DecodeInteraction(raw, &got))
			require.Empty(t, cmp.Diff(c.want, got, requireEqual()))
		})
	}
}

// One schema decodes in many places at once.
func TestSchemaIsShared(t *testing.T) {
	s, want := loadSchema(t, schemas.InteractionAvro()), fullInteraction()
	raw, err := AppendInteraction(nil, &want)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var got schemas.Interaction
			for range 50 {
				assert.NoError(t, s.DecodeInteraction(raw, &got))
				assert.Empty(t, cmp.Diff(want, got, requireEqual()))
			}
		})
	}
	wg.Wait()
}
