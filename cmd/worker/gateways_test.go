package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

// The example clients in Python let no answer pass that was not checked. LiteLLM runs as the proxy that people run.
func TestExampleGateways(t *testing.T) {
	python := examplePython(t)
	for _, tc := range []struct {
		name, script, required string
	}{
		{"openai", "try_wrapper.py", "REQUIRE_EXAMPLES"},
		{"litellm", "try_litellm.py", "REQUIRE_LITELLM"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "LITELLM_LOCAL_MODEL_COST_MAP=True")
			if os.Getenv(tc.required) == "" {
				t.Skip("make gateways runs it")
			}
			server := httptest.NewServer(http.HandlerFunc(answerLamp))
			t.Cleanup(server.Close)
			cmd := exec.CommandContext(t.Context(), python, tc.script, server.URL+"/v1", startServe(t), freeAddress(t))
			cmd.Dir, cmd.Env = filepath.Join(repository, "examples/gateways/python"), env
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			require.NoError(t, err, errs.String())
			golden.Equal(t, filepath.Join("testdata", "gateways", tc.name+".golden"), out)
		})
	}
}

// answerLamp is a server of chat completions whose models are named after what they answer.
func answerLamp(w http.ResponseWriter, r *http.Request) {
	const head, bad, good = `{"id":"c-1","created":1795255201,"model":"m",`, "The lamp costs 30 euros [9].", "The lamp costs 20 euros."
	var asked struct {
		Model  string
		Stream bool
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &asked)
	text := map[string]string{"right": good}[asked.Model]
	text = cmp.Or(text, bad)
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"r-1","created_at":1795255201,"model":"m","object":"response","status":"completed","parallel_tool_calls":true,"tool_choice":"auto","tools":[],"error":null,`+
			`"output":[{"type":"message","id":"m-1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"`+bad+`","annotations":[]}]}]}`)
		return
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, head+`"object":"text_completion","choices":[{"index":0,"text":"`+bad+`","logprobs":null,"finish_reason":"stop"}]}`)
		return
	}
	if asked.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		first, rest, _ := strings.Cut(text, " ")
		chunk := head + `"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"`
		_, _ = io.WriteString(w, "data: "+chunk+first+` "},"finish_reason":null}]}`+"\n\ndata: "+chunk+rest+`"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	choice := func(index, message string) string {
		return `{"index":` + index + `,"message":{"role":"assistant",` + message + `},"finish_reason":"stop"}`
	}
	choices := choice("0", `"content":"`+text+`"`)
	switch asked.Model {
	case "two":
		choices = choice("0", `"content":"`+good+`"`) + "," + choice("1", `"content":"`+bad+`"`)
	case "tool":
		choices = choice("0", `"content":null,"tool_calls":[{"id":"t-1","type":"function","function":{"name":"f","arguments":"{}"}}]`)
	case "nan":
		choices = strings.TrimSuffix(choices, "}") + `,"logprobs":{"content":[{"token":"The","bytes":null,"logprob":-Infinity,"top_logprobs":[]}]}}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, head+`"object":"chat.completion","choices":[`+choices+`]}`)
}

// startServe runs confab serve, with the action BLOCK, and returns its URL.
func startServe(t *testing.T) string {
	t.Helper()
	address := freeAddress(t)
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte("admin: {listen: \"\"}\naction: BLOCK\nserve: {deadline: 10s}\ntenants: {slow: {serve: {rate_limit: 1e-9}}}\n"), 0o600))
	binary := filepath.Join(t.TempDir(), "confab")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command(binary, "serve", "--config", file, "--listen", address) //nolint:noctx // the cleanup ends it
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait())
	})
	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	return "http://" + address
}
