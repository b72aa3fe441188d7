package avro

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas"
)

// Numbers of the fields of an interaction.
const (
	fieldID int8 = iota
	fieldTenant
	fieldService
	fieldOperation
	fieldProvider
	fieldModel
	fieldOccurredAt
	fieldTraceID
	fieldSpanID
	fieldConversationID
	fieldTags
	fieldMessages
	fieldAnswer
	fieldFinishReason
	fieldStreamed
	fieldTemperature
	fieldSources
	fieldResponseSchema
	fieldAttributes
	fieldTopK
	fieldTokenLogprobs

	fieldCount
)

func interactionNumbers() fieldNumbers {
	return fieldNumbers{
		"interaction_id", "tenant", "service", "operation", "provider", "model", "occurred_at", "trace_id", "span_id",
		"conversation_id", "tags", schemas.FieldMessages, "answer", "finish_reason", "streamed", schemas.FieldTemperature,
		schemas.FieldSources, "response_schema", "attributes", schemas.FieldTopK, schemas.FieldTokenLogprobs,
	}
}

// Numbers of the fields of a message and of a source. An error in a lower one takes precedence.
const (
	fieldRole int8 = iota
	fieldContent
)

const (
	fieldSourceID int8 = iota
	fieldText
	fieldURI
	fieldScore
	fieldTitle
)

// nestedNumbers numbers the fields of the records in a field.
func nestedNumbers(field string) fieldNumbers {
	switch field {
	case schemas.FieldMessages:
		return fieldNumbers{"role", "content"}
	case schemas.FieldSources:
		return fieldNumbers{"id", "text", "uri", "score", "title"}
	}
	return nil
}

// DecodeInteraction resets in and fills it from body, which was written with s. Strings of in point into body: they are
// valid until body changes or in is decoded into again. An interaction without an id keeps ID empty: the caller names it
// after its coordinates. Tenant is the untrusted value of the record. An optional field whose value is malformed stays
// empty and is named in Malformed.
//
// The error is an *Error, after which the content of in is unspecified.
func (s *Schema) DecodeInteraction(body []byte, in *schemas.Interaction) error {
	in.Reset()
	r := interactionReader{valueChecker: valueChecker{data: body}, in: in}
	if err := r.whole(&s.interaction, &r.places); err != nil {
		return err
	}
	r.cost = math.MinInt // the lists are charged
	in.UnknownFields = len(s.unknown)
	in.UnknownNames = append(in.UnknownNames, s.unknown[:min(in.UnknownFields, schemas.MaxUnknownNames)]...)
	r.labels()
	r.list(fieldTags, recordformat.MaxTags)
	r.list(fieldMessages, recordformat.MaxMessages)
	if c, ok := r.get(fieldAnswer); ok {
		in.Answer = r.str(c)
	} else {
		r.refuse(ReasonMissingAnswer, "the field answer must hold a string")
	}
	in.FinishReason = r.strField(fieldFinishReason)
	in.Streamed = r.boolean(fieldStreamed)
	r.temperature()
	r.list(fieldSources, recordformat.MaxSources)
	in.ResponseSchema = r.strField(fieldResponseSchema)
	r.attributes()
	r.logprobs(r.topK())
	r.settle()
	if r.err != nil {
		return r.err
	}
	for _, field := range in.Malformed { // it may have been read in part
		in.ClearField(field)
	}
	return nil
}

// labels reads the fields that say where the interaction comes from.
func (r *interactionReader) labels() {
	in := r.in
	in.ID = r.strField(fieldID)
	in.Tenant = r.strField(fieldTenant)
	in.Service = r.strField(fieldService)
	in.Operation = r.strField(fieldOperation)
	in.Provider = r.strField(fieldProvider)
	in.Model = r.strField(fieldModel)
	in.OccurredAt = r.time(fieldOccurredAt)
	in.TraceID = r.strField(fieldTraceID)
	in.SpanID = r.strField(fieldSpanID)
	in.ConversationID = r.strField(fieldConversationID)
}

func (r *interactionReader) temperature() {
	if c, ok := r.get(fieldTemperature); ok {
		if v := r.number(c); v >= 0 {
			r.in.Temperature = v
		}
	}
}

