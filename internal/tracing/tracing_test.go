package tracing_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"confab/internal/tracing"
	"confab/schemas"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
)

// withParent returns a context with a recorded span, and what ends as its child.
func withParent(t *testing.T) (context.Context, func() tracetest.SpanStubs) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	t.Cleanup(func() { require.NoError(t, provider.Shutdown(context.Background())) })
	ctx, _ := provider.Tracer("test").Start(t.Context(), "parent")
	return ctx, exporter.GetSpans
}

func attributesOf(s tracetest.SpanStub) map[string]any {
	all := map[string]any{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.AsInterface()
	}
	return all
}

func TestLinkTo(t *testing.T) {
	for _, tc := range []struct {
		name, trace, span string
		ok, wholeTrace    bool
	}{
		{"both", traceID, spanID, true, false},
		{"trace only", traceID, "", true, true},
		{"span is no id", traceID, "b7ad", true, true},
		{"span is zero", traceID, strings.Repeat("0", 16), true, true},
		{"nothing", "", "", false, false},
		{"span only", "", spanID, false, false},
		{"trace is zero", strings.Repeat("0", 32), spanID, false, false},
		{"upper case", strings.ToUpper(traceID), spanID, false, false},
		{"long", strings.Repeat("a", 200_000), spanID, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			link, ok := tracing.LinkTo(tc.trace, tc.span)
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.wholeTrace, len(link.Attributes) > 0)
			if ok {
				require.Equal(t, traceID, link.SpanContext.TraceID().String())
				require.Equal(t, !tc.wholeTrace, link.SpanContext.HasSpanID())
			}
		})
	}
}

func TestLinkFromHeader(t *testing.T) {
	for _, tc := range []struct {
		header string
		ok     bool
	}{
		{"00-" + traceID + "-" + spanID + "-01", true},
		{"cc-" + traceID + "-" + spanID + "-01-future", true},
		{"00-" + traceID + "-" + spanID, false},
		{"", false},
		{"00-" + traceID, false},
		{"zz-" + traceID + "-" + spanID + "-01", false},
		{"00_" + traceID + "-" + spanID + "-01", false},
		{"00-" + traceID + "_" + spanID + "-01", false},
		{"00-" + traceID + "-" + spanID + "x01", false},
		{"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", false},
		{strings.Repeat("0", 450<<10), false},
	} {
		link, ok := tracing.LinkFromHeader([]byte(tc.header))
		require.Equal(t, tc.ok, ok, tc.header)
		if ok {
			require.Equal(t, spanID, link.SpanContext.SpanID().String())
		}
	}
}

func TestNothingIsTracedWithoutParent(t *testing.T) {
	f := &schemas.Flag{TraceID: traceID, SpanID: spanID}
	ctx, now := t.Context(), time.Now()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		tracing.RecordFlag(trace.SpanFromContext(ctx), now, f)
		_, span := tracing.StartChild(ctx, "x")
		tracing.End(span)
		tracing.WithoutSpan(ctx)
	}))
	same, span := tracing.StartNotification(ctx, nil, "notify", &schemas.Alert{})
	require.Equal(t, ctx, same)
	require.False(t, span.IsRecording())
}

func TestRecordFlag(t *testing.T) {
	ctx, spans := withParent(t)
	began := time.Now().Add(-time.Second)
	tracing.RecordFlag(trace.SpanFromContext(ctx), began, &schemas.Flag{
		IncidentID: "incident", InteractionID: "i-1", Pass: schemas.PassFast, Tenant: "acme", Fired: []string{"facts", "grounding"},
		Alert: true, Recommendation: schemas.Block, TraceID: traceID, SpanID: spanID,
		Question: "canary", Signals: []schemas.Signal{{Reason: "canary", Evidence: []schemas.Evidence{{Excerpt: "canary"}}}},
	})
	require.Len(t, spans(), 1)
	s := spans()[0]
	require.Equal(t, "evaluate", s.Name)
	require.Equal(t, trace.SpanFromContext(ctx).SpanContext().SpanID(), s.Parent.SpanID())
	require.True(t, s.StartTime.Equal(began))
	require.Len(t, s.Links, 1)
	require.Equal(t, traceID, s.Links[0].SpanContext.TraceID().String())
	require.Equal(t, map[string]any{
		"confab.incident_id": "incident", "confab.interaction_id": "i-1", "confab.pass": "fast", "confab.tenant": "acme",
		"confab.fired": []string{"facts", "grounding"}, "confab.alert": true, "confab.recommendation": "block",
	}, attributesOf(s))
}

func TestStartNotification(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	t.Cleanup(func() { require.NoError(t, provider.Shutdown(context.Background())) })
	other := strings.Repeat("a", 32)
	first := schemas.Flag{IncidentID: "incident", TraceID: traceID, SpanID: spanID}
	_, span := tracing.StartNotification(t.Context(), provider.Tracer("test"), "notify webhook", &schemas.Alert{
		Group: "group", Count: 38, Severity: schemas.SeverityHigh, Flag: first,
		Riskiest: []schemas.Flag{first, {TraceID: other, SpanID: spanID}, {IncidentID: "without a trace"}},
	})
	tracing.Fail(span, "rate_limited")
	tracing.End(span)
	s := exporter.GetSpans()[0]
	require.Equal(t, "notify webhook", s.Name)
	require.Equal(t, codes.Error, s.Status.Code)
	require.Len(t, s.Links, 2, "each trace once")
	require.Equal(t, other, s.Links[1].SpanContext.TraceID().String())
	require.Equal(t, map[string]any{
		"confab.group": "group", "confab.incident_id": "incident", "confab.incidents": int64(38), "confab.severity": "high", "error.type": "rate_limited",
	}, attributesOf(s))
}

func TestRequests(t *testing.T) {
	for _, tc := range []struct {
		name   string
		resp   *http.Response
		err    error
		want   map[string]any
		status codes.Code
	}{
		{"accepted", &http.Response{StatusCode: 200}, nil, map[string]any{"http.response.status_code": int64(200)}, codes.Unset},
		{"refused", &http.Response{StatusCode: 429}, nil, map[string]any{"http.response.status_code": int64(429), "error.type": "429"}, codes.Error},
		{"no reply", nil, http.ErrHandlerTimeout, map[string]any{"error.type": "connection"}, codes.Error},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, spans := withParent(t)
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://user:canary@hooks.example.com:8443/services/canary?token=canary", nil)
			require.NoError(t, err)
			_, span := tracing.StartRequest(req)
			tracing.SetResponse(span, tc.resp, tc.err)
			tracing.End(span)
			tc.want["http.request.method"], tc.want["server.address"], tc.want["server.port"] = "POST", "hooks.example.com", int64(8443)
			s := spans()[0]
			require.Equal(t, tc.want, attributesOf(s))
			require.Equal(t, tc.status, s.Status.Code)
			require.Equal(t, trace.SpanKindClient, s.SpanKind)
		})
	}
}

// The value of a panic may quote a text.
func TestEndRecordsNoPanic(t *testing.T) {
	ctx, spans := withParent(t)
	require.Panics(t, func() {
		_, span := tracing.StartChild(ctx, "x", trace.WithAttributes(attribute.Bool("a", true)))
		defer tracing.End(span)
		panic("canary")
	})
	require.Len(t, spans(), 1)
	require.Empty(t, spans()[0].Events)
}
