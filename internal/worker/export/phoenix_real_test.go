//go:build integration

package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// TestRealPhoenix writes scores to a real Phoenix with spans and reads them back. integration.TestPhoenix starts Phoenix and
// runs this test with its address.
func TestRealPhoenix(t *testing.T) {
	p := realPhoenix{os.Getenv("CONFAB_TEST_PHOENIX_URL")}
	if p.url == "" {
		t.Skip("no CONFAB_TEST_PHOENIX_URL: make otel sets it")
	}
	var spans struct {
		Data []struct {
			Context struct {
				TraceID string `json:"trace_id"`
				SpanID  string `json:"span_id"`
			} `json:"context"`
		} `json:"data"`
	}
	p.get(t, "/v1/projects/default/spans?span_kind=LLM", &spans)
	require.GreaterOrEqual(t, len(spans.Data), 3)
	flagOf := func(i int, incident string) *schemas.Flag {
		at := spans.Data[i].Context
		f := flagFor(incident, at.SpanID)
		f.TraceID = at.TraceID
		return f
	}
	var e config.Export
	e.Phoenix.URL = p.url
	d, err := newScoreWriter(&e, "phoenix")
	require.NoError(t, err)
	d.timeout = time.Minute
	t.Cleanup(d.close)

	t.Run("a repeat replaces", func(t *testing.T) {
		f := flagOf(0, "repeat")
		f.SpanID, f.TraceID = strings.ToUpper(f.SpanID), strings.ToUpper(f.TraceID)
		for _, value := range []float64{0.5, 0.93} {
			f.Signals[0].Score = value
			require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{f}))
		}
		byName := p.annotations(t, spans.Data[0].Context.SpanID, "confab:repeat:fast")
		require.Len(t, byName, 4)
		require.Equal(t, "fired", byName["grounding"].Result.Label)
		require.InDelta(t, 0.93, byName["grounding"].Result.Score, 0)
		require.Equal(t, "1 of 1 claims unsupported; threshold 0.5", byName["grounding"].Result.Explanation)
		require.InDelta(t, 0.5, byName["grounding"].Metadata["threshold"], 0)
		require.InDelta(t, 0.81, byName["confab.risk"].Result.Score, 0)
		require.InDelta(t, 1, byName["confab.alert"].Result.Score, 0)
	})
	t.Run("a trace", func(t *testing.T) {
		f := flagOf(0, "trace")
		f.SpanID = ""
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{f}))
	})
	t.Run("missing spans", func(t *testing.T) {
		there, missing, whole := flagOf(1, "there"), flagOf(1, "missing"), flagOf(1, "whole")
		missing.SpanID = "00000000deadbeef"
		whole.SpanID, whole.TraceID = "", "000000000000000000000000deadbeef"
		flags := []*schemas.Flag{missing, there, whole}
		require.ErrorContains(t, d.deliver(t.Context(), flags), "2 flags wait for their traces to arrive in Phoenix")
		require.Len(t, p.annotations(t, there.SpanID, "confab:there:fast"), 4)
		missing.DetectedAt, whole.DetectedAt = time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)
		r, ok := errors.AsType[*rejectedError](d.deliver(t.Context(), flags))
		require.True(t, ok)
		require.Len(t, r.flags, 2)
	})
	t.Run("a hostile flag", func(t *testing.T) {
		f := flagOf(2, "hostile\n\"}")
		f.Signals[0].Reason = "\x00\xff\u202e</script>" + strings.Repeat("ä", 200_000)
		f.Signals[1].Detector = "x\x00\xff/\u202e"
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{f}))
	})
	t.Run("a large batch", func(t *testing.T) {
		var flags []*schemas.Flag
		for i := range 200 {
			flags = append(flags, flagOf(i%3, fmt.Sprint("large", i)))
		}
		start := time.Now()
		require.NoError(t, d.deliver(t.Context(), flags))
		t.Logf("800 annotations of 200 flags: %s", time.Since(start).Round(time.Millisecond))
		require.Len(t, p.annotations(t, flags[199].SpanID, "confab:large199:fast"), 4)
	})
}

type realPhoenix struct{ url string }

type realAnnotation struct {
	Name   string `json:"name"`
	Result struct {
		Label       string  `json:"label"`
		Score       float64 `json:"score"`
		Explanation string  `json:"explanation"`
	} `json:"result"`
	Metadata map[string]any `json:"metadata"`
}

func (p realPhoenix) annotations(t *testing.T, span, identifier string) map[string]realAnnotation {
	t.Helper()
	var list struct {
		Data []realAnnotation `json:"data"`
	}
	p.get(t, "/v1/projects/default/span_annotations?limit=1000&span_ids="+span+"&identifier="+identifier, &list)
	byName := map[string]realAnnotation{}
	for _, a := range list.Data {
		byName[a.Name] = a
	}
	require.Len(t, byName, len(list.Data), "one annotation per name")
	return byName
}

func (p realPhoenix) get(t *testing.T, path string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(t, err)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NoError(t, json.NewDecoder(resp.Body).Decode(into))
}