func (r *interactionReader) tag(c *compiledType, ok bool) {
	if !ok {
		r.refuse(ReasonWrongType, "expected an array of strings")
		return
	}
	r.in.Tags = append(r.in.Tags, r.str(c))
}

func (r *interactionReader) message(c *compiledType, ok bool) {
	var m schemas.Message
	r.record(c, ok, func(field int8, c *compiledType) {
		switch field {
		case fieldRole:
			m.Role = r.str(c)
		case fieldContent:
			m.Content = r.str(c)
		}
	})
	r.in.Messages = append(r.in.Messages, m)
}

// source reads a record or a text.
func (r *interactionReader) source(c *compiledType, ok bool) {
	var s schemas.Source
	if ok && c.code == codeString {
		s.Text = r.str(c)
	} else {
		r.record(c, ok, func(field int8, c *compiledType) {
			switch field {
			case fieldSourceID:
				s.ID = r.str(c)
			case fieldText:
				s.Text = r.str(c)
			case fieldURI:
				s.URI = r.str(c)
			case fieldScore:
				s.Score = r.number(c)
			case fieldTitle:
				s.Title = r.str(c)
			}
		})
	}
	r.in.Sources = append(r.in.Sources, s)
}

// record reads the known fields of a nested record with each, which consumes the value. Of several errors the one of the
// lowest field is kept.
func (r *interactionReader) record(c *compiledType, ok bool, each func(field int8, c *compiledType)) {
	if !ok || c.code != codeRecord {
		r.refuse(ReasonWrongType, "expected a record")
		if ok {
			r.value(c)
		}
		return
	}
	var first *Error
	lowest := int8(math.MaxInt8)
	for i := range c.parts {
		field, part := c.targets[i], &c.parts[i]
		if field == noField {
			r.value(part)
		} else if part, ok = r.branch(part); ok {
			if each(field, part); r.err != nil && field < lowest {
				first, lowest = r.err, field
			}
			r.err = nil
		}
	}
	r.err = first
}

// attribute reads a value of attributes. Numbers and booleans become text as in JSON.
func (r *interactionReader) attribute(key string, c *compiledType) {
	var text string
	switch c.code {
	case codeBoolean:
		text = strconv.FormatBool(r.view(1)[0] == 1)
	case codeInt, codeLong:
		text = strconv.FormatInt(r.long(), 10)
	case codeFloat:
		text = strconv.FormatFloat(r.number(c), 'g', -1, 32)
	case codeDouble:
		text = strconv.FormatFloat(r.number(c), 'g', -1, 64)
	default:
		text = r.str(c)
	}
	if r.in.Attributes == nil {
		r.in.Attributes = make(map[string]string)
	}
	r.in.Attributes[key] = text
}

func (r *interactionReader) topK() int {
	c, ok := r.get(fieldTopK)
	if !ok {
		return 0
	}
	n, ok := r.integer(c, "an int or a long")
	if ok && (n < 0 || n > recordformat.MaxTopK) {
		r.refuse(ReasonOutOfRange, "expected a number within the field's bounds")
		return 0
	}
	return int(n)
}

// logprobs unpacks little-endian float32 in rows of 1 + topK.
func (r *interactionReader) logprobs(topK int) {
	c, ok := r.get(fieldTokenLogprobs)
	if !ok {
		return
	}
	size := 0
	switch c.code {
	case codeBytes:
		size = r.length()
	case codeFixed:
		size = c.width
	default:
		r.wrongType(c, "bytes: packed float32, not base64 and not an array")
		return
	}
	if size%(4*(1+topK)) != 0 {
		r.refuse(ReasonBadLogprobs, "expected float32 in rows of 1 + top_k")
		return
	}
	into := &r.in.Logprobs
	values, packed := slices.Grow(into.Values, size/4)[:size/4], r.view(size)
	for i := range values {
		f := math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i : 4*i+4]))
		values[i] = recordformat.ClampLogprob(float64(f))
	}
	into.Values = values
	if size > 0 {
		into.TopK = topK
	}
}
