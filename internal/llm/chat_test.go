package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// The bodies that leave, for models by whose names go-openai would refuse parameters, and for any other.
func TestBodies(t *testing.T) {
	zero := 0.
	req := Request{
		Messages: []Message{{System, "Answer <briefly> & well."}, {User, "Why?"}}, N: 3, Temperature: &zero, MaxTokens: 40,
		JSON: &Schema{Name: "v", Schema: json.RawMessage(`{"type":"object","properties":{"z":{"anyOf":[{"type":"null"}]},"a":{}}}`)},
	}
	want := `{"max_tokens":40,"messages":[{"role":"system","content":"Answer \u003cbriefly\u003e \u0026 well."},{"role":"user","content":"Why?"}],` +
		`"model":%q,"n":3,"response_format":{"type":"json_schema","json_schema":{"name":"v","schema":{"type":"object","properties":{"z":{"anyOf":[{"type":"null"}]},"a":{}}},"strict":true}},` +
		`"temperature":0}`
	for _, model := range []string{"tiny", "o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-6-sol", "text-davinci-003"} {
		t.Run(model, func(t *testing.T) {
			inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
				got, err := c.Chat(t.Context(), req)
				require.NoError(t, err)
				require.Len(t, got.Choices, 3)
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

// A server that ignores n is asked once for several and then never again.
func TestIgnoredN(t *testing.T) {
	inBubble(t, llmtest.Options{IgnoreN: true}, func(t *testing.T, c *Client, s *llmtest.Server) {
		for range 2 {
			req := askOnce("Why?")
			req.N = 3
			got, err := c.Chat(t.Context(), req)
			require.NoError(t, err)
			require.Len(t, got.Choices, 3)
		}
		var asked []any
		for _, r := range s.Requests() {
			asked = append(asked, r.Fields["n"])
		}
		require.Equal(t, []any{3., nil, nil, nil, nil, nil}, asked)
	})
}

// What an endpoint refuses is left out of later requests. What did not help is not remembered.
func TestRefusedParametersAreRemembered(t *testing.T) {
	warm := .7
	req := askOnce("Why?")
	req.Temperature, req.N = &warm, 2
	inBubble(t, llmtest.Options{Refuse: []string{"temperature"}}, func(t *testing.T, c *Client, s *llmtest.Server) {
		for range 3 {
			_, err := c.Chat(t.Context(), req)
			require.NoError(t, err)
		}
		require.Len(t, s.Requests(), 4)
		for _, r := range s.Requests()[1:] {
			require.NotContains(t, r.Fields, "temperature")
			require.Contains(t, r.Fields, "n")
		}
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
