package avro

import (
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas"
)

// DecodeInteraction resets in and fills it from body, which was written with s. Strings of in point into body: they are
// valid until body changes or in is decoded into again. An interaction without an id keeps ID empty: the caller names it
// after its coordinates. Tenant is the untrusted value of the record. An optional field whose value is malformed stays
// empty and is named in Malformed.
//
// The error is an *Error, after which the content of in is unspecified.
func (s *Schema) DecodeInteraction(body []byte, in *schemas.Interaction) error {
	in.Reset()
	rec, err := s.decode(s.interaction, body)
	if err != nil {
		return err
	}
	rec.tolerant = true
	in.UnknownFields = len(rec.plan.unknown)
	in.UnknownNames = append(in.UnknownNames, rec.plan.unknown[:min(in.UnknownFields, schemas.MaxUnknownNames)]...)
	in.ID = rec.str("interaction_id")
	in.Tenant = rec.str("tenant")
	in.Service = rec.str("service")
	in.Operation = rec.str("operation")
	in.Provider = rec.str("provider")
	in.Model = rec.str("model")
	in.OccurredAt = rec.time("occurred_at")
	in.TraceID = rec.str("trace_id")
	in.SpanID = rec.str("span_id")
	in.ConversationID = rec.str("conversation_id")
	in.Tags = rec.texts(in.Tags, "tags", recordformat.MaxTags)
	rec.messages(in)
	if answer, ok := rec.get("answer"); ok {
		in.Answer = rec.text(answer)
	} else {
		rec.fault(ReasonMissingAnswer, "the field answer must hold a string")
	}
	in.FinishReason = rec.str("finish_reason")
	in.Streamed = rec.boolean("streamed")
	if in.Temperature = rec.float("temperature", schemas.UnknownTemperature); in.Temperature < 0 {
		in.Temperature = schemas.UnknownTemperature
	}
	rec.sources(in)
	in.ResponseSchema = rec.str("response_schema")
	rec.attributes(in)
	rec.logprobs(&in.Logprobs, int(rec.integer("top_k", 0, 0, recordformat.MaxTopK)))
	rec.settle()
	if rec.err != nil {
		return rec.err
	}
	dropMalformed(in, rec.malformed)
	return nil
}

// dropMalformed empties the malformed fields, which may have been read in part.
func dropMalformed(in *schemas.Interaction, fields []string) {
	for _, field := range fields {
		in.ClearField(field)
		in.Malformed = append(in.Malformed, field)
	}
}

func (r decodedRecord) messages(in *schemas.Interaction) {
	r.list("messages", recordformat.MaxMessages, func(item decodedValue, _ bool) {
		if m, ok := r.record(item); ok {
			in.Messages = append(in.Messages, schemas.Message{Role: m.str("role"), Content: m.str("content")})
		}
	})
}

// sources reads records or texts.
func (r decodedRecord) sources(in *schemas.Interaction) {
	r.list("sources", recordformat.MaxSources, func(item decodedValue, ok bool) {
		if ok && item.plan.kind == kindString {
			in.Sources = append(in.Sources, schemas.Source{Text: r.text(item)})
		} else if s, ok := r.record(item); ok {
			in.Sources = append(in.Sources, schemas.Source{
				ID: s.str("id"), Text: s.str("text"), URI: s.str("uri"), Score: s.float("score", 0), Title: s.str("title"),
			})
		}
	})
}

// attributes reads a map. Numbers and booleans become text as in JSON.
func (r decodedRecord) attributes(in *schemas.Interaction) {
	r.dict("attributes", recordformat.MaxAttributes, func(key string, v decodedValue) {
		if in.Attributes == nil {
			in.Attributes = make(map[string]string)
		}
		switch n := v.of.(type) {
		case bool:
			in.Attributes[key] = strconv.FormatBool(n)
		case int32, int64:
			i, _ := asInt64(n)
			in.Attributes[key] = strconv.FormatInt(i, 10)
		case float32:
			in.Attributes[key] = strconv.FormatFloat(r.number(v), 'g', -1, 32)
		case float64:
			in.Attributes[key] = strconv.FormatFloat(r.number(v), 'g', -1, 64)
		default:
			in.Attributes[key] = r.text(v)
		}
	})
}
