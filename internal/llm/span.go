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
	attrOperation  = attribute.Key("gen_ai.operation.name")
	attrProvider   = attribute.Key("gen_ai.provider.name")
	attrModel      = attribute.Key("gen_ai.request.model")
	attrMaxTokens  = attribute.Key("gen_ai.request.max_tokens")
	attrTemp       = attribute.Key("gen_ai.request.temperature")
	attrSeed       = attribute.Key("gen_ai.request.seed")
	attrChoices    = attribute.Key("gen_ai.request.choice.count")
	attrOutputType = attribute.Key("gen_ai.output.type")
	attrFinish     = attribute.Key("gen_ai.response.finish_reasons")
	attrInput      = attribute.Key("gen_ai.usage.input_tokens")
	attrOutput     = attribute.Key("gen_ai.usage.output_tokens")
)

// startSpan starts a GenAI client span if the context has a span. It covers all attempts.
func (c *Client) startSpan(ctx context.Context, operation string) (context.Context, trace.Span) {
	ctx, span := tracing.StartChild(ctx, operation+" "+c.model, trace.WithSpanKind(trace.SpanKindClient))
	if !span.IsRecording() {
		return ctx, span
	}
	provider := "openai" // names the API, not the server
	switch {
	case operation == "classify":
		provider = "text-embeddings-inference"
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

// describeChat adds what was asked for and how the replies ended, without any text.
func describeChat(span trace.Span, req *Request, replies []Reply) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attrMaxTokens.Int(req.MaxTokens))
	if req.N > 1 {
		span.SetAttributes(attrChoices.Int(req.N))
	}
	if req.Temperature != nil {
		span.SetAttributes(attrTemp.Float64(*req.Temperature))
	}
	if req.Seed != nil {
		span.SetAttributes(attrSeed.Int(*req.Seed))
	}
	if req.JSON != nil {
		span.SetAttributes(attrOutputType.String("json"))
	}
	var finish []string
	for i := range replies {
		finish = append(finish, replies[i].Finish)
	}
	if finish != nil {
		span.SetAttributes(attrFinish.StringSlice(finish))
	}
}

// endCall adds the result of a call to its span: the tokens as the server counts them, or the type of the failure.
func endCall(span trace.Span, used Usage, failure *Error) {
	if !span.IsRecording() {
		return
	}
	if failure != nil {
		tracing.Fail(span, codeLabel(failure))
		return
	}
	if !used.Estimated {
		span.SetAttributes(attrInput.Int(used.Prompt), attrOutput.Int(used.Completion))
	}
}
