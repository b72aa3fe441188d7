package diff

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json"
)

// Inputs that cannot be compared are an error with the input, the line and the remedy, never an empty report.
func TestFaultyInputs(t *testing.T) {
	good := flagLines(t, newFlag("1"))
	for name, c := range map[string]struct{ a, b, want string }{
		"empty A":           {"", good, "a.jsonl holds no flags: write them with confab check FILE, or confab tail --json"},
		"empty B":           {good, "\n\n", "b.jsonl holds no flags"},
		"both empty":        {"", "", "a.jsonl holds no flags"},
		"nothing common":    {good, flagLines(t, newFlag("2")), "a.jsonl and b.jsonl have no row in common: compare flags of the same interactions"},
		"broken line":       {good + "\n{\n", good, "a.jsonl: line 3 is not a flag: "},
		"broken line of B":  {good, good + "{}x", "b.jsonl: line 2 is not a flag: "},
		"an interaction":    {good, `{"interaction_id":"1","answer":"secret"}`, "b.jsonl: line 1 is not a flag: incident_id, pass and recommendation are needed"},
		"no incident":       {good, `{"pass":"fast","recommendation":"allow"}`, "b.jsonl: line 1 is not a flag: incident_id, pass"},
		"no pass":           {good, `{"incident_id":"1","recommendation":"allow"}`, "b.jsonl: line 1 is not a flag: incident_id, pass"},
		"no recommendation": {good, `{"incident_id":"1","pass":"fast"}`, "b.jsonl: line 1 is not a flag: incident_id, pass"},
		"a label":           {`{"incident_id":"1","verdict":"confirmed"}`, good, "a.jsonl: line 1 is not a flag"},
		"wrong type":        {good, `{"incident_id":7}`, "b.jsonl: line 1 is not a flag: "},
		"long line":         {strings.Repeat("x", json.DefaultMaxBytes+2), good, "a.jsonl: line 1: line is too long"},
		"broken gzip":       {good, "\x1f\x8bxx", "b.jsonl: open gzip input"},
		"cut gzip":          {gzipText(t, good)[:40], good, "a.jsonl: read line 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := compareTexts(t, c.a, c.b, 0)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret")
			require.Nil(t, r)
		})
	}
}

func gzipText(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestGzipAndProgress(t *testing.T) {
	var progress []int
	text := flagLines(t, newFlag("1"), newFlag("2"))
	r, err := Compare(t.Context(), Source{"a", strings.NewReader(gzipText(t, text))}, Source{"b", strings.NewReader(text)}, 0, func(n int) { progress = append(progress, n) })
	require.NoError(t, err)
	require.Equal(t, 2, r.Equal)
	require.Equal(t, []int{1, 2, 3, 4}, progress)
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := flagLines(t, newFlag("1"))
	_, err := Compare(ctx, Source{"a", strings.NewReader(text)}, Source{"b", strings.NewReader(text)}, 0, func(int) {})
	require.ErrorIs(t, err, context.Canceled)
}
