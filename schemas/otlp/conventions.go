package otlp

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// form is how a place holds a prompt or an answer.
type form uint8

const (
	formMessages     form = iota // messages in JSON
	formBody                     // a request or a response in JSON, or messages; another text is taken as it is
	formOutput                   // the same, but JSON of another kind is none: what any function takes or returns
	formText                     // a text, whatever it looks like
	formInstructions             // the parts of a system prompt in JSON, or text
	formFlat                     // messages in flattened names, which begin with the place
	formEvents                   // events of the span, or the log records of the same span
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
	{at: "gen_ai.input.messages", form: formMessages},    // GenAI
	{at: "gen_ai.prompt", form: formBody},                // older GenAI, LangSmith, Spring AI
	{at: "", form: formEvents},                           // GenAI 1.27, Strands, Semantic Kernel
	{at: "llm.input_messages.", form: formFlat},          // OpenInference
	{at: "llm.prompts.", form: formFlat},                 // the same, older
	{at: "gen_ai.prompt.", form: formFlat},               // OpenLLMetry
	{at: "llm.request.prompt", form: formText},           // the published post
	{at: "ai.prompt.messages", form: formBody},           // Vercel AI SDK
	{at: "ai.prompt", form: formBody},                    // the same, around its steps
	{at: "gcp.vertex.agent.llm_request", form: formBody}, // Google ADK
	{at: "request_data", form: formBody},                 // Logfire
	{at: "llm.prompts", form: formBody},                  // Langtrace
	{at: "langfuse.observation.input", form: formOutput}, // Langfuse
	{at: "braintrust.input_json", form: formOutput},      // Braintrust
	{at: "mlflow.spanInputs", form: formOutput},          // MLflow
	{at: "traceloop.entity.input", form: formOutput},     // OpenLLMetry
	{at: "genkit:input", form: formOutput},               // Genkit
	{at: "haystack.component.input", form: formOutput},   // Haystack with content tracing
	{at: "lmnr.span.input", form: formOutput},            // Laminar
	{at: "input.value", form: formOutput},                // OpenInference
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
	{"genkit:output", formOutput, roleOuter},
	{"haystack.component.output", formOutput, roleOuter},
	{"lmnr.span.output", formOutput, roleOuter},
	{"output.value", formOutput, roleOuter},
}

// responseRoles are the roles of responsePlaces.
//
//nolint:gochecknoglobals // a read-only table
var responseRoles = func() map[string]spanRole {
	roles := map[string]spanRole{}
	for i := range responsePlaces {
		roles[responsePlaces[i].at] = responsePlaces[i].role
	}
	return roles
}()

// responseRole is the role of a span of no kind with that attribute.
func responseRole(key string) spanRole {
	for i := range responsePlaces {
		if p := &responsePlaces[i]; p.form == formFlat && strings.HasPrefix(key, p.at) {
			return p.role
		}
	}
	return responseRoles[key]
}

// prompt reads the messages of the first convention that has some, after the system prompt that GenAI has apart.
func (s *recordState) prompt(e *entry) {
	if len(s.in.Messages) > 0 { // by the map
		s.recorded = true
		return
	}
	var system []schemas.Message
	if v := s.fields.at("gen_ai.system_instructions"); v != nil {
		s.readPrompt(v, formInstructions)
		system = slices.Clone(s.in.Messages)
		s.in.Messages = s.in.Messages[:0]
	}
	for i := 0; i < len(requestPlaces) && len(s.in.Messages) == 0; i++ {
		switch p := &requestPlaces[i]; p.form {
		case formEvents:
			s.eventMessages(e)
		case formFlat:
			if raw, bad, recorded := s.fields.list(p.at); raw != nil {
				s.flat(bad, recorded)
				s.request(raw, formMessages)
			}
		default:
			if v := s.fields.at(p.at); v != nil {
				s.readPrompt(v, p.form)
			}
		}
	}
	s.in.Messages = slices.Insert(s.in.Messages, 0, system...)
}

// holdsSteps matches output items, some of which are reasoning or calls of tools.
var holdsSteps = regexp.MustCompile(`"(tool_calls|reasoning\w*|thinking)"`)

// flatAnswer reads the answer of a list in flattened names.
func (s *recordState) flatAnswer(list string) bool {
	raw, bad, recorded := s.fields.list(list)
	if raw == nil {
		return false
	}
	s.flat(bad, recorded)
	s.unreadable(bad)
	if first := memberOf(raw, "0"); len(first) > 0 && !holdsSteps.Match(raw) { // others are further choices
		raw = append(append([]byte{'['}, first...), ']')
	}
	return s.response(raw, formMessages) || s.first == nil
}

