package json

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"confab/schemas"
)

// Errors of AppendInteraction: what JSON cannot say.
var (
	ErrBadUTF8   = errors.New("a text is no UTF-8")
	ErrNotFinite = errors.New("a number is NaN or infinite")
	ErrBadTime   = errors.New("a time is outside the years 1 to 9999")
	ErrBadRows   = errors.New("log-probabilities that are no whole rows, or offsets that do not fit the answer")
)

// AppendInteraction appends the canonical JSON form of in to dst, without a line break: members in the order of the
// published schema, those at their defaults left out, attributes sorted. Decoding it yields in again, save for what
// is no part of the record: IDSource, Repaired, UnknownFields, Scratch. Log-probabilities are packed, unless their
// places in the answer are known, which only the OpenAI shape can carry. On an error dst is returned as it came.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	e := interactionEncoder{b: append(dst, '{')}
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
	e.tags(in.Tags)
	e.messages(in.Messages)
	e.name("answer")
	e.text(in.Answer)
	e.member("finish_reason", in.FinishReason)
	if in.Streamed {
		e.name("streamed")
		e.b = append(e.b, "true"...)
	}
	if !(in.Temperature < 0) { // NaN goes on to be refused
		e.name("temperature")
		e.float(in.Temperature)
	}
	e.sources(in.Sources)
	e.member("response_schema", in.ResponseSchema)
	e.attributes(in.Attributes)
	e.logprobs(&in.Logprobs, in.Answer)
	e.b = append(e.b, '}')
	if e.err != nil {
		return dst, fmt.Errorf("encode interaction: %w", e.err)
	}
	return e.b, nil
}

// interactionEncoder appends JSON; the first error sticks.
type interactionEncoder struct {
	b   []byte
	err error
}

func (e *interactionEncoder) fault(err error) {
	if e.err == nil {
		e.err = err
	}
}

// comma separates what comes next from an earlier sibling.
func (e *interactionEncoder) comma() {
	if last := e.b[len(e.b)-1]; last != '{' && last != '[' {
		e.b = append(e.b, ',')
	}
}

// name writes the name of the next member; it needs no escapes.
func (e *interactionEncoder) name(n string) {
	e.comma()
	e.b = append(e.b, '"')
	e.b = append(e.b, n...)
	e.b = append(e.b, '"', ':')
}

// member writes a member, unless it is empty.
func (e *interactionEncoder) member(n, value string) {
	if value != "" {
		e.name(n)
		e.text(value)
	}
}

// text writes a string with the escapes that JSON demands and no others.
func (e *interactionEncoder) text(v string) {
	if !utf8.ValidString(v) {
		e.fault(ErrBadUTF8)
	}
	e.b = append(e.b, '"')
	from := 0
	for i := range len(v) {
		c := v[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		e.b = append(e.b, v[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			e.b = append(e.b, '\\', c)
		case '\n':
			e.b = append(e.b, '\\', 'n')
		case '\r':
			e.b = append(e.b, '\\', 'r')
		case '\t':
			e.b = append(e.b, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			e.b = append(e.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	e.b = append(e.b, v[from:]...)
	e.b = append(e.b, '"')
}

func (e *interactionEncoder) float(f float64) {
	if !finite(f) {
		e.fault(ErrNotFinite)
		return
	}
	e.b = strconv.AppendFloat(e.b, f, 'g', -1, 64)
}

func (e *interactionEncoder) time(n string, t time.Time) {
	if t.IsZero() {
		return
	}
	if ms := t.UnixMilli(); ms < firstMillis || ms > lastMillis {
		e.fault(ErrBadTime)
		return
	}
	e.name(n)
	e.b = append(e.b, '"')
	e.b = t.UTC().AppendFormat(e.b, time.RFC3339Nano)
	e.b = append(e.b, '"')
}

func (e *interactionEncoder) tags(tags []string) {
	if len(tags) == 0 {
		return
	}
	e.name("tags")
	e.b = append(e.b, '[')
	for _, t := range tags {
		e.comma()
		e.text(t)
	}
	e.b = append(e.b, ']')
}

func (e *interactionEncoder) messages(messages []schemas.Message) {
	if len(messages) == 0 {
		return
	}
	e.name("messages")
	e.b = append(e.b, '[')
	for _, m := range messages {
		e.comma()
		e.b = append(e.b, '{')
		e.member("role", m.Role)
		e.member("content", m.Content)
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
}

func (e *interactionEncoder) sources(sources []schemas.Source) {
	if len(sources) == 0 {
		return
	}
	e.name("sources")
	e.b = append(e.b, '[')
	for _, s := range sources {
		e.comma()
		e.b = append(e.b, '{')
		e.member("id", s.ID)
		e.member("text", s.Text)
		e.member("uri", s.URI)
		if s.Score != 0 {
			e.name("score")
			e.float(s.Score)
		}
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
}

func (e *interactionEncoder) attributes(m map[string]string) {
	if len(m) == 0 {
		return
	}
	e.name("attributes")
	e.b = append(e.b, '{')
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.comma()
		e.text(k)
		e.b = append(e.b, ':')
		e.text(m[k])
	}
	e.b = append(e.b, '}')
}

func (e *interactionEncoder) logprobs(l *schemas.Logprobs, answer string) {
	switch {
	case len(l.Values) == 0:
	case l.TopK < 0 || l.TopK > MaxTopK || len(l.Values)%(1+l.TopK) != 0:
		e.fault(ErrBadRows)
	case len(l.Offsets) > 0:
		e.tokens(l, answer)
	default:
		e.name("top_k")
		e.b = strconv.AppendInt(e.b, int64(l.TopK), 10)
		e.name("token_logprobs")
		packed := make([]byte, 0, 4*len(l.Values))
		for _, v := range l.Values {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
		}
		e.b = append(e.b, '"')
		e.b = base64.StdEncoding.AppendEncode(e.b, packed)
		e.b = append(e.b, '"')
	}
}
