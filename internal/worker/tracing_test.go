package worker

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"confab/internal/llm/llmtest"
	"confab/internal/redact"
)

// spanReceiver keeps the spans that it is sent.
type spanReceiver struct {
	url   string
	mu    sync.Mutex
	spans []*tracepb.Span
}

func newSpanReceiver(t *testing.T) *spanReceiver {
	t.Helper()
	r := &spanReceiver{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		assert.NoError(t, err)
		var got tracepb.TracesData
		assert.NoError(t, proto.Unmarshal(body, &got))
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, resource := range got.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *spanReceiver) named(name string) []*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []*tracepb.Span
	for _, s := range r.spans {
		if s.GetName() == name {
			found = append(found, s)
		}
	}
	return found
}

// traceVariables switch the export on, for the worker and for the SDK, which reads the process's environment.
func traceVariables(t *testing.T, url string, more ...string) []string {
	t.Helper()
	env := append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + url}, more...)
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	return env
}

func attributeOf(s *tracepb.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return strings.Trim(protojson.Format(a.GetValue()), "{}")
		}
	}
	return ""
}

const tracedID = "0af7651916cd43dd8448eb211c80319c"

// traced is an interaction whose application has a trace.
func traced(body string) string {
	return strings.Replace(body, `{`, `{"trace_id":"`+tracedID+`","span_id":"b7ad6b7169203331",`, 1)
}

// TestTracesOfTheWorker follows an interaction through all roles, by the spans that they export.
func TestTracesOfTheWorker(t *testing.T) {
	r := newSpanReceiver(t)
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	t.Cleanup(sink.Close)
	b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.env = traceVariables(t, r.url)
	b.config.Alerting.Console = false
	b.config.Alerting.Slack.WebhookURL = redact.Secret(sink.URL + "/services/canary")
	stop := b.start()
	b.produce("llm.interactions", traced(fmt.Sprintf(ungrounded, "bad")))
	b.read("llm.incidents", 2)
	eventually(t, func() bool { return b.metric(t, "confab_notifications_total") == 1 }, 20*time.Second, 10*time.Millisecond)
	open := scrape(t, b, "application/openmetrics-text; version=1.0.0")
	plain := scrape(t, b, "")
	require.NoError(t, stop())

	batches := r.named("process llm.interactions")
	require.NotEmpty(t, batches)
	require.Equal(t, tracepb.Span_SPAN_KIND_CONSUMER, batches[0].GetKind())
	require.Equal(t, tracedID, hex.EncodeToString(batches[0].GetLinks()[0].GetTraceId()))
	require.Contains(t, attributeOf(batches[0], "confab.outcome.flagged"), `"1"`)
	deep := r.named("process llm.interactions.sampled")
	require.NotEmpty(t, deep)
	for _, s := range r.named("chat model") {
		require.Equal(t, deep[0].GetTraceId(), s.GetTraceId())
		require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, s.GetKind())
	}
	require.NotEmpty(t, r.named("chat model"))
	require.Len(t, r.named("evaluate"), 2, "one for each pass")
	for _, s := range r.named("evaluate") {
		require.Equal(t, tracedID, hex.EncodeToString(s.GetLinks()[0].GetTraceId()))
		require.Equal(t, "b7ad6b7169203331", hex.EncodeToString(s.GetLinks()[0].GetSpanId()))
		require.NotEmpty(t, s.GetParentSpanId())
	}
	require.NotEmpty(t, r.named("process llm.incidents"))
	notify := r.named("notify webhook")
	require.Len(t, notify, 1)
	require.Equal(t, tracedID, hex.EncodeToString(notify[0].GetLinks()[0].GetTraceId()))
	posts := r.named("POST")
	require.Len(t, posts, 1)
	require.Equal(t, notify[0].GetSpanId(), posts[0].GetParentSpanId())
	require.Contains(t, attributeOf(posts[0], "http.response.status_code"), "200")

	for _, s := range r.spans {
		text := protojson.Format(s)
		for _, leaked := range []string{"warranty", "Rotterdam", "canary", "parcels"} {
			require.NotContains(t, text, leaked)
		}
	}
	for _, name := range []string{"confab_event_age_seconds", "confab_detector_duration_seconds", "confab_llm_request_duration_seconds", "confab_notification_duration_seconds"} {
		require.Regexp(t, `(?m)^`+name+`_bucket\{.*\} \d+ # \{.*trace_id="[0-9a-f]{32}"`, open)
	}
	require.NotContains(t, plain, `trace_id="`, "the text format has no exemplars")
}

// scrape is a scrape as the admin server answers it.
func scrape(t *testing.T, b *workerHarness, accept string) string {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	req.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(b.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, req)
	return w.Body.String()
}

// Without an endpoint nothing is exported, and a receiver that is down stops nothing.
func TestWorkerWithoutReceiver(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, tc := range map[string]struct {
		env  func(t *testing.T) []string
		lost bool
	}{
		"no variables":  {env: func(*testing.T) []string { return nil }},
		"disabled":      {env: func(t *testing.T) []string { return traceVariables(t, gone.URL, "OTEL_SDK_DISABLED=true") }},
		"receiver down": {env: func(t *testing.T) []string { return traceVariables(t, gone.URL) }, lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newWorkerHarness(t)
			b.env = tc.env(t)
			stop := b.start()
			b.produce("llm.interactions", traced(fmt.Sprintf(ungrounded, "bad")))
			b.read("llm.incidents", 1)
			eventually(t, func() bool { return strings.Contains(b.console.String(), "ALERT") }, 20*time.Second, 10*time.Millisecond)
			require.NoError(t, stop())
			require.Equal(t, tc.lost, strings.Contains(scrape(t, b, "application/openmetrics-text; version=1.0.0"), `trace_id="`))
		})
	}
}

// The shutdown ends in its grace period also while the receiver does not answer.
func TestShutdownDoesNotWaitForReceiver(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	ends := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ends }))
	t.Cleanup(func() { close(ends); hanging.Close() })
	b := newWorkerHarness(t)
	b.env = traceVariables(t, hanging.URL)
	stop := b.start()
	b.produce("llm.interactions", traced(fmt.Sprintf(ungrounded, "bad")))
	b.read("llm.incidents", 1)
	ctx, cancel := context.WithTimeout(t.Context(), b.config.ShutdownGrace)
	defer cancel()
	require.NoError(t, stop())
	require.NoError(t, ctx.Err(), "within the grace period")
}
