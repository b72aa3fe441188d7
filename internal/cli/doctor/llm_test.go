package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/console"
	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
)

func TestExamineLLM(t *testing.T) {
	c := config.Default()
	require.Equal(t, console.OK, LLM(t.Context(), c)[0].State, "nobody is needed")
	c.Sampling.Salt = "salt"
	require.Equal(t, console.Warning, LLM(t.Context(), c)[0].State, "copies that nobody looks at")

	server, err := llmtest.Listen(t, llmtest.Options{})
	require.NoError(t, err)
	locked, err := llmtest.Listen(t, llmtest.Options{Script: []llmtest.Reply{{Status: 401, Times: -1}}})
	require.NoError(t, err)
	for address, e := range map[string]*config.Endpoint{
		server.URL + "/v1": &c.LLM.Sampler, server.URL + "/v2": &c.LLM.Embedder,
		server.URL + "/predict": &c.LLM.Verifier.Endpoint, locked.URL + "/v1": &c.LLM.Judge.Endpoint,
	} {
		e.BaseURL, e.Model = address, "model"
	}
	said := map[string]console.Finding{}
	for _, f := range LLM(t.Context(), c) {
		said[f.Subject] = f
	}
	require.Len(t, said, 4)
	for name, want := range map[string]console.State{
		"sampler": console.OK, "embedder": console.OK, "verifier": console.OK, "judge": console.Problem,
	} {
		require.Equal(t, want, said[name].State, "%s: %s", name, said[name].Detail)
	}
	require.Equal(t, "correct llm.judge", said["judge"].Remedy)

	server.Close()
	c.LLM = config.LLM{Sampler: c.LLM.Sampler}
	c.LLM.Timeout = 100 * time.Millisecond
	gone := LLM(t.Context(), c)
	require.Equal(t, console.Problem, gone[0].State)
	require.Contains(t, gone[0].Remedy, "start the server")
}
