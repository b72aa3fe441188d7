package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// The bodies that leave, for models by whose names go-openai would refuse parameters, and for any other.
func TestBodies(t *testing.T) {
	zero, seed := 0., 1234567890123456789
	req := Request{
		Messages: []Message{{System, "Answer <briefly> & well."}, {User, "Why?"}}, N: 3, Temperature: &zero, MaxTokens: 40,
		JSON: &Schema{Name: "v", Schema: json.RawMessage(`{"type":"object","properties":{"z":{"anyOf":[{"type":"null"}]},"a":{}}}`)},
		Seed: &seed, Logprobs: true, TopLogprobs: 2,
	}
	want := `{"logprobs":true,"max_tokens":40,"messages":[{"role":"system","content":"Answer \u003cbriefly\u003e \u0026 well."},{"role":"user","content":"Why?"}],` +
		`"model":%q,"n":3,"response_format":{"type":"json_schema","json_schema":{"name":"v","schema":{"type":"object","properties":{"z":{"anyOf":[{"type":"null"}]},"a":{}}},"strict":true}},` +
		`"seed":1234567890123456789,"temperature":0,"top_logprobs":2}`
	for _, model := range []string{"tiny", "o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-6-sol", "text-davinci-003"} {
		t.Run(model, func(t *testing.T) {
			inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
				got, err := c.Chat(t.Context(), req)
				require.NoError(t, err)
				require.Len(t, got.Choices, 3)
				require.Empty(t, got.Omitted)
				require.Len(t, s.Requests(), 1)
				require.Equal(t, fmt.Sprintf(want, model), s.Requests()[0].Body)
			}, func(o *Options) { o.Model = model })
		})
	}
}

// What was not asked for is not sent, but for the limit.
func TestBodyOfShortRequest(t *testing.T) {
	inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
		_, err := c.Chat(t.Context(), askOnce("Why?"))
		require.NoError(t, err)
		require.Equal(t, `{"max_tokens":512,"messages":[{"role":"user","content":"Why?"}],"model":"tiny"}`, s.Requests()[0].Body)
	})
}

type testKey string

func (k testKey) Reveal() string { return string(k) }

func TestAddressesAndCredentials(t *testing.T) {
	for name, row := range map[string]struct {
		base   string // after the server's address
		tweak  func(*Options)
		path   string
		header map[string]string
	}{
		"plain":            {base: "/v1", path: "/v1/chat/completions", header: headerMap("Authorization", "Bearer sk-1")},
		"slash at the end": {base: "/v1/", path: "/v1/chat/completions", header: headerMap("Authorization", "Bearer sk-1")},
		"deeper":           {base: "/proxy/openai/v1", path: "/proxy/openai/v1/chat/completions", header: headerMap("Authorization", "Bearer sk-1")},
		"no key":           {base: "/v1", tweak: func(o *Options) { o.APIKey = nil }, path: "/v1/chat/completions", header: headerMap("Authorization", "")},
		"azure": {
			base: "/openai/deployments/my%20deploy%2Fment/", path: "/openai/deployments/my%20deploy%2Fment/chat/completions",
			header: headerMap("Api-Key", "sk-1", "Authorization", ""),
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
				_, err := c.Chat(t.Context(), askOnce("Why?"))
				require.NoError(t, err)
				got := s.Requests()[0]
				require.Equal(t, row.path, got.Path)
				for k, v := range row.header {
					require.Equal(t, v, got.Header.Get(k), k)
				}
				require.Equal(t, name == "azure", got.Query.Get("api-version") == "2024-10-21")
			}, func(o *Options) {
				o.BaseURL = strings.TrimSuffix(o.BaseURL, "/v1") + row.base
				o.APIKey = testKey("sk-1")
				if row.tweak != nil {
					row.tweak(o)
				}
			})
		})
	}
}

// A server that ignores n is asked once for several and then never again, and each reply has a seed of its own: with the
// same one they would all be equal.
func TestIgnoredN(t *testing.T) {
	seed := 7
	opts := llmtest.Options{IgnoreN: true, Answer: func(c llmtest.Chat, i int) string { return fmt.Sprint("seed ", *c.Seed, " ", i) }}
	inBubble(t, opts, func(t *testing.T, c *Client, s *llmtest.Server) {
		for range 2 {
			req := askOnce("Why?")
			req.N, req.Seed = 3, &seed
			got, err := c.Chat(t.Context(), req)
			require.NoError(t, err)
			texts := []string{got.Choices[0].Text, got.Choices[1].Text, got.Choices[2].Text}
			require.Equal(t, []string{"seed 7 0", "seed 8 0", "seed 9 0"}, texts)
		}
		var asked []any
		for _, r := range s.Requests() {
			asked = append(asked, r.Fields["n"])
		}
		require.Equal(t, []any{3., nil, nil, nil, nil, nil}, asked)
	})
}

