//go:build integration

package integration_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPhoenix holds what the write-back of scores relies on against a real Phoenix: recorded spans go in, an annotation
// comes back, a repeat overwrites it, and a span that is not there yet is an error. Then the package that writes scores is
// tested against the same Phoenix.
func TestPhoenix(t *testing.T) {
	lap := stopwatch(t)
	p := startPhoenix(t)
	lap("ready")
	spans, err := os.ReadFile("../examples/presets/otlp/openinference.traces.binpb")
	require.NoError(t, err)
	status, _ := p.request(t, http.MethodPost, "/v1/traces", "application/x-protobuf", spans)
	require.Equal(t, http.StatusOK, status)

	var listed struct {
		Data []struct {
			Context struct {
				SpanID string `json:"span_id"`
			} `json:"context"`
		} `json:"data"`
	}
	require.Eventually(t, func() bool {
		_, body := p.request(t, http.MethodGet, "/v1/projects/default/spans?span_kind=LLM", "", nil)
		return json.Unmarshal(body, &listed) == nil && len(listed.Data) == 8
	}, 30*time.Second, 100*time.Millisecond, "the spans are stored")
	span := listed.Data[0].Context.SpanID

	status, first := p.annotate(t, span, 0.5)
	require.Equal(t, http.StatusOK, status)
	status, second := p.annotate(t, span, 0.93)
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, first, second, "the annotation's id: a repeat with the same identifier overwrites")
	status, _ = p.annotate(t, "00000000deadbeef", 0.5)
	assert.Equal(t, http.StatusNotFound, status, "with sync=true an unknown span is an error")

	_, body := p.request(t, http.MethodGet, "/v1/projects/default/span_annotations?span_ids="+span, "", nil)
	var annotations struct {
		Data []struct {
			Name       string `json:"name"`
			Identifier string `json:"identifier"`
			Result     struct {
				Label string  `json:"label"`
				Score float64 `json:"score"`
			} `json:"result"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &annotations))
	require.Len(t, annotations.Data, 1)
	assert.Equal(t, "grounding", annotations.Data[0].Name)
	assert.Equal(t, "incident:fast", annotations.Data[0].Identifier)
	assert.Equal(t, "fired", annotations.Data[0].Result.Label)
	assert.InDelta(t, 0.93, annotations.Data[0].Result.Score, 0)
	lap("annotations")

	scores := exec.CommandContext(t.Context(), "go", "test", "-tags", "integration", "-count=1", "-v", "-run", "^TestRealPhoenix$", "confab/internal/worker/export")
	scores.Env = append(os.Environ(), "CONFAB_TEST_PHOENIX_URL="+p.url)
	out, err := scores.CombinedOutput()
	require.NoError(t, err, "%s", tail(out))
	require.Contains(t, string(out), "--- PASS: TestRealPhoenix")
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "annotations of") {
			t.Log(strings.TrimSpace(line))
		}
	}
	lap("scores")
}

// phoenix is a running Phoenix with an empty database.
type phoenix struct{ url string }

// startPhoenix starts Phoenix on loopback; it ends with the test. Without it the test is skipped.
func startPhoenix(t *testing.T) phoenix {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "phoenix/python.sh").Output()
	if err != nil {
		requireExample(t, false, "no Phoenix: "+err.Error())
	}
	port := freePort(t)
	cmd := exec.Command(strings.TrimSpace(string(out)), "phoenix/serve.py", t.TempDir(), port, freePort(t)) //nolint:noctx // stopped below
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, stdin.Close())
		cmd.Wait() //nolint:errcheck // it reports the signal
		if t.Failed() {
			t.Log(string(tail([]byte(log.text()))))
		}
	})
	p := phoenix{url: "http://127.0.0.1:" + port}
	require.Eventually(t, func() bool {
		resp, err := http.Get(p.url + "/healthz") //nolint:noctx // loopback
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	}, 2*time.Minute, 200*time.Millisecond, "Phoenix is ready")
	return p
}

func (p phoenix) request(t *testing.T, method, path, kind string, body []byte) (status int, reply []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	reply, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, reply
}

// annotate writes one score of a span.
func (p phoenix) annotate(t *testing.T, span string, score float64) (status int, reply string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": []any{map[string]any{
		"span_id": span, "name": "grounding", "annotator_kind": "CODE", "identifier": "incident:fast",
		"result": map[string]any{"label": "fired", "score": score, "explanation": "1 of 1 claims unsupported"},
	}}})
	require.NoError(t, err)
	status, raw := p.request(t, http.MethodPost, "/v1/span_annotations?sync=true", "application/json", body)
	return status, string(raw)
}
