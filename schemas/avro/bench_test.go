package avro

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

func randomProse(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 3 + r.IntN(7) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// typicalInteraction is an event of five passages of 150 words and an answer of 120, as schemas/json measures it too.
func typicalInteraction(r *rand.Rand, packed bool) schemas.Interaction {
	in := schemas.Interaction{
		ID: "resp_" + strconv.FormatUint(r.Uint64(), 16), Tenant: "acme", Service: "search", Operation: "qa", Provider: "openai",
		Model: "gpt-4o-mini-2024-07-18", OccurredAt: time.UnixMilli(1_795_255_200_123).UTC(), TraceID: strings.Repeat("a", 32),
		SpanID: strings.Repeat("b", 16), ConversationID: "c1", Tags: []string{"medical", "high-stakes"},
		Messages: []schemas.Message{{Role: "system", Content: randomProse(r, 60)}, {Role: "user", Content: randomProse(r, 20)}},
		Answer:   randomProse(r, 120), FinishReason: "stop", Temperature: 0.7,
		Attributes: map[string]string{"region": "eu-west-1", "experiment": "b"},
	}
	for i := range 5 {
		in.Sources = append(in.Sources, schemas.Source{ID: strconv.Itoa(i + 1), Text: randomProse(r, 150), Score: r.Float64()})
	}
	if packed {
		in.Logprobs.TopK = 5
		for range 150 * 6 {
			in.Logprobs.Values = append(in.Logprobs.Values, float32(-10*r.Float64()))
		}
	}
	return in
}

// BenchmarkDecodeAvro decodes the same events from Avro, with bare goavro (which makes maps, and checks less) and from
// JSON, in one run.
func BenchmarkDecodeAvro(b *testing.B) {
	ours := loadSchema(b, schemas.InteractionAvro())
	bare, err := goavro.NewCodec(schemas.InteractionAvro())
	require.NoError(b, err)
	text := json.NewDecoder(json.Options{})
	var in schemas.Interaction
	for name, packed := range map[string]bool{"bare": false, "packed": true} {
		r := rand.New(rand.NewPCG(1, 2))
		var binary, textual [64][]byte
		for i := range binary {
			event := typicalInteraction(r, packed)
			binary[i], err = AppendInteraction(nil, &event)
			require.NoError(b, err)
			textual[i], err = json.AppendInteraction(nil, &event)
			require.NoError(b, err)
		}
		for codec, run := range map[string]struct {
			events [64][]byte
			decode func([]byte) error
		}{
			"avro":   {binary, func(raw []byte) error { return ours.DecodeInteraction(raw, &in) }},
			"goavro": {binary, func(raw []byte) error { _, _, err := bare.NativeFromBinary(raw); return err }},
			"json":   {textual, func(raw []byte) error { return text.Decode(raw, &in) }},
			"by way of JSON": {binary, func(raw []byte) error {
				made, err := ours.AppendJSON(nil, raw, JSONOptions{MaxBytes: valueCap})
				if err == nil {
					err = text.Decode(made, &in)
				}
				return err
			}},
		} {
			b.Run(name+"/"+codec, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(run.events[0])))
				for i := 0; b.Loop(); i++ {
					if err := run.decode(run.events[i%len(run.events)]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkDecodeShapes decodes events of writers' own schemas: and by bare goavro, in one run.
func BenchmarkDecodeShapes(b *testing.B) {
	for name, shape := range applicationShapes(b) {
		ours := loadSchema(b, shape.text)
		bare, err := goavro.NewCodec(shape.text)
		require.NoError(b, err)
		var in schemas.Interaction
		for codec, decode := range map[string]func() error{
			"avro":   func() error { return ours.DecodeInteraction(shape.body, &in) },
			"goavro": func() error { _, _, err := bare.NativeFromBinary(shape.body); return err },
		} {
			b.Run(name+"/"+codec, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(shape.body)))
				for b.Loop() {
					if err := decode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	in, f := typicalInteraction(rand.New(rand.NewPCG(1, 2)), true), fullFlag()
	buf := make([]byte, 0, 1<<15)
	b.Run("interaction", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := AppendInteraction(buf, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("flag", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := AppendFlag(buf, &f); err != nil {
				b.Fatal(err)
			}
		}
	})
}