// What an endpoint refuses is left out of later requests, and said each time. What did not help is not remembered.
func TestRefusedParametersAreRemembered(t *testing.T) {
	warm := .7
	req := askOnce("Why?")
	req.Temperature, req.Logprobs = &warm, true
	inBubble(t, llmtest.Options{Refuse: []string{"temperature"}}, func(t *testing.T, c *Client, s *llmtest.Server) {
		for range 3 {
			got, err := c.Chat(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, []string{"temperature"}, got.Omitted)
		}
		require.Len(t, s.Requests(), 4)
		for _, r := range s.Requests()[1:] {
			require.NotContains(t, r.Fields, "temperature")
			require.Contains(t, r.Fields, "logprobs")
		}
		plain, err := c.Chat(t.Context(), askOnce("Why?"))
		require.NoError(t, err)
		require.Empty(t, plain.Omitted, "it was not asked for")
	})
	no := func(param string) llmtest.Reply {
		return llmtest.Reply{Status: 400, Body: `{"error":{"param":"` + param + `","message":"x"}}`}
	}
	inBubble(t, scriptedServer(no("temperature"), no("messages")), func(t *testing.T, c *Client, s *llmtest.Server) {
		_, err := c.Chat(t.Context(), req)
		require.Equal(t, Refused, ClassOf(err))
		_, err = c.Chat(t.Context(), req)
		require.NoError(t, err)
		require.Contains(t, s.Requests()[2].Fields, "temperature")
	})
}

// The limit is never dropped, whatever it is called.
func TestLimitIsAlwaysSent(t *testing.T) {
	inBubble(t, scriptedServer(llmtest.Reply{Status: 400, Body: `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`}),
		func(t *testing.T, c *Client, s *llmtest.Server) {
			for range 2 {
				_, err := c.Chat(t.Context(), askOnce("Why?"))
				require.NoError(t, err)
			}
			for i, r := range s.Requests() {
				_, old := r.Fields["max_tokens"]
				_, young := r.Fields["max_completion_tokens"]
				require.Equal(t, i == 0, old)
				require.Equal(t, i > 0, young)
			}
		})
}

func TestImpossibleRequests(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	good := askOnce("Why?")
	rows := map[string]func(*Request){
		"no message":           func(r *Request) { r.Messages = nil },
		"too many":             func(r *Request) { r.N = 129 },
		"fewer than none":      func(r *Request) { r.N = -1 },
		"limit below zero":     func(r *Request) { r.MaxTokens = -1 },
		"cold":                 func(r *Request) { r.Temperature = f(-.1) },
		"hot":                  func(r *Request) { r.Temperature = f(2.1) },
		"top without logprobs": func(r *Request) { r.TopLogprobs = 1 },
		"top too many":         func(r *Request) { r.Logprobs, r.TopLogprobs = true, 21 },
		"schema no JSON":       func(r *Request) { r.JSON = &Schema{Name: "x", Schema: []byte("{")} },
		"schema without name":  func(r *Request) { r.JSON = &Schema{Schema: []byte("{}")} },
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Run(name, func(t *testing.T) {
			inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
				req := good
				rows[name](&req)
				_, err := c.Chat(t.Context(), req)
				require.Equal(t, Refused, ClassOf(err))
				require.Empty(t, s.Requests())
				require.Zero(t, c.TokensAtMost(req))
			})
		})
	}
}

// What a budget reserves is never less than what is used, for one call or several.
func TestTokensAtMost(t *testing.T) {
	req := Request{Messages: []Message{{System, "Be brief."}, {User, "Why is that so?"}}, N: 4, MaxTokens: 100}
	for _, ignores := range []bool{false, true} {
		inBubble(t, llmtest.Options{IgnoreN: ignores, NoUsage: true}, func(t *testing.T, c *Client, _ *llmtest.Server) {
			require.Equal(t, 4*(len("Be brief.Why is that so?")+2*messageOverhead+100), c.TokensAtMost(req))
			got, err := c.Chat(t.Context(), req)
			require.NoError(t, err)
			require.True(t, got.Usage.Estimated)
			require.Less(t, got.Usage.Prompt+got.Usage.Completion, c.TokensAtMost(req))
			formal := req
			formal.JSON = &Schema{Name: "v", Schema: []byte(`{"a":1}`)}
			require.Equal(t, c.TokensAtMost(req)+4*len(`{"a":1}`), c.TokensAtMost(formal))
		})
	}
}

// llama.cpp counts one of several replies: what the others cost must not be missing from a budget.
func TestRepliesThatWereNotCounted(t *testing.T) {
	const text = "It stands in the north of the old town." // 9 words
	server := llmtest.Options{CountOne: true, Answer: func(llmtest.Chat, int) string { return text }}
	for n, want := range map[int]Usage{
		1: {Completion: 9},
		4: {Completion: (4*len(text) + bytesPerToken - 1) / bytesPerToken, Estimated: true},
	} {
		inBubble(t, server, func(t *testing.T, c *Client, _ *llmtest.Server) {
			got, err := c.Chat(t.Context(), Request{Messages: []Message{{User, "Where?"}}, N: n})
			require.NoError(t, err)
			require.Len(t, got.Choices, n)
			require.Equal(t, want.Completion, got.Usage.Completion, "%d replies", n)
			require.Equal(t, want.Estimated, got.Usage.Estimated, "%d replies", n)
		})
	}
}
