//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
	"confab/internal/llm"
)

// start begins a server that is closed with the test.
func start(t *testing.T, o integration.ModelOptions) *integration.ModelServer {
	t.Helper()
	s, err := integration.StartModel(t.Context(), integration.RequirePython(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func loaded(t *testing.T, o integration.ModelOptions) *integration.ModelServer {
	t.Helper()
	s := start(t, o)
	require.NoError(t, s.Await(t.Context()))
	return s
}

func client(t *testing.T, s *integration.ModelServer, model string) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Options{
		BaseURL: s.URL(), Model: model, MaxRetries: -1, Timeout: 2 * time.Minute, // the machine may be busy
		Redact: func(text string) string { return text },
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

const capital = "What is the capital of France?"

func ask(text string) llm.Request {
	cold := 0.0
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, Temperature: &cold, MaxTokens: 16}
}

// One server answers whatever the client can ask of it.
func TestAnswers(t *testing.T) {
	s := loaded(t, integration.ModelOptions{})
	c := client(t, s, "tiny")

	t.Run("chat", func(t *testing.T) {
		got, err := c.Chat(t.Context(), ask(capital))
		require.NoError(t, err)
		require.Len(t, got.Choices, 1)
		require.Contains(t, got.Choices[0].Text, "Paris", "it was trained on it")
		require.Equal(t, "stop", got.Choices[0].Finish)
		require.Positive(t, got.Usage.Prompt)
		require.Positive(t, got.Usage.Completion)
		require.False(t, got.Usage.Estimated, "the server counts")
	})
	t.Run("four at once", func(t *testing.T) {
		req := ask("Who wrote Oblomov?")
		warm := 1.5
		req.N, req.Temperature = 4, &warm
		got, err := c.Chat(t.Context(), req)
		require.NoError(t, err)
		require.Len(t, got.Choices, 4)
		require.Equal(t, 1, got.Calls, "the server knows n")
		require.GreaterOrEqual(t, got.Usage.Completion, 4*4, "each has a few words, and the server counts one of them")
		texts := map[string]bool{}
		for _, r := range got.Choices {
			require.NotEmpty(t, r.Text)
			texts[r.Text] = true
		}
		require.Greater(t, len(texts), 1, "what it does not know it makes up anew")
	})
	t.Run("a limit of tokens", func(t *testing.T) {
		req := ask(capital)
		req.MaxTokens = 2
		got, err := c.Chat(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, "length", got.Choices[0].Finish)
	})
	t.Run("a schema", func(t *testing.T) {
		req := ask(capital + " Answer in JSON.")
		req.MaxTokens = 64
		req.JSON = &llm.Schema{Name: "verdict", Schema: []byte(`{"type":"object","properties":{"verdict":{"enum":[0,1]}},"required":["verdict"],"additionalProperties":false}`)}
		got, err := c.Chat(t.Context(), req)
		require.NoError(t, err)
		var verdict map[string]int
		require.NoError(t, json.Unmarshal([]byte(got.Choices[0].Text), &verdict), "a model that never saw JSON is held to it")
		require.Contains(t, verdict, "verdict")
	})
	t.Run("too long", func(t *testing.T) {
		got, err := c.Chat(t.Context(), ask(strings.Repeat(capital+" ", 2000)))
		var failed *llm.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, llm.TooLarge, failed.Class)
		require.Equal(t, 400, failed.Status)
		require.Equal(t, 1, got.Calls)
		require.NotContains(t, err.Error(), "capital")
	})
	t.Run("another model's name", func(t *testing.T) {
		got, err := client(t, s, "no-such-model").Chat(t.Context(), ask(capital))
		require.NoError(t, err, "llama.cpp does not look at the name")
		require.Contains(t, got.Choices[0].Text, "Paris")
	})
	t.Run("no embeddings", func(t *testing.T) {
		_, err := c.Embed(t.Context(), []string{capital})
		require.Equal(t, llm.Refused, llm.ClassOf(err), "%v", err)
	})
}

func TestEmbeddings(t *testing.T) {
	c := client(t, loaded(t, integration.ModelOptions{Embed: true}), "tiny")

	texts := []string{"It is Paris.", "The answer is 12.", "It is Paris."}
	for len(texts) < 20 { // more than go into one request
		texts = append(texts, "Who wrote Hamlet?")
	}
	got, err := c.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, got.Vectors, len(texts))
	require.Len(t, got.Vectors[0], 128)
	require.InDeltaSlice(t, got.Vectors[0], got.Vectors[2], 1e-3, "equal texts point the same way")
	require.NotEqual(t, got.Vectors[0], got.Vectors[1])
	require.Equal(t, 3, got.Calls)
	require.Positive(t, got.Usage.Prompt)

	_, err = c.Embed(t.Context(), []string{strings.Repeat(capital+" ", 2000)})
	require.Equal(t, llm.TooLarge, llm.ClassOf(err), "%v", err)
}

// While the model is loaded the server says so with status 503, which is worth another attempt; afterwards it answers.
func TestLoading(t *testing.T) {
	const slow = 50_000 // clearing that many tokens takes the server a second
	s := start(t, integration.ModelOptions{Context: slow})
	c := client(t, s, "tiny")

	loading := 0
	require.NoError(t, integration.Await(t.Context(), "the model is loaded", func(context.Context) (bool, error) {
		_, err := c.Chat(t.Context(), ask(capital)) //nolint:contextcheck // one attempt is quick
		if err == nil {
			return true, nil
		}
		var failed *llm.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, llm.Retryable, failed.Class, "%v", err)
		if failed.Status != 0 {
			require.Equal(t, 503, failed.Status)
			loading++
		}
		return false, err
	}))
	t.Logf("refused %d times while loading", loading)
	require.Positive(t, loading)
	require.NoError(t, s.Await(t.Context()))
}
