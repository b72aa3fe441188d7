package json

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/internal/recordformat"
	"confab/schemas"
)

// requireRoundTrip encodes in and decodes it again. It returns the canonical form.
func requireRoundTrip(t require.TestingT, in *schemas.Interaction) []byte {
	raw, err := AppendInteraction(nil, in)
	require.NoError(t, err)
	require.True(t, json.Valid(raw), "%s", raw)
	var got schemas.Interaction
	require.NoError(t, NewDecoder(Options{}).Decode(raw, &got))
	ignored := cmpopts.IgnoreFields(schemas.Interaction{}, "IDSource", "Repaired", "UnknownFields", "UnknownNames", "Malformed", "UnreadTime")
	require.Empty(t, cmp.Diff(*in, got, requireEqual(), ignored))
	again, err := AppendInteraction(nil, &got)
	require.NoError(t, err)
	require.Equal(t, string(raw), string(again), "the canonical form is a fixed point")
	return raw
}

func TestAppendInteractionExactly(t *testing.T) {
	in := schemas.Interaction{
		ID: "i", Tenant: "t", OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 0, time.FixedZone("x", 3600)), Answer: "a<b>\u2028\x01",
		Temperature: 0.5, Streamed: true, Sources: []schemas.Source{{ID: "1", Text: "s", Score: 2}, {}}, Tags: []string{"x", ""},
		Messages:   []schemas.Message{{Role: "user", Content: "q\"\\"}},
		Attributes: map[string]string{"b": "2", "a": "1"}, Logprobs: schemas.Logprobs{Values: []float32{-1}},
	}
	raw := requireRoundTrip(t, &in)
	require.Equal(t, `{"interaction_id":"i","tenant":"t","occurred_at":"2026-11-21T09:00:00Z","tags":["x",""],`+
		`"messages":[{"role":"user","content":"q\"\\"}],"answer":"a<b>`+"\u2028"+`\u0001","streamed":true,`+
		`"sources":[{"id":"1","text":"s","score":2},{}],"attributes":{"a":"1","b":"2"},"temperature":0.5,"top_k":0,"token_logprobs":"AACAvw=="}`,
		string(raw))
}

func TestAppendInteractionRoundTrips(t *testing.T) {
	text := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		in := schemas.Interaction{
			ID: text.Draw(t, "id"), Tenant: text.Draw(t, "tenant"), Service: text.Draw(t, "service"), Operation: text.Draw(t, "op"),
			Provider: text.Draw(t, "provider"), Model: text.Draw(t, "model"), TraceID: text.Draw(t, "trace"),
			SpanID: text.Draw(t, "span"), ConversationID: text.Draw(t, "conv"), Answer: text.Draw(t, "answer"),
			FinishReason: text.Draw(t, "finish"), Streamed: rapid.Bool().Draw(t, "streamed"),
			ResponseSchema: text.Draw(t, "schema"), Tags: rapid.SliceOfN(text, 0, 4).Draw(t, "tags"),
			Temperature: rapid.OneOf(rapid.Just(-1.0), rapid.Float64Range(0, 2)).Draw(t, "temperature"),
			Attributes:  rapid.MapOfN(text, text, 0, 4).Draw(t, "attributes"),
		}
		if rapid.Bool().Draw(t, "dated") {
			in.OccurredAt = time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC()
		}
		for range rapid.IntRange(0, 3).Draw(t, "sources") {
			in.Sources = append(in.Sources, schemas.Source{
				ID: text.Draw(t, "sid"), Text: text.Draw(t, "stext"), URI: text.Draw(t, "uri"), Title: text.Draw(t, "title"), Score: rapid.Float64().Draw(t, "score"),
			})
			in.Messages = append(in.Messages, schemas.Message{Role: text.Draw(t, "role"), Content: text.Draw(t, "content")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "tools") {
			name := rapid.StringN(1, 8, -1)
			in.Tools = append(in.Tools, schemas.Tool{Name: name.Draw(t, "tool"), Schema: text.Draw(t, "parameters")})
			in.Calls = append(in.Calls, schemas.ToolCall{
				ID: text.Draw(t, "call"), Name: name.Draw(t, "called"), Arguments: text.Draw(t, "arguments"), Result: text.Draw(t, "result"),
				Error: text.Draw(t, "error"),
			})
		}
		in.Logprobs = drawLogprobs(t, in.Answer)
		requireRoundTrip(t, &in)
	})
}

// drawLogprobs draws rows, and half of the time places for them in the answer: any cut of it, within characters too.
func drawLogprobs(t *rapid.T, answer string) (l schemas.Logprobs) {
	value := rapid.OneOf(rapid.Just(float32(math.NaN())), rapid.Float32Range(-100, 0))
	l.TopK = rapid.IntRange(0, 3).Draw(t, "k")
	rows := rapid.IntRange(0, 5).Draw(t, "rows")
	l.Values = rapid.SliceOfN(value, rows*(1+l.TopK), rows*(1+l.TopK)).Draw(t, "values")
	if rows == 0 {
		l.TopK = 0
	}
	if rows == 0 || answer == "" || rapid.Bool().Draw(t, "unplaced") {
		return l
	}
	at := 0
	for range rows {
		l.Offsets = append(l.Offsets, int32(at))
		at = rapid.IntRange(at, len(answer)).Draw(t, "next")
	}
	return l
}

func TestAppendInteractionOfDecoded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, shape := range logprobShapes() {
		t.Run(name, func(t *testing.T) {
			var in schemas.Interaction
			require.NoError(t, NewDecoder(Options{}).Decode(shape(r), &in))
			requireRoundTrip(t, &in)
		})
	}
}

func TestAppendInteractionErrors(t *testing.T) {
	nan := math.NaN()
	cases := map[string]struct {
		in   schemas.Interaction
		want error
	}{
		"text":            {schemas.Interaction{Answer: "\xff"}, recordformat.ErrBadUTF8},
		"attribute name":  {schemas.Interaction{Attributes: map[string]string{"\xff": ""}}, recordformat.ErrBadUTF8},
		"temperature":     {schemas.Interaction{Temperature: nan}, recordformat.ErrNotFinite},
		"score":           {schemas.Interaction{Sources: []schemas.Source{{Score: math.Inf(-1)}}}, recordformat.ErrNotFinite},
		"time":            {schemas.Interaction{OccurredAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, recordformat.ErrBadTime},
		"rows":            {schemas.Interaction{Logprobs: schemas.Logprobs{TopK: 1, Values: []float32{-1}}}, recordformat.ErrBadRows},
		"too few offsets": {schemas.Interaction{Answer: "ab", Logprobs: schemas.Logprobs{Values: []float32{-1, -1}, Offsets: []int32{0}}}, recordformat.ErrBadRows},
		"falling offsets": {schemas.Interaction{Answer: "ab", Logprobs: schemas.Logprobs{Values: []float32{-1, -1, -1}, Offsets: []int32{0, 2, 1}}}, recordformat.ErrBadRows},
		"offset past end": {schemas.Interaction{Answer: "ab", Logprobs: schemas.Logprobs{Values: []float32{-1, -1}, Offsets: []int32{0, 3}}}, recordformat.ErrBadRows},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			raw, err := AppendInteraction([]byte("kept"), &c.in)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", string(raw))
		})
	}
}
