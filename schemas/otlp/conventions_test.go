package otlp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/golden"
	"confab/schemas"
)

// Texts of the examples: the answer says something else than the rules.
const (
	exampleRules    = "Answer from this:\n\nLockers can be used for 3 days."
	exampleQuestion = "How long can I use a locker?"
	exampleAnswer   = "A locker can be used for 9 days."
)

// quote is a value as JSON text.
func quote(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

type object = map[string]any

func chatMessages() []any {
	return []any{object{"role": "system", "content": exampleRules}, object{"role": "user", "content": exampleQuestion}}
}

func chatCompletion() object {
	return object{"object": "chat.completion", "choices": []any{object{"message": object{"role": "assistant", "content": exampleAnswer}, "finish_reason": "stop"}}}
}

// withEvents adds events to a span: a name and its attributes, one after another.
func withEvents(s *tracepb.Span, events ...any) *tracepb.Span {
	for i := 0; i+1 < len(events); i += 2 {
		s.Events = append(s.Events, &tracepb.Span_Event{Name: events[i].(string), Attributes: events[i+1].(pairs).list()})
	}
	return s
}

// conventionSpans are traces in all conventions that no recording has.
func conventionSpans() map[string][]*tracepb.Span {
	chatSpan := func(attributes ...any) *tracepb.Span {
		return span(1, 0, 1, append([]any{"gen_ai.operation.name", "chat", "gen_ai.request.model", "m"}, attributes...)...)
	}
	step := span(2, 1, 2, "ai.operationId", "ai.generateText.doGenerate", "ai.model.id", "m", "ai.prompt.messages", quote(chatMessages()), "ai.response.text", exampleAnswer, "ai.response.finishReason", "stop")
	root := span(1, 0, 1, "ai.operationId", "ai.generateText", "ai.prompt", quote(object{"system": exampleRules, "prompt": exampleQuestion}), "ai.response.text", exampleAnswer)
	agent := span(1, 0, 1, "gen_ai.operation.name", "invoke_agent", "gen_ai.input.messages", quoteMessage("user", exampleQuestion), "gen_ai.output.messages", quoteMessage("assistant", exampleAnswer))
	workflow := span(1, 0, 1, "traceloop.span.kind", "workflow", "traceloop.entity.input", quote(object{"kwargs": object{"q": exampleQuestion}}), "traceloop.entity.output", quote(exampleAnswer))
	task := span(2, 1, 2, "traceloop.span.kind", "task", "traceloop.entity.output", quote("the prompt"))
	return map[string][]*tracepb.Span{
		"events of GenAI 1.27": {withEvents(chatSpan(), "gen_ai.system.message", pairs{"content", exampleRules}, "gen_ai.user.message", pairs{"content", exampleQuestion},
			"gen_ai.choice", pairs{"index", 0, "finish_reason", "stop", "message", quote(object{"role": "assistant", "content": exampleAnswer})})},
		"events of Strands": {withEvents(chatSpan(), "gen_ai.user.message", pairs{"content", quote([]any{object{"text": exampleQuestion}})},
			"gen_ai.tool.message", pairs{"content", quote([]any{object{"toolResult": object{"content": []any{object{"text": "3 days"}}}}})},
			"gen_ai.choice", pairs{"finish_reason", "end_turn", "message", quote([]any{object{"text": exampleAnswer}})})},
		"events of Semantic Kernel": {withEvents(chatSpan(), "gen_ai.user.message", pairs{"gen_ai.event.content", quote(object{"role": "user", "content": exampleQuestion})},
			"gen_ai.choice", pairs{"gen_ai.event.content", quote(object{"index": 0, "message": object{"role": "assistant", "content": exampleAnswer}})})},
		"events of ADK": {withEvents(chatSpan(), "gen_ai.user.message", pairs{"content", pairs{"role", "user", "parts", []any{pairs{"text", exampleQuestion}}}},
			"gen_ai.choice", pairs{"content", quote(object{"role": "model", "parts": []any{object{"text": exampleAnswer}}})})},
		"Vercel AI SDK step":          {step},
		"Vercel AI SDK root":          {root},
		"Vercel AI SDK step and root": {step, root},
		"Vercel AI SDK object":        {span(1, 0, 1, "ai.operationId", "ai.generateObject.doGenerate", "ai.prompt.messages", quote(chatMessages()), "ai.response.object", `{"days":9}`)},
		"Vercel AI SDK 6":             {chatSpan("ai.operationId", "ai.generateText.doGenerate", "ai.response.text", exampleAnswer, "gen_ai.input.messages", quote(chatMessages()))},
		"Vercel AI SDK tool call":     {span(1, 0, 1, "ai.operationId", "ai.generateText.doGenerate", "ai.prompt.messages", quote(chatMessages()), "ai.response.toolCalls", `[{"toolName":"find"}]`, "ai.response.finishReason", "tool-calls")},
		"Google ADK": {span(1, 0, 1, "gen_ai.system", "gcp.vertex.agent",
			"gcp.vertex.agent.llm_request", quote(object{"config": object{"system_instruction": exampleRules}, "contents": []any{object{"role": "user", "parts": []any{object{"text": exampleQuestion}}}}}),
			"gcp.vertex.agent.llm_response", quote(object{"content": object{"role": "model", "parts": []any{object{"text": exampleAnswer}}}}))},
		"LangSmith": {chatSpan("langsmith.span.kind", "llm", "gen_ai.prompt", quote(object{"messages": chatMessages()}), "gen_ai.completion", quote(chatCompletion()))},
		"Logfire": {span(1, 0, 1, "gen_ai.system", "openai", "request_data", quote(object{"model": "m", "messages": chatMessages()}),
			"response_data", quote(object{"message": object{"role": "assistant", "content": exampleAnswer}}))},
		"MLflow":    {span(1, 0, 1, "mlflow.spanType", `"CHAT_MODEL"`, "mlflow.spanInputs", quote(object{"messages": chatMessages()}), "mlflow.spanOutputs", quote(chatCompletion()))},
		"Spring AI": {chatSpan("gen_ai.prompt", []any{exampleRules, exampleQuestion}, "gen_ai.completion", []any{exampleAnswer})},
		"Langfuse":  {span(1, 0, 1, "langfuse.observation.type", "generation", "langfuse.observation.input", quote(chatMessages()), "langfuse.observation.output", quote(object{"role": "assistant", "content": exampleAnswer}))},
		"OpenInference, a generation of LangChain": {span(1, 0, 1, "openinference.span.kind", "LLM",
			"input.value", quote(object{"messages": []any{[]any{object{"id": []any{"HumanMessage"}, "kwargs": object{"type": "human", "content": exampleQuestion}}}}}),
			"output.value", quote(object{"generations": []any{[]any{object{"text": "", "message": object{"kwargs": object{"type": "ai", "content": []any{object{"type": "text", "text": exampleAnswer}}}}}}}}))},
		"OpenInference, reasoning first": {span(1, 0, 1, "openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", exampleQuestion,
			"llm.output_messages.0.message.contents.0.message_content.type", "reasoning", "llm.output_messages.0.message.contents.0.message_content.text", "3 or 9?",
			"llm.output_messages.1.message.content", "Let me see.", "llm.output_messages.2.message.content", exampleAnswer)},
		"OpenInference, choices": {span(1, 0, 1, "openinference.span.kind", "LLM", "llm.output_messages.0.message.content", exampleAnswer, "llm.output_messages.1.message.content", "Another one.")},
		"OpenInference, an agent alone": {
			span(1, 0, 1, "openinference.span.kind", "AGENT", "input.value", exampleQuestion, "output.value", exampleAnswer),
			retriever(2, 1, 2, "Lockers can be used for 3 days."),
		},
		"choices of GenAI": {chatSpan("gen_ai.output.messages", quote([]any{
			object{"role": "assistant", "parts": []any{object{"type": "text", "content": exampleAnswer}}, "finish_reason": "stop"},
			object{"role": "assistant", "parts": []any{object{"type": "text", "content": "Another one."}}, "finish_reason": "stop"},
		}))},
		"Traceloop workflow":              {workflow, task},
		"Traceloop workflow with a call":  {chat(3, 1, 3, "the call's"), workflow, task},
		"agent alone":                     {agent},
		"agent with a call":               {agent, chat(2, 1, 2, "the call's")},
		"agent with a call without text":  {agent, span(2, 1, 2, "gen_ai.operation.name", "chat")},
		"part of a chain":                 {span(2, 1, 1, "openinference.span.kind", "CHAIN", "output.value", "the prompt")},
		"the published post":              {span(1, 0, 1, "llm.request.prompt", exampleQuestion, "llm.response.content", exampleAnswer, "rag.sources_json", `[{"id":"a","text":"Lockers can be used for 3 days."}]`, "llm.response.tokens_json", `[{"token":"A locker","logprob":-0.5}]`)},
		"an operation that is not known":  {span(1, 0, 1, "gen_ai.operation.name", "dream", "gen_ai.output.messages", quoteMessage("assistant", exampleAnswer))},
		"an answer in another attribute":  {chatSpan("gen_ai.input.messages", quoteMessage("user", exampleQuestion), "app.reply", exampleAnswer)},
		"an answer of an unknown library": {span(1, 0, 1, "llm.vendor", "x", "llm.reply", exampleAnswer)},
	}
}

// TestConventions: what every convention holds is read once.
func TestConventions(t *testing.T) {
	var all strings.Builder
	spans := conventionSpans()
	for _, name := range slices.Sorted(maps.Keys(spans)) {
		c, counts := decodeBoth(t, traces(spans[name]...), Options{})
		fmt.Fprintf(&all, "## %s\n%s", name, describe(c, counts))
		for _, in := range c.found {
			fmt.Fprintf(&all, "  unknown %v %s\n", in.UnknownNames, in.NoAnswer)
		}
		fmt.Fprintf(&all, "unread %v\n\n", c.unknown)
	}
	golden.Equal(t, "testdata/conventions.golden", []byte(all.String()))
}

// Some write what a log record holds as an attribute.
func TestLogRecordsWithContentAsAttribute(t *testing.T) {
	event := func(name, content string) *logspb.LogRecord {
		return &logspb.LogRecord{TraceId: id(16, 1), SpanId: id(8, 1), EventName: name, Attributes: pairs{"gen_ai.event.content", content}.list()}
	}
	c, _ := decodeBoth(t, logs(event("gen_ai.user.message", quote(object{"content": exampleQuestion})), event("gen_ai.choice", quote(object{"message": object{"content": exampleAnswer}}))), Options{})
	require.Equal(t, exampleAnswer, c.found[0].Answer)
	require.Equal(t, []schemas.Message{{Role: "user", Content: exampleQuestion}}, c.found[0].Messages)
}

// A map may set every field. Where it finds nothing, the conventions do.
func TestMapOfEveryField(t *testing.T) {
	own := span(1, 0, 1, "app.reply", exampleAnswer, "app.docs", quote(object{"hits": []any{object{"body": "Lockers can be used for 3 days.", "n": "7"}}}), "app.dialogue", quote(chatMessages()),
		"app.heat", "0.7", "app.id", "call-1")
	event := withEvents(span(2, 0, 2), "app.call", pairs{"reply", "of an event"})
	usual := chat(3, 0, 3, "of its convention")
	c, counts := decodeBoth(t, traces(own, event, usual), Options{Map: map[string]string{
		"answer": "/attributes/app.reply | /events/app.call/reply", "sources": "text=body id=n /attributes/app.docs/hits", "messages": "json /attributes/app.dialogue",
		"temperature": "/attributes/app.heat", "interaction_id": "/attributes/app.id", "attributes.env": "/resource/attributes/deployment", "operation": "/name",
	}})
	require.Equal(t, Counts{Answer: 3}, counts)
	in := c.found[0]
	require.Equal(t, exampleAnswer, in.Answer)
	require.Equal(t, []schemas.Source{{ID: "7", Text: "Lockers can be used for 3 days."}}, in.Sources)
	require.Equal(t, schemas.SourcesFromField, in.SourcesFrom)
	require.Len(t, in.Messages, 2)
	require.InDelta(t, .7, in.Temperature, 0)
	require.Equal(t, "call-1", in.ID)
	require.Equal(t, "test", in.Attributes["env"])
	require.Equal(t, "s", in.Operation)
	require.Equal(t, "of an event", c.found[1].Answer)
	require.Equal(t, "of its convention", c.found[2].Answer)
}

// The request and the response of an API may be anywhere in a span.
func TestMapOfACall(t *testing.T) {
	call := withEvents(span(1, 0, 1), "app.call", pairs{"in", quote(object{"messages": chatMessages()}), "out", quote(chatCompletion())})
	c, counts := decodeBoth(t, traces(call, chat(2, 0, 2, "of its convention")), Options{Map: map[string]string{
		"request": "/events/app.call/in", "response": "json /events/app.call/out",
	}})
	require.Equal(t, Counts{Answer: 2}, counts)
	require.Equal(t, exampleAnswer, c.found[0].Answer)
	require.Equal(t, "stop", c.found[0].FinishReason)
	require.Len(t, c.found[0].Messages, 2)
	require.Equal(t, "of its convention", c.found[1].Answer)
}