// flat notes what a list in flattened names holds.
func (s *recordState) flat(bad *commonpb.AnyValue, recorded bool) {
	if s.recorded = s.recorded || recorded; bad != nil {
		s.malformed(schemas.FieldMessages)
	}
}

// readPrompt reads a prompt. A broken one leaves none.
func (s *recordState) readPrompt(v *commonpb.AnyValue, f form) {
	raw, ok := s.json(v)
	if string(raw) == redacted {
		return
	}
	s.recorded = true
	role := "user"
	if f == formInstructions {
		role = "system"
	}
	switch text := plainText(raw); {
	case !ok:
		s.malformed(schemas.FieldMessages)
	case f == formText || !looksLikeJSON(raw):
		s.addText(role, text)
	case f == formInstructions:
		s.request(append(appendMessage(nil, role, raw), ']'), f)
	case s.request(raw, f):
	case f == formBody && !looksLikeMessages(raw):
		s.addText(role, text)
	case f == formOutput:
		s.addText(role, onlyText(raw))
	}
}

// addText appends a message of one text.
func (s *recordState) addText(role, text string) {
	if isText(text) {
		s.in.Messages = append(s.in.Messages, schemas.Message{Role: role, Content: text})
	}
}

// request reads a request in JSON. It returns false if it has no messages.
func (s *recordState) request(raw []byte, f form) bool {
	if err := llmapi.Request(raw, s.in); err != nil {
		if s.in.Messages = s.in.Messages[:0]; f != formOutput && (f != formBody || looksLikeMessages(raw)) {
			s.broken(err, len(raw))
		}
	}
	s.in.Messages = slices.DeleteFunc(s.in.Messages, func(m schemas.Message) bool { return m.Content == redacted || m.Content == "" && m.Role == "user" })
	return len(s.in.Messages) > 0
}

// broken notes messages in JSON of that size that cannot be read.
func (s *recordState) broken(err error, size int) {
	s.malformed(schemas.FieldMessages)
	if fault, ok := errors.AsType[*scan.Error](err); ok && fault.Reason == scan.ReasonSyntax && fault.Offset >= size {
		s.in.AddMalformed(schemas.MessagesCutOff)
	}
}

// looksLikeMessages reports whether JSON begins like messages. Some conventions have prompts and answers as plain text, too, which
// may be JSON.
func looksLikeMessages(raw []byte) bool {
	if !looksLikeJSON(raw) {
		return false
	}
	head := recordformat.StringView(raw[:min(len(raw), 200)])
	return strings.Contains(head, `"role"`) || strings.Contains(head, `"content"`) || strings.Contains(head, `"parts"`)
}

// answer reads the answer of the first convention that has one. The answer of an empty first choice, such as a call of a
// tool, is empty.
func (s *recordState) answer(e *entry) {
	if s.found = s.in.Answer != ""; s.found { // by the map
		s.recorded = true
		return
	}
	for i := 0; i < len(responsePlaces) && !s.found; i++ {
		switch p := &responsePlaces[i]; p.form {
		case formEvents:
			s.found = s.choiceEvent(e)
		case formFlat:
			s.found = s.flatAnswer(p.at)
		default:
			if v := s.fields.at(p.at); v != nil {
				s.found = s.readAnswer(v, p.form)
			}
		}
	}
	s.found = s.found || hasNullAnswer(e.attributes) || slices.ContainsFunc(e.events, func(event *tracepb.Span_Event) bool {
		return hasNullAnswer(event.GetAttributes())
	})
}

// hasNullAnswer reports an answer without a value: that of a refusal, or of a call of a tool.
func hasNullAnswer(list []*commonpb.KeyValue) bool {
	return slices.ContainsFunc(list, func(a *commonpb.KeyValue) bool {
		return a.GetValue().GetValue() == nil && responseRole(a.GetKey()) == roleAnswer
	})
}

// readAnswer reads an answer and reports whether there is one, which may be empty.
func (s *recordState) readAnswer(v *commonpb.AnyValue, f form) bool {
	raw, ok := s.json(v)
	if !ok && f != formOutput {
		s.recorded = true
		s.unreadable(v)
		return v.GetStringValue() == "" && !isStructured(v)
	}
	text := plainText(raw)
	if !ok || text == redacted {
		return false
	}
	s.recorded = true
	switch {
	case f == formText:
		s.in.Answer, _ = textOf(v)
	case looksLikeJSON(raw):
		return s.response(raw, f)
	default:
		s.in.Answer = text
	}
	return true
}

