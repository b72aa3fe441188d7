package worker

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/internal/logtest"
)

// receiver is an OTLP receiver over HTTP.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	paths    []string
	exported tracepb.TracesData // the same message as an export request
}

func newReceiver(t *testing.T, status int) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		assert.NoError(t, err)
		var got tracepb.TracesData
		assert.NoError(t, proto.Unmarshal(body, &got))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.paths = append(r.paths, req.URL.Path)
		r.exported.ResourceSpans = append(r.exported.ResourceSpans, got.GetResourceSpans()...)
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

// startTraces starts the export with variables, of which the SDK reads some itself.
func startTraces(t *testing.T, env ...string) (*spanExport, *logtest.Buffer) {
	t.Helper()
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	log := &logtest.Buffer{}
	traces := startSpanExport(t.Context(), traceOptions{Env: env, Logger: slog.New(slog.NewTextHandler(log, nil))})
	t.Cleanup(func() { closeTraces(traces) })
	return traces, log
}

func closeTraces(traces *spanExport) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	traces.Shutdown(ctx)
}

// spans is the number of exported spans.
func (r *receiver) spans() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range r.exported.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			n += len(scope.GetSpans())
		}
	}
	return n
}

func TestShutdownFlushes(t *testing.T) {
	r := newReceiver(t, http.StatusOK)
	traces, _ := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.URL+"/base", "OTEL_SERVICE_NAME=confab-eu", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment=staging")
	for range 3 {
		_, span := traces.Tracer().Start(t.Context(), "work")
		span.End()
	}
	closeTraces(traces)
	require.Equal(t, []string{"/base/v1/traces"}, r.paths)
	require.Len(t, r.exported.GetResourceSpans(), 1)
	resource := map[string]string{}
	for _, a := range r.exported.GetResourceSpans()[0].GetResource().GetAttributes() {
		resource[a.GetKey()] = a.GetValue().GetStringValue()
	}
	require.Equal(t, "confab-eu", resource["service.name"])
	require.Equal(t, "staging", resource["deployment.environment"])
	require.NotEmpty(t, resource["service.version"])
	require.Len(t, r.exported.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans(), 3)
	require.Equal(t, 3, r.spans())
	closeTraces(traces) // a second time does nothing
}

func TestSampler(t *testing.T) {
	for _, tc := range []struct {
		name, sampler, arg string
		spans              int
		log                string
	}{
		{"default", "", "", 20, ""},
		{"off", "always_off", "", 0, ""},
		{"ratio", "traceidratio", "0", 0, ""},
		{"unknown", "sometimes", "", 20, "unsupported sampler: sometimes"},
		{"ratio is no number", "parentbased_traceidratio", "half", 20, "parsing sampler argument"},
		{"ratio above 1", "parentbased_traceidratio", "7", 20, "greater than 1.0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newReceiver(t, http.StatusOK)
			traces, log := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.URL, "OTEL_TRACES_SAMPLER="+tc.sampler, "OTEL_TRACES_SAMPLER_ARG="+tc.arg)
			for range 20 {
				_, span := traces.Tracer().Start(t.Context(), "work")
				span.End()
			}
			closeTraces(traces)
			require.Equal(t, tc.spans, r.spans())
			require.Contains(t, log.String(), tc.log)
			require.Equal(t, tc.log != "", strings.Contains(log.String(), "level=WARN"), log.String())
		})
	}
}

// A receiver that refuses, or that is not there, costs its spans and a log line. It never blocks.
func TestReceiverFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	gone := newReceiver(t, http.StatusOK)
	gone.Close()
	hangs := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	t.Cleanup(func() { close(hangs); hanging.Close() })
	for name, url := range map[string]string{
		"refuses":         newReceiver(t, http.StatusBadRequest).URL,
		"asks to retry":   newReceiver(t, http.StatusServiceUnavailable).URL,
		"is not there":    gone.URL,
		"does not answer": hanging.URL,
	} {
		t.Run(name, func(t *testing.T) {
			traces, log := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+url, "OTEL_EXPORTER_OTLP_HEADERS=authorization=canary")
			_, span := traces.Tracer().Start(t.Context(), "work")
			span.End()
			closeTraces(traces)
			require.Eventually(t, func() bool { return strings.Contains(log.String(), "level=WARN") }, 5*time.Second, 10*time.Millisecond, "retries are cut short")
			require.NotContains(t, log.String(), "canary")
		})
	}
}

func TestOff(t *testing.T) {
	r := newReceiver(t, http.StatusOK)
	for _, env := range [][]string{
		nil,
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + r.URL, "OTEL_SDK_DISABLED=true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + r.URL, "OTEL_TRACES_EXPORTER=none"},
	} {
		traces, log := startTraces(t, env...)
		require.Nil(t, traces)
		require.Nil(t, traces.Tracer())
		closeTraces(traces)
		require.Empty(t, log.String())
	}
	require.Empty(t, r.paths)
}

// Values that cannot be used are logged by name; the values, which may be secrets, are not.
func TestWrongValues(t *testing.T) {
	r := newReceiver(t, http.StatusOK)
	t.Run("endpoint", func(t *testing.T) {
		traces, log := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT=canary:4318")
		require.Nil(t, traces)
		require.Contains(t, log.String(), "variable=OTEL_EXPORTER_OTLP_ENDPOINT")
		require.NotContains(t, log.String(), "canary")
	})
	t.Run("others", func(t *testing.T) {
		traces, log := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.URL, "OTEL_RESOURCE_ATTRIBUTES=canary", "OTEL_EXPORTER_OTLP_HEADERS=canary,x=%zzcanary",
			"OTEL_EXPORTER_OTLP_TIMEOUT=canary", "OTEL_EXPORTER_OTLP_CERTIFICATE=/does/not/exist")
		require.NotNil(t, traces)
		for _, part := range []string{"OTEL_RESOURCE_ATTRIBUTES", "parse headers", "escape header value", "parse duration", "read tls ca cert file"} {
			require.Contains(t, log.String(), part)
		}
		require.NotContains(t, strings.ReplaceAll(log.String(), `parsing \"canary\"`, ""), "canary")
	})
}
