package otlp

import (
	"encoding/hex"
	"slices"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/otlp/conventions"
	"confab/schemas/otlp/wire"
)

// fill reads the entry into the interaction, but for its sources.
func (s *recordState) fill(e *wire.Entry) {
	in := s.in
	s.identity(e)
	in.Service = s.serviceName(e)
	in.Provider = s.text("provider", conventions.GAProvider, conventions.GASystem, conventions.OIProvider, conventions.OISystem)
	in.Model = s.text(schemas.FieldModel, conventions.GAResponseModel, conventions.GARequestModel, conventions.OIResponseModel, conventions.OIRequestModel, conventions.OIModel, conventions.PostModel)
	in.ConversationID = s.text("conversation_id", conventions.GAConversation, conventions.OISession)
	in.FinishReason = s.finishReason()
	s.parameters()
	s.prompt(e)
	s.answer(e)
	s.logprobs()
	s.tags()
	s.attributes(e)
	s.d.fillExtra(s, e)
}

// identity sets the ids and the time.
func (s *recordState) identity(e *wire.Entry) {
	in := s.in
	in.TraceID, in.SpanID = s.hex(e.Trace[:]), s.hex(e.Span[:])
	if e.BadIDs {
		s.malformed("trace_id")
	}
	if in.ID = s.text("interaction_id", conventions.GAResponseID); in.ID == "" && in.TraceID != "" && in.SpanID != "" {
		begin := len(in.Scratch)
		in.Scratch = append(append(append(in.Scratch, in.TraceID...), '-'), in.SpanID...)
		in.ID = recordformat.StringView(in.Scratch[begin:])
	}
	if ms := int64(e.End / 1e6); ms > recordformat.MaxMillis {
		s.malformed("occurred_at")
	} else if ms > 0 {
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

func (s *recordState) serviceName(e *wire.Entry) string {
	list := s.batch.Resources[e.Resource].Attributes
	for i := range list {
		if list[i].Key == "service.name" {
			text, _ := list[i].Value.Text(&s.in.Scratch)
			return text
		}
	}
	return ""
}

// text reads the first of the slots that holds a text. A value that is none makes the field malformed.
func (s *recordState) text(field string, from ...conventions.Slot) string {
	for _, at := range from {
		v := s.fields.At(at)
		if v == nil {
			continue
		}
		text, ok := v.Text(&s.in.Scratch)
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
	if !slices.Contains(s.in.Malformed, field) && slices.Contains(schemas.OptionalFields(), field) {
		s.in.Malformed = append(s.in.Malformed, field)
	}
}

// finishReason reads the reason of the first choice.
func (s *recordState) finishReason() string {
	if v := s.fields.At(conventions.GAFinishReasons); v != nil {
		raw, ok := s.json(v)
		if list := memberOf(raw, "0"); ok && len(list) > 0 {
			return s.stringOf(list)
		} else if ok && len(raw) > 0 && raw[0] != '[' {
			return recordformat.StringView(raw)
		}
	}
	return s.text(schemas.FieldFinishReason, conventions.GAFinishReason, conventions.OIFinish)
}

// parameters reads the request's parameters.
func (s *recordState) parameters() {
	in := s.in
	if v := s.fields.At(conventions.GATemperature); v != nil {
		s.temperature(v.Number())
	}
	in.ResponseSchema = s.text(schemas.FieldResponseSchema, conventions.GASchema)
	if v := s.fields.At(conventions.TLStreaming); v != nil {
		in.Streamed = v.Truth()
	}
	if v := s.fields.At(conventions.OIParameters); v != nil {
		if raw, ok := s.json(v); ok && len(raw) > 0 && raw[0] == '{' {
			s.invocation(raw)
		}
	}
}

// invocation reads the parameters of a call in JSON, where the span has no attributes for them.
func (s *recordState) invocation(raw []byte) {
	in := s.in
	if t := memberOf(raw, "temperature"); len(t) > 0 && in.Temperature == schemas.UnknownTemperature && string(t) != "null" {
		s.temperature(numberOf(t))
	}
	if schema := memberOf(raw, "response_format", "json_schema", "schema"); len(schema) > 0 && schema[0] == '{' && in.ResponseSchema == "" {
		in.ResponseSchema = recordformat.StringView(schema)
	}
	in.Streamed = in.Streamed || string(memberOf(raw, "stream")) == "true"
}

func (s *recordState) temperature(value float64, ok bool) {
	switch {
	case !ok:
		s.malformed(schemas.FieldTemperature)
	case value >= 0:
		s.in.Temperature = value
	}
}

func (s *recordState) tags() {
	if v := s.fields.At(conventions.OITags); v != nil {
		if raw, ok := s.json(v); !ok || s.d.fields.DecodeField("tags", raw, s.in) != nil {
			s.malformed("tags")
		}
	}
}

// maxAttributeText bounds the text of an attribute that is copied.
const maxAttributeText = 256

// attributes copies usage, output type, user and the free properties of OpenLLMetry.
func (s *recordState) attributes(e *wire.Entry) {
	for _, a := range [...]struct {
		at   conventions.Slot
		name string
	}{{conventions.GAOutputType, "output_type"}, {conventions.GAInputTokens, "input_tokens"}, {conventions.GAOutputTokens, "output_tokens"}, {conventions.OIUser, "user"}} {
		if v := s.fields.At(a.at); v != nil {
			s.attribute(a.name, v)
		}
	}
	for i := range e.Attributes {
		if name, ok := cutAssociation(e.Attributes[i].Key); ok && len(s.in.Attributes) < recordformat.MaxAttributes {
			s.attribute(name, &e.Attributes[i].Value)
		}
	}
}

func (s *recordState) attribute(name string, v *wire.Value) {
	text, ok := v.Text(&s.in.Scratch)
	if !ok || text == "" || len(text) > maxAttributeText || !utf8.ValidString(name) {
		return
	}
	if s.in.Attributes == nil {
		s.in.Attributes = make(map[string]string)
	}
	s.in.Attributes[name] = text
}
