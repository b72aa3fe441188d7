package json

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// benchEvents is how many distinct events a benchmark cycles through: with one alone, its branches would be learned.
const benchEvents = 64

// logprobShapes are the sizes of event that the performance goals are stated for.
func logprobShapes() map[string]func(r *rand.Rand) []byte {
	return map[string]func(r *rand.Rand) []byte{
		"bare":   func(r *rand.Rand) []byte { return typicalRecord(r, "") },
		"openai": func(r *rand.Rand) []byte { return typicalRecord(r, "openai") },
		"packed": func(r *rand.Rand) []byte { return typicalRecord(r, "packed") },
	}
}

func randomProse(r *rand.Rand, words int) string {
	var b strings.Builder
	for i := range words {
		switch {
		case i == 0:
		case i%60 == 0:
			b.WriteString("\n\n")
		case i%17 == 0:
			b.WriteString(". ")
		default:
			b.WriteByte(' ')
		}
		for range 3 + r.IntN(7) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		if r.IntN(80) == 0 {
			b.WriteString("é\"x\"")
		}
	}
	return b.String()
}

// typicalRecord is an event of some 6.8 KB: five passages of 150 words and an answer of 120, with 150 × 5
// log-probabilities in the shape asked for.
func typicalRecord(r *rand.Rand, logprobs string) []byte {
	answer := randomProse(r, 120)
	event := map[string]any{
		"interaction_id": fmt.Sprintf("resp_%016x", r.Uint64()), "tenant": "acme", "service": "search", "operation": "qa",
		"provider": "openai", "model": "gpt-4o-mini-2024-07-18", "occurred_at": "2026-11-21T10:00:00.123Z",
		"trace_id": fmt.Sprintf("%032x", r.Uint64()), "span_id": fmt.Sprintf("%016x", r.Uint64()),
		"conversation_id": "c1", "tags": []string{"medical", "high-stakes"}, "answer": answer, "finish_reason": "stop",
		"temperature": 0.7, "attributes": map[string]string{"region": "eu-west-1", "experiment": "b"},
		"messages": []map[string]string{{"role": "system", "content": randomProse(r, 60)}, {"role": "user", "content": randomProse(r, 20)}},
	}
	var sources []map[string]any
	for i := range 5 {
		sources = append(sources, map[string]any{"id": strconv.Itoa(i + 1), "text": randomProse(r, 150), "score": 0.5 + r.Float64()/2})
	}
	event["sources"] = sources
	rows := schemas.Logprobs{TopK: 5}
	for range 150 * 6 {
		rows.Values = append(rows.Values, float32(-10*r.Float64()))
	}
	switch logprobs {
	case "openai":
		var tokens []map[string]any
		for i := range 150 {
			row := rows.Row(i)
			var top []map[string]any
			for j, v := range row[1:] {
				top = append(top, map[string]any{"token": " tok" + strconv.Itoa(j), "logprob": float64(v)})
			}
			begin, end := i*len(answer)/150, (i+1)*len(answer)/150
			tokens = append(tokens, map[string]any{
				"token": strings.ToValidUTF8(answer[begin:end], "?"), "logprob": float64(row[0]), "top_logprobs": top,
			})
		}
		event["logprobs"] = map[string]any{"content": tokens}
	case "packed":
		packed := schemas.Interaction{Logprobs: rows}
		raw, err := AppendInteraction(nil, &packed)
		if err != nil {
			return nil
		}
		var got map[string]any
		if json.Unmarshal(raw, &got) != nil {
			return nil
		}
		event["top_k"], event["token_logprobs"] = 5, got["token_logprobs"]
	}
	raw, err := json.Marshal(event)
	if err != nil {
		return nil
	}
	return raw
}

func benchCorpus(shape func(*rand.Rand) []byte) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][]byte, benchEvents)
	for i := range out {
		out[i] = shape(r)
	}
	return out
}

// A pooled decoder and a pooled interaction allocate nothing per event, whatever shape the log-probabilities have.
func TestAllocs(t *testing.T) {
	if underRace {
		t.Skip("allocations are not counted under the race detector")
	}
	for name, shape := range logprobShapes() {
		t.Run(name, func(t *testing.T) {
			raws := benchCorpus(shape)
			d := NewDecoder(Options{})
			var in schemas.Interaction
			decode := func() {
				for _, raw := range raws {
					if err := d.Decode(raw, &in); err != nil {
						t.Fatal(err)
					}
				}
			}
			decode() // warm up
			require.NotEmpty(t, in.Answer)
			require.Len(t, in.Sources, 5)
			if name != "bare" {
				require.Equal(t, 150, in.Logprobs.Rows())
			}
			require.LessOrEqual(t, testing.AllocsPerRun(20, decode)/benchEvents, 2.0, "those of its time")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, shape := range logprobShapes() {
		raws := benchCorpus(shape)
		b.Run(name+"/confab", func(b *testing.B) {
			d := NewDecoder(Options{})
			var in schemas.Interaction
			runDecode(b, raws, func(raw []byte) error { return d.Decode(raw, &in) })
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			runDecode(b, raws, func(raw []byte) error {
				var v plainInteraction
				return json.Unmarshal(raw, &v)
			})
		})
	}
}

func runDecode(b *testing.B, raws [][]byte, decode func([]byte) error) {
	size := 0
	for _, raw := range raws {
		size += len(raw)
	}
	b.SetBytes(int64(size / len(raws)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := decode(raws[i%len(raws)]); err != nil {
			b.Fatal(err)
		}
	}
}

// plainInteraction is what one would write without this package.
type plainInteraction struct {
	ID             string            `json:"interaction_id"`
	Tenant         string            `json:"tenant"`
	Service        string            `json:"service"`
	Operation      string            `json:"operation"`
	Provider       string            `json:"provider"`
	Model          string            `json:"model"`
	OccurredAt     string            `json:"occurred_at"`
	TraceID        string            `json:"trace_id"`
	SpanID         string            `json:"span_id"`
	ConversationID string            `json:"conversation_id"`
	Tags           []string          `json:"tags"`
	Messages       []schemas.Message `json:"messages"`
	Answer         string            `json:"answer"`
	FinishReason   string            `json:"finish_reason"`
	Temperature    float64           `json:"temperature"`
	Sources        []schemas.Source  `json:"sources"`
	Attributes     map[string]string `json:"attributes"`
	TopK           int               `json:"top_k"`
	TokenLogprobs  []byte            `json:"token_logprobs"`
	Logprobs       struct {
		Content []struct {
			Token   string  `json:"token"`
			Logprob float64 `json:"logprob"`
			Top     []struct {
				Token   string  `json:"token"`
				Logprob float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"content"`
	} `json:"logprobs"`
}

func BenchmarkAppendFlag(b *testing.B) {
	f := fullFlag()
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AppendFlag(buf, &f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendInteraction(b *testing.B) {
	var in schemas.Interaction
	if err := NewDecoder(Options{}).Decode(typicalRecord(rand.New(rand.NewPCG(1, 2)), "packed"), &in); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AppendInteraction(buf, &in); err != nil {
			b.Fatal(err)
		}
	}
}
