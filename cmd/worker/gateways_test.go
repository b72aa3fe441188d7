package main

import (
	"bytes"
	"cmp"
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
)

// The example clients in Python refuse what confab serve blocks, and follow their setting when it does not answer.
func TestExampleGateways(t *testing.T) {
	python := cmp.Or(os.Getenv("CONFAB_TEST_PYTHON"), "python3")
	for _, tc := range []struct {
		name, module, script, required string
		model                          bool
		want                           string
	}{
		{"openai", "openai", "try_wrapper.py", "REQUIRE_EXAMPLES", true, "whole blocked grounding,facts\nstream blocked grounding,facts\nopen passed The lamp costs 30 euros and ships in 9 days.\nclosed failed\n"},
		{"litellm", "litellm", "try_litellm.py", "REQUIRE_LITELLM", false, "refused 403 blocked_by_policy\npassed\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if out, err := exec.CommandContext(t.Context(), python, "-c", "import "+tc.module).CombinedOutput(); err != nil {
				require.Empty(t, os.Getenv(tc.required), "%s", out)
				t.Skipf("%s is not installed", tc.module)
			}
			args := []string{tc.script}
			if tc.model {
				server := httptest.NewServer(http.HandlerFunc(answerLamp))
				t.Cleanup(server.Close)
				args = append(args, server.URL+"/v1")
			}
			cmd := exec.CommandContext(t.Context(), python, append(args, startServe(t))...)
			cmd.Dir = filepath.Join(repository, "examples/gateways/python")
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "LITELLM_LOCAL_MODEL_COST_MAP=True")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			require.NoError(t, err, errs.String())
			require.Equal(t, tc.want, string(out))
		})
	}
}

// The external processor for Envoy is a module of its own, whose tests run confab serve and, where it is installed, Envoy.
func TestExampleEnvoy(t *testing.T) {
	for _, args := range [][]string{{"vet", "."}, {"test", "-count=1", "."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = filepath.Join(repository, "examples/gateways/envoy")
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out[max(0, len(out)-5000):]))
	}
}

// answerLamp is a server of chat completions that gives one wrong answer, streamed if it is asked to.
func answerLamp(w http.ResponseWriter, r *http.Request) {
	const head, tail = `{"id":"c-1","created":1795255201,"model":"m",`, `"finish_reason":"stop"}]}`
	body, _ := io.ReadAll(r.Body)
	if !strings.Contains(string(body), `"stream":true`) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, head+`"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The lamp costs 30 euros and ships in 9 days."},`+tail)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := head + `"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"`
	_, _ = io.WriteString(w, "data: "+chunk+`The lamp costs 30 euros "},"finish_reason":null}]}`+"\n\ndata: "+chunk+`and ships in 9 days."},`+tail+"\n\ndata: [DONE]\n\n")
}

// startServe runs confab serve, with the action BLOCK, and returns its URL.
func startServe(t *testing.T) string {
	t.Helper()
	address := freeAddress(t)
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte("admin: {listen: \"\"}\ntenants: {default: {action: BLOCK}}\n"), 0o600))
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
