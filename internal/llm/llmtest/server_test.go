package llmtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// postJSON asks the server and gives status and body, or the error of either.
func postJSON(t *testing.T, c *http.Client, url, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func listenServer(t *testing.T, o llmtest.Options) (*http.Client, *llmtest.Server) {
	t.Helper()
	s, err := llmtest.Listen(t, o)
	require.NoError(t, err)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}, s
}

func TestDefaultReplies(t *testing.T) {
	c, s := listenServer(t, llmtest.Options{Refuse: []string{"seed"}})
	for name, row := range map[string]struct {
		path, body string
		status     int
		want       []string
	}{
		"chat":         {"/v1/chat/completions", `{"model":"m","n":2,"messages":[{"role":"user","content":"hi there"}]}`, 200, []string{`"content":"echo: hi there"`, `"index":1`, `"prompt_tokens":2`, `"completion_tokens":6`}},
		"refused":      {"/v1/chat/completions", `{"seed":1}`, 400, []string{`"param":"seed"`}},
		"no chat":      {"/v1/chat/completions", `[]`, 400, []string{"error"}},
		"embeddings":   {"/v1/embeddings", `{"model":"m","input":["a","b c"]}`, 200, []string{`"index":1`, `"prompt_tokens":3`}},
		"no texts":     {"/v1/embeddings", `7`, 400, []string{`"input"`}},
		"entailed":     {"/predict", `{"inputs":[["a b c","C a"]]}`, 200, []string{`"score":0.9`}},
		"not entailed": {"/predict", `{"inputs":[["a b c","d"]]}`, 200, []string{`{"label":"entailment","score":0.1}`}},
		"no pairs":     {"/predict", `{"inputs":7}`, 422, []string{"not a list of pairs"}},
		"elsewhere":    {"/v1/completions", `{}`, 404, []string{"not found"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, text, err := postJSON(t, c, s.URL+row.path, row.body)
			require.NoError(t, err)
			require.Equal(t, row.status, status)
			require.True(t, json.Valid([]byte(text)))
			for _, w := range row.want {
				require.Contains(t, text, w)
			}
		})
	}
}

func TestScript(t *testing.T) {
	c, s := listenServer(t, llmtest.Options{
		Script: []llmtest.Reply{
			{Status: 503, Header: map[string]string{"Retry-After": "1"}, Times: 2},
			{Body: "half of it is lost", Cut: 4},
			{Reset: true},
			{Body: "last"},
		},
		Answer: func(c llmtest.Chat, i int) string { return c.Last() + string(rune('0'+i)) },
	})
	ask := func() (int, string, error) {
		return postJSON(t, c, s.URL+"/v1/chat/completions", `{"messages":[{"content":"q"}]}`)
	}
	for range 2 {
		status, _, err := ask()
		require.NoError(t, err)
		require.Equal(t, 503, status)
	}
	status, text, err := ask()
	require.Equal(t, 200, status)
	require.Equal(t, "half", text)
	require.Error(t, err)
	_, _, err = ask()
	require.Error(t, err)
	_, text, err = ask()
	require.NoError(t, err)
	require.Equal(t, "last", text)
	_, text, err = ask()
	require.NoError(t, err)
	require.Contains(t, text, `"content":"q0"`, "the script is over")
	require.Len(t, s.Requests(), 6)
	require.Equal(t, "/v1/chat/completions", s.Requests()[5].Path)
	require.Contains(t, s.Requests()[5].Fields, "messages")
}

// In memory and in virtual time, waiting for a channel or for ever takes none.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		s := llmtest.Memory(t, llmtest.Options{Script: []llmtest.Reply{{Wait: open, Body: "late"}, {Hang: true}, {Body: "half", Cut: 2, Stall: true}}})
		tr := &http.Transport{DialContext: s.Dial}
		t.Cleanup(tr.CloseIdleConnections)
		begin := time.Now()
		time.AfterFunc(time.Hour, func() { close(open) })
		_, text, err := postJSON(t, &http.Client{Transport: tr}, s.URL, "")
		require.NoError(t, err)
		require.Equal(t, "late", text)
		require.Equal(t, time.Hour, time.Since(begin))

		_, _, err = postJSON(t, &http.Client{Transport: tr, Timeout: time.Hour}, s.URL, "")
		require.Error(t, err)
		require.Equal(t, 2*time.Hour, time.Since(begin))

		_, text, err = postJSON(t, &http.Client{Transport: tr, Timeout: time.Hour}, s.URL, "")
		require.Error(t, err)
		require.Equal(t, "ha", text)
		require.Equal(t, 3*time.Hour, time.Since(begin))
	})
}

func TestCloseEndsWaiting(t *testing.T) {
	c, s := listenServer(t, llmtest.Options{Script: []llmtest.Reply{{Hang: true}}})
	ended := make(chan error)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
		if err == nil {
			var resp *http.Response
			if resp, err = c.Do(req); err == nil {
				resp.Body.Close()
			}
		}
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, 10*time.Second, time.Millisecond)
	s.Close()
	s.Close()
	require.Error(t, <-ended)
}
