package avro

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	twmb "github.com/twmb/avro"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// What is accepted is well formed for an independent reader too, and survives being written again. What is refused as
// malformed is malformed for that reader as well.
func FuzzDecode(f *testing.F) {
	var texts []string
	add := func(text string, bodies ...[]byte) {
		for _, body := range bodies {
			f.Add(uint8(len(texts)), body)
		}
		texts = append(texts, text)
	}
	in := fullInteraction()
	ours, err := AppendInteraction(nil, &in)
	require.NoError(f, err)
	add(schemas.InteractionAvro(), ours, make([]byte, 28))
	others, attacks := writerSchemas(), hostileSchemas()
	for _, name := range slices.Sorted(maps.Keys(others)) { // sorted: a kept input names its schema by its place
		text := schemaVariant(f, others[name].schema)
		add(text, writeValue(f, text, others[name].wrote))
	}
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		c := attacks[name]
		add(recordOf(strings.TrimSuffix(`{"name":"answer","type":"string"},`+c.fields, ",")), append([]byte{0}, c.body...))
	}
	readers, independent := make([]*Schema, len(texts)), make([]*twmb.Schema, len(texts))
	for i, text := range texts {
		readers[i], _ = NewSchema(text) // those that a parser refuses are left out
		independent[i], _ = twmb.Parse(text)
	}
	again := loadSchema(f, schemas.InteractionAvro())
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		i := int(which) % len(texts)
		if readers[i] == nil || independent[i] == nil {
			return
		}
		var in, back schemas.Interaction
		if requireAgreement(t, readers[i], independent[i], body, &in) == nil {
			raw, err := AppendInteraction(nil, &in)
			require.NoError(t, err)
			require.NoError(t, again.DecodeInteraction(raw, &back))
			back.UnknownFields, back.UnknownNames, back.Malformed = in.UnknownFields, in.UnknownNames, in.Malformed
			if in.OccurredAt = in.OccurredAt.Truncate(time.Millisecond); in.OccurredAt.UnixMilli() == 0 {
				in.OccurredAt = time.Time{} // unknown
			}
			require.Empty(t, cmp.Diff(in, back, requireEqual()))
		}
	})
}

// No text makes a schema that a few bytes can hurt us through: loading and decoding end, in an answer or an *scan.Error.
func FuzzSchema(f *testing.F) {
	for _, text := range []string{
		schemas.InteractionAvro(), schemas.FlagAvro(), nestedSchema(5), doublingSchema(6), schemaVariant(f, "newer"), schemaVariant(f, "nullable"),
		recordOf(`{"name":"a","type":["null","R"]}`), `{"type":{"type":"record","name":"R","fields":[]}}`, `["null"]`,
	} {
		f.Add(text, []byte{0, 2, 4, 6})
	}
	f.Fuzz(func(t *testing.T, text string, body []byte) {
		s, err := NewSchema(text)
		if errorReason(t, err) != "" {
			require.Equal(t, scan.ReasonBadSchema, errorReason(t, err))
			return
		}
		var in schemas.Interaction
		var flag schemas.Flag
		errorReason(t, s.DecodeInteraction(body, &in))
		errorReason(t, DecodeFlag(s, body, &flag))
	})
}
