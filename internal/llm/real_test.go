package llm

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// realServer is a client of a server that somebody has started: CONFAB_TEST_LLM_URL is its base URL, with the version,
// CONFAB_TEST_LLM_MODEL the model, where its name matters, and CONFAB_TEST_LLM_KEY the key.
func realServer(t *testing.T, variable string) *Client {
	t.Helper()
	base, model := os.Getenv(variable), os.Getenv("CONFAB_TEST_LLM_MODEL")
	if base == "" {
		t.Skip("no server: set " + variable)
	}
	if model == "" {
		model = "default"
	}
	c, err := New(Options{BaseURL: base, Model: model, Redact: identityRedact, APIKey: testKey(os.Getenv("CONFAB_TEST_LLM_KEY"))})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// What a real server answers: four replies in as many calls as it needs, JSON, and a text that is too
// long.
func TestRealServer(t *testing.T) {
	c := realServer(t, "CONFAB_TEST_LLM_URL")
	warm := .8
	req := askOnce("What is the capital of France?")
	req.N, req.MaxTokens, req.Temperature = 4, 16, &warm
	got, err := c.Chat(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, got.Choices, 4)
	require.Less(t, got.Usage.Prompt+got.Usage.Completion, c.TokensAtMost(req))
	for _, r := range got.Choices {
		t.Logf("%q, finish %q", r.Text, r.Finish)
		require.NotEmpty(t, r.Text)
	}
	t.Logf("%d calls, %+v", got.Calls, got.Usage)

	req = askOnce("Answer in JSON.")
	req.MaxTokens = 32
	req.JSON = &Schema{Name: "verdict", Schema: []byte(`{"type":"object","properties":{"verdict":{"enum":[0,1]}},"required":["verdict"],"additionalProperties":false}`)}
	got, err = c.Chat(t.Context(), req)
	require.NoError(t, err)
	t.Logf("%q", got.Choices[0].Text)

	got, err = c.Chat(t.Context(), askOnce(strings.Repeat("What is the capital of France? ", 30_000)))
	require.Equal(t, TooLarge, ClassOf(err), "%v", err)
	require.Equal(t, 1, got.Calls)
}

// A real server that was started for embeddings.
func TestRealEmbeddings(t *testing.T) {
	c := realServer(t, "CONFAB_TEST_EMBED_URL")
	got, err := c.Embed(t.Context(), strings.Split("What is the capital of France? Paris. And of Italy? Rome. Who wrote Hamlet?", " "))
	require.NoError(t, err)
	require.Len(t, got.Vectors, 14)
	t.Logf("%d numbers a vector, %d calls, %+v", len(got.Vectors[0]), got.Calls, got.Usage)
	_, err = c.Embed(t.Context(), []string{strings.Repeat("What is the capital of France? ", 5000)})
	require.Equal(t, TooLarge, ClassOf(err), "%v", err)
}
