package encode

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// AppendInteraction appends the canonical JSON form of in to dst, without a line break: members in the order of the
// published schema, defaults omitted, attributes sorted. Decoding it yields in again, except IDSource, Repaired,
// UnknownFields, UnknownNames, Malformed and Scratch, which are not part of the record. Log probabilities are packed, unless their offsets in the
// answer are known, which only OpenAI's form can express. On an error dst is returned unchanged.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	e := interactionEncoder{recordformat.Buffer{Bytes: append(dst, '{')}}
	e.member("interaction_id", in.ID)
	e.member("tenant", in.Tenant)
	e.member("service", in.Service)
	e.member("operation", in.Operation)
	e.member("provider", in.Provider)
	e.member("model", in.Model)
	e.time("occurred_at", in.OccurredAt)
	e.member("trace_id", in.TraceID)
	e.member("span_id", in.SpanID)
	e.member("conversation_id", in.ConversationID)
	writeList(&e, "tags", in.Tags, func(t *string) { e.text(*t) })
	writeList(&e, "messages", in.Messages, e.message)
	e.name("answer")
	e.text(in.Answer)
	e.member("finish_reason", in.FinishReason)
	if in.Streamed {
		e.name("streamed")
		e.Bytes = append(e.Bytes, "true"...)
	}
	if !(in.Temperature < 0) { // NaN must fail
		e.name("temperature")
		e.float(in.Temperature)
	}
	writeList(&e, "sources", in.Sources, e.source)
	e.member("response_schema", in.ResponseSchema)
	e.attributes(in.Attributes)
	e.logprobs(&in.Logprobs, in.Answer)
	e.Bytes = append(e.Bytes, '}')
	return e.Result(dst, "interaction")
}

// interactionEncoder appends JSON.
type interactionEncoder struct{ recordformat.Buffer }

// comma separates the next value from an earlier sibling.
func (e *interactionEncoder) comma() {
	if last := e.Bytes[len(e.Bytes)-1]; last != '{' && last != '[' {
		e.Bytes = append(e.Bytes, ',')
	}
}

// name writes a member's name, which needs no escapes.
func (e *interactionEncoder) name(n string) {
	e.comma()
	e.Bytes = append(e.Bytes, '"')
	e.Bytes = append(e.Bytes, n...)
	e.Bytes = append(e.Bytes, '"', ':')
}

// member writes a string member, unless it is empty.
func (e *interactionEncoder) member(n, value string) {
	if value != "" {
		e.name(n)
		e.text(value)
	}
}

// text writes a string with the escapes that JSON requires and no others.
func (e *interactionEncoder) text(v string) {
	if !utf8.ValidString(v) {
		e.Fail(recordformat.ErrBadUTF8)
	}
	e.Bytes = append(e.Bytes, '"')
	from := 0
	for i := range len(v) {
		c := v[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		e.Bytes = append(e.Bytes, v[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			e.Bytes = append(e.Bytes, '\\', c)
		case '\n':
			e.Bytes = append(e.Bytes, '\\', 'n')
		case '\r':
			e.Bytes = append(e.Bytes, '\\', 'r')
		case '\t':
			e.Bytes = append(e.Bytes, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			e.Bytes = append(e.Bytes, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	e.Bytes = append(e.Bytes, v[from:]...)
	e.Bytes = append(e.Bytes, '"')
}

func (e *interactionEncoder) float(f float64) {
	if !recordformat.IsFinite(f) {
		e.Fail(recordformat.ErrNotFinite)
		return
	}
	e.Bytes = strconv.AppendFloat(e.Bytes, f, 'g', -1, 64)
}

func (e *interactionEncoder) time(n string, t time.Time) {
	if t.IsZero() {
		return
	}
	e.Millis(t)
	e.name(n)
	e.Bytes = append(e.Bytes, '"')
	e.Bytes = t.UTC().AppendFormat(e.Bytes, time.RFC3339Nano)
	e.Bytes = append(e.Bytes, '"')
}

// writeList writes a member with a list, unless it is empty.
func writeList[T any](e *interactionEncoder, n string, items []T, write func(*T)) {
	if len(items) == 0 {
		return
	}
	e.name(n)
	e.Bytes = append(e.Bytes, '[')
	for i := range items {
		e.comma()
		write(&items[i])
	}
	e.Bytes = append(e.Bytes, ']')
}

func (e *interactionEncoder) message(m *schemas.Message) {
	e.Bytes = append(e.Bytes, '{')
	e.member("role", m.Role)
	e.member("content", m.Content)
	e.Bytes = append(e.Bytes, '}')
}

func (e *interactionEncoder) source(s *schemas.Source) {
	e.Bytes = append(e.Bytes, '{')
	e.member("id", s.ID)
	e.member("text", s.Text)
	e.member("uri", s.URI)
	e.member("title", s.Title)
	if s.Score != 0 {
		e.name("score")
		e.float(s.Score)
	}
	e.Bytes = append(e.Bytes, '}')
}

func (e *interactionEncoder) attributes(m map[string]string) {
	if len(m) == 0 {
		return
	}
	e.name("attributes")
	e.Bytes = append(e.Bytes, '{')
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.comma()
		e.text(k)
		e.Bytes = append(e.Bytes, ':')
		e.text(m[k])
	}
	e.Bytes = append(e.Bytes, '}')
}

func (e *interactionEncoder) logprobs(l *schemas.Logprobs, answer string) {
	switch {
	case len(l.Values) == 0 || !e.CheckRows(l):
	case len(l.Offsets) > 0:
		e.tokens(l, answer)
	default:
		e.name("top_k")
		e.Bytes = strconv.AppendInt(e.Bytes, int64(l.TopK), 10)
		e.name("token_logprobs")
		packed := make([]byte, 0, 4*len(l.Values))
		for _, v := range l.Values {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
		}
		e.Bytes = append(e.Bytes, '"')
		e.Bytes = base64.StdEncoding.AppendEncode(e.Bytes, packed)
		e.Bytes = append(e.Bytes, '"')
	}
}
