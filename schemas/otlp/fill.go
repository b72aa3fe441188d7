package otlp

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/llmapi"
)

// fill reads the entry into the interaction, but for its sources.
func (s *recordState) fill(e *entry) {
	in := s.in
	s.identity(e)
	if in.Service == "" {
		in.Service = attributeText(e.from.attributes, "service.name")
	}
	s.set(&in.Provider, "provider", "gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "ai.model.provider")
	s.set(&in.Model, schemas.FieldModel, "gen_ai.response.model", "gen_ai.request.model", "llm.response.model_name", "llm.request.model_name", "llm.model_name",
		"llm.request.model", "ai.response.model", "ai.model.id", "langfuse.observation.model.name")
	s.set(&in.ConversationID, "conversation_id", "gen_ai.conversation.id", "session.id", "langfuse.session.id", "gcp.vertex.agent.session_id")
	if in.FinishReason == "" {
		in.FinishReason = s.finishReason()
	}
	s.parameters()
	if len(in.Sources) == 0 {
		s.ownSources(e)
	}
	s.prompt(e)
	s.answer(e)
	s.tools()
	s.tokens()
	s.beside()
	s.tags()
	s.attributes(e)
}

// set reads the first of the slots that holds a text into a field that is empty.
func (s *recordState) set(field *string, name string, from ...string) {
	if *field == "" {
		*field = s.text(name, from...)
	}
}

// identity sets the ids and the time.
func (s *recordState) identity(e *entry) {
	in := s.in
	in.TraceID, in.SpanID = cmp.Or(in.TraceID, s.hex(e.trace[:])), cmp.Or(in.SpanID, s.hex(e.span[:]))
	if e.badIDs {
		s.malformed("trace_id")
	}
	if s.set(&in.ID, "interaction_id", "gen_ai.response.id", "ai.response.id"); in.ID == "" && in.TraceID != "" && in.SpanID != "" {
		begin := len(in.Scratch)
		in.Scratch = append(append(append(in.Scratch, in.TraceID...), '-'), in.SpanID...)
		in.ID = recordformat.StringView(in.Scratch[begin:])
	}
	if ms := int64(e.end / 1e6); ms > recordformat.MaxMillis {
		s.malformed("occurred_at")
	} else if ms > 0 && in.OccurredAt.IsZero() {
		in.OccurredAt = time.UnixMilli(ms).UTC()
	}
}

// hex is an id as text; "" for zero.
func (s *recordState) hex(id []byte) string {
	if !slices.ContainsFunc(id, func(b byte) bool { return b != 0 }) {
		return ""
	}
	begin := len(s.in.Scratch)
	s.in.Scratch = hex.AppendEncode(s.in.Scratch, id)
	return recordformat.StringView(s.in.Scratch[begin:])
}

// text reads the first of the slots that holds a text. A value that is none makes the field malformed.
func (s *recordState) text(field string, from ...string) string {
	for _, at := range from {
		v := s.fields.at(at)
		if v == nil {
			continue
		}
		text, ok := textOf(v)
		if ok && text != "" {
			return text
		}
		if !ok {
			s.malformed(field)
		}
	}
	return ""
}

// malformed notes an optional field whose value cannot be read.
func (s *recordState) malformed(field string) {
	if slices.Contains(schemas.OptionalFields(), field) {
		s.in.AddMalformed(field)
	}
}

// finishReason reads the reason of the first choice.
func (s *recordState) finishReason() string {
	if v := s.fields.at("gen_ai.response.finish_reasons"); v != nil {
		raw, ok := s.json(v)
		if list := memberOf(raw, "0"); ok && len(list) > 0 {
			return plainText(list)
		} else if ok && len(raw) > 0 && raw[0] != '[' {
			return recordformat.StringView(raw)
		}
	}
	return s.text(schemas.FieldFinishReason, "gen_ai.response.finish_reason", "llm.finish_reason", "ai.response.finishReason", "ai.finishReason")
}

// parameters reads the request's parameters.
func (s *recordState) parameters() {
	in := s.in
	if v := s.fields.at("gen_ai.request.temperature", "ai.settings.temperature"); v != nil && in.Temperature == schemas.UnknownTemperature {
		if value, ok := numberOf(v); !ok {
			s.malformed(schemas.FieldTemperature)
		} else if value >= 0 {
			in.Temperature = value
		}
	}
	s.set(&in.ResponseSchema, schemas.FieldResponseSchema, "gen_ai.request.structured_output_schema", "ai.schema")
	if v := s.fields.at("llm.is_streaming", "gen_ai.is_streaming", "gen_ai.request.stream", "gen_ai.request.is_stream"); v != nil {
		text, _ := textOf(v)
		in.Streamed = strings.EqualFold(text, "true")
	}
	if raw, ok := s.json(s.fields.at("llm.invocation_parameters")); ok && len(raw) > 0 && raw[0] == '{' {
		s.invocation(raw)
	}
}

// invocation reads the parameters of a call in JSON, where the span has no attributes for them.
func (s *recordState) invocation(raw []byte) {
	call := schemas.Interaction{Temperature: s.in.Temperature}
	if llmapi.Request(raw, &call) != nil {
		return
	}
	s.in.Temperature, s.in.Streamed, s.in.Tools = call.Temperature, s.in.Streamed || call.Streamed, call.Tools
	s.in.ResponseSchema = cmp.Or(s.in.ResponseSchema, call.ResponseSchema)
	for _, field := range call.Malformed {
		s.malformed(field)
	}
}

func (s *recordState) tags() {
	if v := s.fields.at("tag.tags"); v != nil {
		if raw, ok := s.json(v); !ok || s.d.fields.DecodeField("tags", raw, s.in) != nil {
			s.malformed("tags")
		}
	}
}

// maxAttributeText bounds the text of an attribute that is copied.
const maxAttributeText = 256

// attributes copies usage, output type, user and the free properties of OpenLLMetry.
func (s *recordState) attributes(e *entry) {
	for _, copied := range [...]struct{ name, at, older string }{
		{"output_type", "gen_ai.output.type", ""},
		{"input_tokens", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"},
		{"output_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"},
		{"user", "user.id", ""},
	} {
		if v := s.fields.at(copied.at, copied.older); v != nil {
			s.attribute(copied.name, v)
		}
	}
	for _, a := range e.attributes {
		name, ok := strings.CutPrefix(a.GetKey(), "traceloop.association.properties.")
		if ok && len(s.in.Attributes) < recordformat.MaxAttributes {
			s.attribute(name, a.GetValue())
		}
	}
}

func (s *recordState) attribute(name string, v *commonpb.AnyValue) {
	text, ok := textOf(v)
	if !ok || text == "" || len(text) > maxAttributeText {
		return
	}
	if s.in.Attributes == nil {
		s.in.Attributes = make(map[string]string)
	}
	if _, mapped := s.in.Attributes[name]; !mapped {
		s.in.Attributes[name] = text
	}
}
