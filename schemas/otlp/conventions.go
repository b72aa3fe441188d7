package otlp

import (
	"bytes"
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// form is how a place holds a prompt or an answer.
type form uint8

const (
	formMessages form = iota // messages in JSON
	formBody                 // a request or a response in JSON, or messages; another text is taken as it is
	formOutput               // the same, but JSON of another kind is none: what any function takes or returns
	formText                 // a text, whatever it looks like
	formFlat                 // messages in flattened names, which begin with the place
	formEvents               // events of the span, or the log records of the same span
)

// place is where a convention has a prompt or an answer: the key of an attribute.
type place struct {
	at   string
	form form
	role spanRole // of a span of no kind that has such an answer
}

// requestPlaces are where conventions have the prompt, in the order in which they count.
//
//nolint:gochecknoglobals // a read-only table
var requestPlaces = []place{
	{at: "gen_ai.input.messages", form: formMessages},           // GenAI
	{at: "gen_ai.prompt", form: formBody},                       // older GenAI, LangSmith, Spring AI
	{at: "", form: formEvents},                                  // GenAI 1.27, Strands, Semantic Kernel
	{at: "llm.input_messages.", form: formFlat},                 // OpenInference
	{at: "llm.prompts.", form: formFlat},                        // the same, older
	{at: "gen_ai.prompt.", form: formFlat},                      // OpenLLMetry
	{at: "llm.request.prompt", form: formText},                  // the published post
	{at: "ai.prompt.messages", form: formBody},                  // Vercel AI SDK
	{at: "ai.prompt", form: formBody},                           // the same, around its steps
	{at: "gcp.vertex.agent.llm_request", form: formBody},        // Google ADK
	{at: "request_data", form: formBody},                        // Logfire
	{at: "llm.prompts", form: formBody},                         // Langtrace
	{at: "langfuse.observation.input", form: formOutput},        // Langfuse
	{at: "braintrust.input_json", form: formOutput},             // Braintrust
	{at: "mlflow.spanInputs", form: formOutput},                 // MLflow
	{at: "traceloop.entity.input", form: formOutput},            // OpenLLMetry
	{at: "input.value", form: formOutput},                       // OpenInference
}

// responsePlaces are where conventions have the answer, in the order in which they count.
//
//nolint:gochecknoglobals // a read-only table
var responsePlaces = []place{
	{"gen_ai.output.messages", formMessages, roleAnswer},
	{"gen_ai.completion", formBody, roleAnswer},
	{"", formEvents, roleAnswer},
	{"llm.output_messages.", formFlat, roleOuter},
	{"llm.choices.", formFlat, roleOuter},
	{flatCompletions, formFlat, roleAnswer},
	{"llm.response.text", formText, roleAnswer},
	{"llm.response.content", formText, roleAnswer},
	{"ai.response.text", formText, roleAnswer},
	{"ai.response.object", formText, roleAnswer},
	{"ai.result.text", formText, roleAnswer},
	{"ai.result.object", formText, roleAnswer},
	{"gcp.vertex.agent.llm_response", formBody, roleAnswer},
	{"response_data", formBody, roleOuter},
	{"llm.responses", formBody, roleOuter},
	{"llm.completions", formBody, roleOuter},
	{"langfuse.observation.output", formOutput, roleOuter},
	{"braintrust.output_json", formOutput, roleOuter},
	{"mlflow.spanOutputs", formOutput, roleOuter},
	{"traceloop.entity.output", formOutput, roleOuter},
	{"output.value", formOutput, roleOuter},
}

// prompt reads the messages of the first convention that has some.
func (s *recordState) prompt(e *entry) {
	for i := 0; i < len(requestPlaces) && len(s.in.Messages) == 0; i++ {
		switch p := &requestPlaces[i]; p.form {
		case formEvents:
			s.eventMessages(e)
		case formFlat:
			s.flatMessages(p.at)
		default:
			if v := s.fields.at(p.at); v != nil {
				s.readPrompt(v, p.form)
			}
		}
	}
}

// readPrompt reads a prompt. A broken one leaves none.
func (s *recordState) readPrompt(v *commonpb.AnyValue, f form) {
	raw, ok := s.json(v)
	if string(raw) == redacted {
		return
	}
	s.recorded = true
	switch text := plainText(raw); {
	case !ok:
		s.malformed(schemas.FieldMessages)
	case !looksLikeJSON(raw) || f == formText:
		s.addText("user", text)
	case s.request(raw, f):
	case f == formBody && !looksLikeMessages(raw):
		s.addText("user", text)
	case f == formOutput:
		s.addText("user", onlyText(raw))
	}
}

// request reads a request in JSON, with the system prompt that is beside it. It returns false if it has no messages.
func (s *recordState) request(raw []byte, f form) bool {
	if v := s.fields.at("gen_ai.system_instructions"); v != nil && f == formMessages {
		if system, ok := s.json(v); ok {
			raw = joinRequest(system, raw)
		}
	}
	before := len(s.in.Messages)
	if err := llmapi.Request(raw, s.in); err != nil {
		if s.in.Messages = s.in.Messages[:before]; f == formMessages || looksLikeMessages(raw) {
			s.malformed(schemas.FieldMessages)
		}
	}
	s.in.Messages = slices.DeleteFunc(s.in.Messages, func(m schemas.Message) bool { return m.Content == redacted })
	return len(s.in.Messages) > before
}
