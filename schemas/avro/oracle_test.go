package avro

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"confab/internal/recordformat"
	"confab/schemas"
)

// oracleSchema decodes interactions by goavro and by walking its maps: what DecodeInteraction is compared with.
type oracleSchema struct {
	root  *schemaType
	codec fieldCodec
}

func newOracle(t testing.TB, text string) *oracleSchema {
	t.Helper()
	root, err := parseSchema(text)
	if err != nil {
		return nil
	}
	codec, err := newCodec(root, interactionFields())
	if err != nil {
		return nil
	}
	return &oracleSchema{root: root, codec: codec}
}

func (o *oracleSchema) decode(body []byte) (map[string]any, error) {
	if len(body) > MaxBytes {
		return nil, &Error{Reason: ReasonTooLarge}
	}
	w := oracleChecker{data: body}
	w.value(o.root)
	if w.fault != "" {
		return nil, &Error{Reason: w.fault, detail: w.detail}
	}
	if w.pos != len(body) {
		return nil, &Error{Reason: ReasonTrailingBytes}
	}
	native, _, err := o.codec.goavro.NativeFromBinary(body)
	if err != nil && strings.Contains(err.Error(), "duplicate key") {
		return nil, &Error{Reason: ReasonDuplicateKey}
	}
	if err != nil {
		return nil, &Error{Reason: ReasonSyntax}
	}
	return native.(map[string]any), nil
}

// oracleField reads one field.
type oracleField struct {
	name string
	read func(r decodedRecord)
}

func (o *oracleSchema) decodeInteraction(body []byte, in *schemas.Interaction) error {
	in.Reset()
	values, err := o.decode(body)
	if err != nil {
		return err
	}
	in.UnknownFields = len(o.codec.plan.unknown)
	in.UnknownNames = append(in.UnknownNames, o.codec.plan.unknown[:min(in.UnknownFields, schemas.MaxUnknownNames)]...)
	for _, field := range oracleFields(in) {
		r := decodedRecord{values: values, plan: o.codec.plan, valueReader: &valueReader{}}
		field.read(r)
		if r.err == nil {
			continue
		}
		ofValue := slices.Contains([]string{ReasonWrongType, ReasonOutOfRange, ReasonBadLogprobs}, r.err.Reason)
		if !ofValue || slices.Contains([]string{"answer", "interaction_id", "tenant"}, field.name) {
			return r.err
		}
		in.Malformed = append(in.Malformed, field.name)
	}
	for _, field := range in.Malformed {
		in.ClearField(field)
	}
	return nil
}

func oracleFields(in *schemas.Interaction) []oracleField {
	text := func(name string, into *string) oracleField {
		return oracleField{name, func(r decodedRecord) { *into = r.str(name) }}
	}
	topK := 0
	return []oracleField{
		text("interaction_id", &in.ID), text("tenant", &in.Tenant), text("service", &in.Service), text("operation", &in.Operation),
		text("provider", &in.Provider), text("model", &in.Model),
		{"occurred_at", func(r decodedRecord) { in.OccurredAt = r.time("occurred_at") }},
		text("trace_id", &in.TraceID), text("span_id", &in.SpanID), text("conversation_id", &in.ConversationID),
		{"tags", func(r decodedRecord) { in.Tags = r.texts(in.Tags, "tags", recordformat.MaxTags) }},
		{"messages", func(r decodedRecord) { oracleMessages(r, in) }},
		{"answer", func(r decodedRecord) {
			if answer, ok := r.get("answer"); ok {
				in.Answer = r.text(answer)
			} else {
				r.fault(ReasonMissingAnswer, "")
			}
		}},
		text("finish_reason", &in.FinishReason),
		{"streamed", func(r decodedRecord) { in.Streamed = r.boolean("streamed") }},
		{"temperature", func(r decodedRecord) {
			if in.Temperature = r.float("temperature", schemas.UnknownTemperature); in.Temperature < 0 {
				in.Temperature = schemas.UnknownTemperature
			}
		}},
		{"sources", func(r decodedRecord) { oracleSources(r, in) }},
		text("response_schema", &in.ResponseSchema),
		{"attributes", func(r decodedRecord) { oracleAttributes(r, in) }},
		{"top_k", func(r decodedRecord) { topK = int(r.integer("top_k", 0, 0, recordformat.MaxTopK)) }},
		{"token_logprobs", func(r decodedRecord) { oracleLogprobs(r, &in.Logprobs, topK) }},
	}
}

func oracleMessages(r decodedRecord, in *schemas.Interaction) {
	r.list("messages", recordformat.MaxMessages, func(item decodedValue, _ bool) {
		if m, ok := r.record(item); ok {
			in.Messages = append(in.Messages, schemas.Message{Role: m.str("role"), Content: m.str("content")})
		}
	})
}

func oracleSources(r decodedRecord, in *schemas.Interaction) {
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

func oracleAttributes(r decodedRecord, in *schemas.Interaction) {
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

func oracleLogprobs(r decodedRecord, into *schemas.Logprobs, topK int) {
	v, ok := r.get("token_logprobs")
	if !ok {
		return
	}
	packed, ok := v.of.([]byte)
	if !ok || v.plan.kind == kindString {
		r.wrongType("bytes")
		return
	}
	if len(packed)%(4*(1+topK)) != 0 {
		r.fault(ReasonBadLogprobs, "")
		return
	}
	for at := 0; at < len(packed); at += 4 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(packed[at:]))
		into.Values = append(into.Values, recordformat.ClampLogprob(float64(f)))
	}
	if len(packed) > 0 {
		into.TopK = topK
	}
}

// refusal is what a refusal has for operators: its reason and its field.
type refusal struct{ reason, field string }

func refusalOf(err error) (r refusal) {
	if refused, ok := errors.AsType[*Error](err); ok {
		r = refusal{refused.Reason, refused.Field}
	}
	return r
}
