package llm

import (
	"context"
	"net/url"
	"strconv"

	"github.com/sashabaranov/go-openai"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"confab/internal/tracing"
)

// Attributes of GenAI spans. The conventions are not in a released package.
const (
	attrOperation = attribute.Key("gen_ai.operation.name")
	attrProvider  = attribute.Key("gen_ai.provider.name")
	attrModel     = attribute.Key("gen_ai.request.model")
	attrMaxTokens = attribute.Key("gen_ai.request.max_tokens")
	attrFinish    = attribute.Key("gen_ai.response.finish_reasons")
	attrInput     = attribute.Key("gen_ai.usage.input_tokens")
	attrOutput    = attribute.Key("gen_ai.usage.output_tokens")
)

// startSpan starts a GenAI client span if the context has a span. It covers all attempts.
func (c *Client) startSpan(ctx context.Context, op string) (context.Context, trace.Span) {
	operation := op
	if op == "embed" {
		operation = "embeddings" // as the conventions name it
	}
	ctx, span := tracing.StartChild(ctx, operation+" "+c.model, trace.WithSpanKind(trace.SpanKindClient))
	if !span.IsRecording() {
		return ctx, span
	}
	provider := "openai" // names the API, not the server
	switch {
	case operation == "verify":
		provider = "verifier"
	case c.api.APIType == openai.APITypeAzure:
		provider = "azure.ai.openai"
	}
	span.SetAttributes(attrOperation.String(operation), attrProvider.String(provider), attrModel.String(c.model))
	if u, err := url.Parse(c.address); err == nil {
		span.SetAttributes(semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			span.SetAttributes(semconv.ServerPort(port))
		}
	}
	return ctx, span
}