// response reads the answer of a response in JSON.
func (s *recordState) response(raw []byte, f form) bool {
	if f == formMessages {
		raw = firstChoice(raw)
	}
	reading, err := llmapi.Response(raw, s.in)
	if s.in.Answer == redacted {
		s.in.Answer = ""
	}
	switch {
	case err == nil && (reading.Answered || reading.Form == llmapi.FormError):
		return reading.Answered
	case f == formBody && !looksLikeMessages(raw):
		s.in.Answer = recordformat.StringView(raw)
		return true
	case f == formOutput:
		return false
	case err == nil:
		err = &scan.Error{Reason: scan.ReasonWrongType, Detail: expectedText}
	}
	s.in.Answer = ""
	if fault, ok := errors.AsType[*scan.Error](err); ok {
		s.fault(fault)
	}
	return false
}

// firstChoice returns messages without further choices, each of which has an end. The role of an answer may be any.
func firstChoice(raw []byte) []byte {
	const finish = "finish_reason"
	if bytes.Count(raw, []byte(finish)) > 1 && memberOf(raw, "0", finish) != nil && memberOf(raw, "1", finish) != nil {
		raw = append(append([]byte{'['}, memberOf(raw, "0")...), ']')
	}
	if bytes.Contains(raw, []byte(`"assistant"`)) {
		return raw
	}
	if content := memberOf(raw, "0", "parts"); content != nil {
		return append(appendMessage(nil, "assistant", content), ']')
	}
	return raw
}

// ReasonBadAnswer refuses a span whose answer is broken JSON: most often cut off.
const ReasonBadAnswer = "bad_answer"

const expectedText = "expected text or messages"

// fault notes the first reason why an answer cannot be read.
func (s *recordState) fault(err *scan.Error) {
	if s.first != nil {
		return
	}
	s.first = &scan.Error{Reason: err.Reason, Field: "answer", Offset: err.Offset, Detail: "in an attribute with the answer: " + err.Detail}
	if err.Reason == scan.ReasonSyntax {
		s.first.Reason = ReasonBadAnswer
	}
}

// unreadable notes a value that is not a text with an answer. An empty one is no fault.
func (s *recordState) unreadable(v *commonpb.AnyValue) {
	switch v := v.GetValue().(type) {
	case nil, *commonpb.AnyValue_StringValue:
		return
	case *commonpb.AnyValue_BytesValue:
		if !utf8.Valid(v.BytesValue) {
			s.fault(&scan.Error{Reason: scan.ReasonBadUTF8, Detail: "text must be UTF-8"})
			return
		}
	}
	s.fault(&scan.Error{Reason: scan.ReasonWrongType, Detail: expectedText})
}

// onlyText is the text in JSON that holds no other; "" if there is none, or there are several.
func onlyText(raw []byte) (only string) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	texts := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if v != "" {
				texts, only = texts+1, v
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
		}
	}
	if walk(v); texts != 1 {
		return ""
	}
	return only
}

// toolPlaces are where conventions have the tools that a model was offered.
//
//nolint:gochecknoglobals // a read-only table
var toolPlaces = []string{"gen_ai.tool.definitions", "gen_ai.request.tools", "ai.prompt.tools", "llm.tools.", "llm.request.functions."}

// tools reads the tools that were offered, and the calls that the answer has beside its text.
func (s *recordState) tools() {
	for _, at := range toolPlaces {
		raw, _, _ := s.fields.list(at)
		if raw == nil {
			raw, _ = s.json(s.fields.at(at))
		}
		llmapi.ReadTools(raw, s.in)
	}
	raw, _ := s.json(s.fields.at("ai.response.toolCalls", "ai.toolCalls"))
	llmapi.ReadCalls(raw, s.in)
}

// tokens reads the token probabilities of the published post.
func (s *recordState) tokens() {
	v := s.fields.at("llm.response.tokens_json")
	if v == nil || s.in.Logprobs.Rows() > 0 {
		return
	}
	raw, _ := s.json(v)
	if len(raw) > 0 && raw[0] == '[' { // the tokens alone
		raw = append(append([]byte(`{"content":`), raw...), '}')
	}
	if len(raw) == 0 || s.d.fields.DecodeField(schemas.FieldLogprobs, raw, s.in) != nil {
		s.malformed(schemas.FieldLogprobs)
	}
}

// beside reads what a raw response has beside the answer: token probabilities, and sources that an API returns.
func (s *recordState) beside() {
	raw, ok := s.json(s.fields.at("output.value"))
	if !ok || !looksLikeJSON(raw) || s.in.Answer == "" {
		return
	}
	var in schemas.Interaction
	if _, err := llmapi.Response(raw, &in); err != nil {
		return // it need not be one
	}
	if s.in.Logprobs.Rows() == 0 && in.Answer == s.in.Answer {
		s.in.Logprobs = in.Logprobs
	}
	if len(s.in.Sources) == 0 {
		s.in.Sources = append(s.in.Sources, in.Sources...)
	}
}
