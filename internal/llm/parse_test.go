package llm

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestTexts(t *testing.T) {
	for raw, want := range map[string]string{
		`"a"`: "a", `null`: "", `7`: "", `[]`: "", `{}`: "", `[{"text":"a"},{"type":"image"},{"text":"b"}]`: "ab", `[1]`: "",
		`"\ud800"`: "\ufffd", "\"\xff\"": "\ufffd",
	} {
		got, err := readChat([]byte(`{"choices":[{"message":{"content":` + raw + `}}]}`))
		require.NoError(t, err)
		require.Equal(t, want, got.choices[0].Text, raw)
	}
}

func TestUsage(t *testing.T) {
	n := func(v float64) *float64 { return &v }
	for name, row := range map[string]struct {
		claim          statedUsage
		prompt, answer int // bytes
		want           Usage
	}{
		"as stated":               {statedUsage{n(10), n(5)}, 30, 20, Usage{10, 5, false}},
		"nothing stated":          {statedUsage{}, 30, 20, Usage{10, 7, true}},
		"half stated":             {statedUsage{Prompt: n(12)}, 30, 20, Usage{12, 7, true}},
		"none for a prompt":       {statedUsage{n(0), n(5)}, 30, 20, Usage{10, 5, true}},
		"none for an answer":      {statedUsage{n(10), n(0)}, 30, 20, Usage{10, 7, true}},
		"no answer":               {statedUsage{n(10), n(0)}, 30, 0, Usage{10, 0, false}},
		"thoughts without a text": {statedUsage{n(10), n(50)}, 30, 0, Usage{10, 50, false}},
		"thoughts below zero":     {statedUsage{n(10), n(-50)}, 30, 0, Usage{10, 0, true}},
		"too many to be true":     {statedUsage{n(1e9), n(1e300)}, 30, 20, Usage{10, 7, true}},
		"thoughts beyond belief":  {statedUsage{n(10), n(1e300)}, 30, 0, Usage{10, 0, true}},
		"a fraction":              {statedUsage{n(10.5), n(5)}, 30, 20, Usage{10, 5, false}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, row.want, row.claim.orEstimate(row.prompt, row.answer)) })
	}
}

// Which parameter a refusal is about. A single letter counts only where it cannot be a word.
func TestRejectedParam(t *testing.T) {
	zero := 0.
	all := Request{N: 2, Temperature: &zero, MaxTokens: 1, JSON: &Schema{Name: "v", Schema: []byte("{}")}}
	for body, want := range map[string]string{
		`{"error":{"param":null,"message":"Unsupported value: 'temperature' does not support 0"}}`: "temperature",
		`{"error":"This model does not support 'n'"}`:                                              "n",
		`{"error":{"param":"n"}}`:                                                "n",
		`{"message":"n > 1 is not supported"}`:                                   "n",
		`{"error":{"message":"the user said n or so"}}`:                          "",
		`{"error":{"message":"temperatures are fine"}}`:                          "",
		`{"detail":"Response_Format is not implemented"}`:                        "json_schema",
		`{"error":{"param":"response_format.json_schema","message":"x"}}`:        "json_schema",
		`{"error":{"param":"max_tokens","message":"too large"}}`:                 "",
		`{"error":{"param":"max_tokens","message":"use max_completion_tokens"}}`: "max_tokens",
		`{"detail":[{"loc":["body","temperature"],"msg":"extra"}]}`:              "temperature",
		`{"error":{"message":"` + strings.Repeat("x", 5000) + ` temperature"}}`:  "",
	} {
		require.Equal(t, want, all.rejectedParam(map[string]bool{}, refusalText([]byte(body))), body)
	}
	require.Equal(t, "response_format", all.rejectedParam(map[string]bool{jsonSchema: true}, `{"error":{"param":"response_format"}}`))
	require.Empty(t, all.rejectedParam(map[string]bool{temperature: true}, `{"error":{"param":"temperature"}}`), "what was not sent")
	require.Empty(t, (&Request{N: 1}).rejectedParam(map[string]bool{}, `{"error":{"param":"n"}}`))
}

// FuzzReplies holds that no reply breaks the readers, and that what they accept keeps their promises.
func FuzzReplies(f *testing.F) {
	for _, row := range serverOutcomes() {
		for _, r := range row.server.Script {
			if len(r.Body) < 1<<10 {
				f.Add([]byte(r.Body))
			}
		}
	}
	f.Add([]byte(chatBody("a")))
	f.Add([]byte(`{"choices":[{"message":{"content":"\ud800"}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, err := readChat(body); err == nil {
			require.NotEmpty(t, got.choices)
			checkReplies(t, got)
		}
		if got, _, err := readVectors(body, 2); err == nil {
			require.Len(t, got, 2)
			require.NotEmpty(t, got[0])
			require.Len(t, got[1], len(got[0]))
			for _, v := range append(got[0], got[1]...) {
				require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
			}
		}
		if got, err := readLabels(body, 1); err == nil {
			require.Len(t, got, 1)
			for _, l := range got[0] {
				require.True(t, l.Score >= 0 && l.Score <= 1 && l.Name != "")
			}
		}
		(&Request{N: 2}).rejectedParam(nil, refusalText(body))
	})
}

func checkReplies(t *testing.T, got chatReply) {
	t.Helper()
	for _, c := range got.choices {
		require.True(t, utf8.ValidString(c.Text) && utf8.ValidString(c.Refusal))
		require.Contains(t, []string{"", "stop", "length", "content_filter", "tool_calls", "other"}, c.Finish)
	}
	u := got.usage.orEstimate(3, 3)
	require.True(t, u.Prompt >= 0 && u.Completion >= 0 && u.Prompt <= maxCountedTokens && u.Completion <= maxCountedTokens)
}
