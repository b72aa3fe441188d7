package llmapi

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
)

// shuffled is the JSON of a value with its members in random order.
func shuffled(t *testing.T, text string, r *rand.Rand) []byte {
	var write func(b *strings.Builder, v any)
	write = func(b *strings.Builder, v any) {
		switch v := v.(type) {
		case map[string]any:
			names := []string{}
			for name := range v {
				names = append(names, name)
			}
			slices.Sort(names)
			r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
			b.WriteString("{")
			for i, name := range names {
				if i > 0 {
					b.WriteString(",")
				}
				quoted, _ := json.Marshal(name)
				b.Write(append(quoted, ':'))
				write(b, v[name])
			}
			b.WriteString("}")
		case []any:
			b.WriteString("[")
			for i := range v {
				if i > 0 {
					b.WriteString(",")
				}
				write(b, v[i])
			}
			b.WriteString("]")
		default:
			raw, err := json.Marshal(v)
			require.NoError(t, err)
			b.Write(raw)
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	b := strings.Builder{}
	write(&b, v)
	return []byte(b.String())
}

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		for _, c := range apis() {
			var request []byte
			if c.request != "" {
				request = shuffled(t, c.request, r)
			}
			in := empty()
			reading, err := call(request, shuffled(t, c.response, r), in)
			require.NoError(t, err, c.name)
			require.Equal(t, c.form, reading.Form, c.name)
			require.Equal(t, c.messages, messagesText(in.Messages), c.name)
			require.Equal(t, strings.TrimPrefix(c.answer, "-"), in.Answer, c.name)
			require.Equal(t, c.sources, sourcesText(in.Sources), c.name)
			require.Equal(t, c.finish, in.FinishReason, c.name)
		}
	}
}

func TestFieldsThatAreSetAreKept(t *testing.T) {
	set := func() *schemas.Interaction {
		in := empty()
		in.ID, in.Model, in.ConversationID, in.FinishReason, in.Answer, in.ResponseSchema, in.Temperature = "i", "x", "c", "f", "answer", "{}", 1
		in.Messages = []schemas.Message{{Role: "user", Content: "question"}}
		in.Sources = []schemas.Source{{Text: "passage"}}
		in.OccurredAt = timeOf(value{}).AddDate(2026, 1, 1)
		in.Logprobs = schemas.Logprobs{Values: []float32{-1}, Offsets: []int32{0}}
		return in
	}
	for _, c := range apis() {
		in := set()
		request := []byte(c.request)
		if c.request == "" {
			request = nil
		}
		_, err := call(request, []byte(c.response), in)
		require.NoError(t, err)
		want := set()
		want.Streamed, want.Tools, want.Calls = in.Streamed, in.Tools, in.Calls
		require.Equal(t, want, in, c.name)
	}
}

func FuzzCall(f *testing.F) {
	for _, c := range apis() {
		f.Add(c.request, c.response)
	}
	for _, c := range transcripts() {
		f.Add(`"Q"`, c.text)
	}
	f.Fuzz(func(t *testing.T, request, response string) {
		for _, raw := range []string{request, response} {
			for _, text := range []string{raw, quote(t, raw)} {
				in := empty()
				_ = Request([]byte(text), in)
				reading, err := Response([]byte(text), in)
				require.LessOrEqual(t, len(in.Messages), recordformat.MaxMessages)
				require.LessOrEqual(t, len(in.Sources), recordformat.MaxSources)
				require.False(t, reading.Form == "" && reading.Answered, text)
				require.False(t, err == nil && in.Answer != "" && !reading.Answered)
				if IsTranscript([]byte(text)) {
					if whole, err := Assemble([]byte(text)); err == nil {
						require.True(t, json.Valid(whole))
					}
				}
			}
		}
	})
}

func quote(t *testing.T, text string) string {
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return string(raw)
}
