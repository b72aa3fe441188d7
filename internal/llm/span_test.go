package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"confab/internal/llm/llmtest"
)

// traced returns a context with a recorded span, and its children that have ended.
func traced(t *testing.T) (context.Context, func() tracetest.SpanStubs) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	ctx, _ := provider.Tracer("test").Start(t.Context(), "parent")
	return ctx, exporter.GetSpans
}

func spanAttributes(s tracetest.SpanStub) map[string]any {
	all := map[string]any{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.AsInterface()
	}
	return all
}

// Every call is one GenAI client span, which covers its attempts and holds no text.
func TestCallsAreSpans(t *testing.T) {
	zero := 0.5
	full := Request{
		Messages: []Message{{System, canaryText}, {User, canaryText}}, N: 2, Temperature: &zero, MaxTokens: 40,
		JSON: &Schema{Name: "v", Schema: json.RawMessage(`{"title":"` + canaryText + `"}`)},
	}
	azure := func(o *Options) { o.BaseURL = strings.TrimSuffix(o.BaseURL, "/v1") + "/openai/deployments/d" }
	for name, row := range map[string]struct {
		server llmtest.Options
		tweak  func(*Options)
		call   func(ctx context.Context, c *Client) error
		span   string
		want   map[string]any
		status codes.Code
	}{
		"chat": {
			call: func(ctx context.Context, c *Client) error { _, err := c.Chat(ctx, full); return err },
			span: "chat tiny",
			want: map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.max_tokens": int64(40),
				"gen_ai.response.finish_reasons": []string{"stop", "stop"}, "gen_ai.usage.input_tokens": int64(2), "gen_ai.usage.output_tokens": int64(4),
			},
		},
		"second attempt": {
			server: scriptedServer(llmtest.Reply{Status: 503}, llmtest.Reply{Body: chatBody(canaryText)}),
			call:   func(ctx context.Context, c *Client) error { _, err := c.Chat(ctx, askOnce(canaryText)); return err },
			span:   "chat tiny",
			want: map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.max_tokens": int64(512),
				"gen_ai.response.finish_reasons": []string{"stop"}, "gen_ai.usage.input_tokens": int64(1), "gen_ai.usage.output_tokens": int64(1),
			},
		},
		"estimated usage, azure": {
			server: llmtest.Options{NoUsage: true}, tweak: azure,
			call: func(ctx context.Context, c *Client) error { _, err := c.Chat(ctx, askOnce(canaryText)); return err },
			span: "chat tiny",
			want: map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.provider.name": "azure.ai.openai", "gen_ai.request.max_tokens": int64(512),
				"gen_ai.response.finish_reasons": []string{"stop"},
			},
		},
		"refused": {
			server: alwaysReply(llmtest.Reply{Status: 401, Body: canaryText}),
			call:   func(ctx context.Context, c *Client) error { _, err := c.Chat(ctx, askOnce(canaryText)); return err },
			span:   "chat tiny", status: codes.Error,
			want: map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "error.type": "401",
			},
		},
		"embeddings": {
			call: func(ctx context.Context, c *Client) error { _, err := c.Embed(ctx, []string{canaryText}); return err },
			span: "embeddings tiny",
			want: map[string]any{
				"gen_ai.operation.name": "embeddings", "gen_ai.provider.name": "openai", "gen_ai.usage.input_tokens": int64(1), "gen_ai.usage.output_tokens": int64(0),
			},
		},
		"verify": {
			call: func(ctx context.Context, c *Client) error {
				_, err := c.Verify(ctx, formOfKind(KindNLI), []Pair{{canaryText, canaryText}})
				return err
			},
			tweak: func(o *Options) { o.BaseURL += "/predict" },
			span:  "verify tiny",
			want:  map[string]any{"gen_ai.operation.name": "verify", "gen_ai.provider.name": "verifier"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tweaks := []func(*Options){func(o *Options) { o.APIKey = testKey(canaryKey) }}
			if row.tweak != nil {
				tweaks = append(tweaks, row.tweak)
			}
			inBubble(t, row.server, func(t *testing.T, c *Client, _ *llmtest.Server) {
				ctx, spans := traced(t)
				err := row.call(ctx, c)
				require.Equal(t, row.status == codes.Error, err != nil)
				require.Len(t, spans(), 1)
				s := spans()[0]
				require.Equal(t, row.span, s.Name)
				require.Equal(t, trace.SpanKindClient, s.SpanKind)
				require.Equal(t, row.status, s.Status.Code)
				row.want["gen_ai.request.model"] = "tiny"
				got := spanAttributes(s)
				delete(got, "server.address")
				delete(got, "server.port")
				require.Equal(t, row.want, got)
				require.NotContains(t, fmt.Sprintf("%+v", s), canaryText)
				require.NotContains(t, fmt.Sprintf("%+v", s), canaryKey)
			}, tweaks...)
		})
	}
}

// A call within a sampled span has its ids as exemplar of the duration; any other call has none, and no span.
func TestDurationHasExemplar(t *testing.T) {
	for name, sampled := range map[string]bool{"traced": true, "not traced": false} {
		t.Run(name, func(t *testing.T) {
			reg := prometheus.NewRegistry()
			inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, _ *llmtest.Server) {
				ctx, spans := t.Context(), func() tracetest.SpanStubs { return nil }
				if sampled {
					ctx, spans = traced(t)
				}
				_, err := c.Chat(ctx, askOnce("Why?"))
				require.NoError(t, err)
				families, err := reg.Gather()
				require.NoError(t, err)
				exemplars := map[string]bool{}
				for _, f := range families {
					for _, m := range f.GetMetric() {
						for _, b := range m.GetHistogram().GetBucket() {
							for _, l := range b.GetExemplar().GetLabel() {
								exemplars[l.GetName()+" "+l.GetValue()] = true
							}
						}
					}
				}
				want := map[string]bool{}
				for _, s := range spans() {
					want["trace_id "+s.SpanContext.TraceID().String()] = true
					want["span_id "+s.SpanContext.SpanID().String()] = true
				}
				require.Equal(t, want, exemplars)
				require.Equal(t, sampled, len(want) > 0)
			}, func(o *Options) { o.Metrics = NewMetrics(reg, "tiny") })
		})
	}
}
