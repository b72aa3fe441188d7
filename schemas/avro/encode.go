package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confab/schemas"
)

// Errors of AppendInteraction and AppendFlag: what our readers would refuse.
var (
	ErrBadUTF8   = errors.New("a text is no UTF-8")
	ErrNotFinite = errors.New("a number is NaN or infinite")
	ErrBadTime   = errors.New("a time is outside the years 1 to 9999")
	ErrBadRows   = errors.New("log-probabilities that are no whole rows")
)

// AppendInteraction appends the Avro form of in under the published schema (schemas.InteractionAvro) to dst, without a
// frame. Equal interactions yield equal bytes. Decoding it yields in again, save for what is no part of the record:
// IDSource, Repaired, UnknownFields, Scratch, the places of tokens, and times below a millisecond. On an error dst is
// returned as it came.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	e := recordEncoder{b: dst}
	for _, s := range [...]string{in.ID, in.Tenant, in.Service, in.Operation, in.Provider, in.Model} {
		e.text(s)
	}
	e.time(in.OccurredAt)
	e.text(in.TraceID)
	e.text(in.SpanID)
	e.text(in.ConversationID)
	e.texts(in.Tags)
	e.count(len(in.Messages))
	for _, m := range in.Messages {
		e.text(m.Role)
		e.text(m.Content)
	}
	e.end()
	e.text(in.Answer)
	e.text(in.FinishReason)
	e.boolean(in.Streamed)
	if in.Temperature < 0 {
		e.double(schemas.UnknownTemperature)
	} else {
		e.double(in.Temperature)
	}
	e.count(len(in.Sources))
	for _, s := range in.Sources {
		e.text(s.ID)
		e.text(s.Text)
		e.text(s.URI)
		e.double(s.Score)
	}
	e.end()
	e.text(in.ResponseSchema)
	e.strings(in.Attributes)
	e.logprobs(&in.Logprobs)
	if e.err != nil {
		return dst, fmt.Errorf("encode interaction: %w", e.err)
	}
	return e.b, nil
}

// recordEncoder appends Avro; the first error sticks.
type recordEncoder struct {
	b          []byte
	repairUTF8 bool // texts that are no UTF-8 are mended instead of refused
	err        error
}

func (e *recordEncoder) fault(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *recordEncoder) long(v int64) { e.b = binary.AppendVarint(e.b, v) } // Go's varint is Avro's zigzag

func (e *recordEncoder) text(s string) {
	if !utf8.ValidString(s) {
		if !e.repairUTF8 {
			e.fault(ErrBadUTF8)
		}
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	e.long(int64(len(s)))
	e.b = append(e.b, s...)
}

func (e *recordEncoder) boolean(v bool) {
	var b byte
	if v {
		b = 1
	}
	e.b = append(e.b, b)
}

func (e *recordEncoder) double(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.fault(ErrNotFinite)
	}
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v))
}

func (e *recordEncoder) time(t time.Time) {
	if t.IsZero() {
		e.long(0)
		return
	}
	ms := t.UnixMilli()
	if ms < firstMillis || ms > lastMillis {
		e.fault(ErrBadTime)
	}
	e.long(ms)
}

// count begins a list of n items; end ends it.
func (e *recordEncoder) count(n int) {
	if n > 0 {
		e.long(int64(n))
	}
}

func (e *recordEncoder) end() { e.b = append(e.b, 0) }

func (e *recordEncoder) texts(list []string) {
	e.count(len(list))
	for _, s := range list {
		e.text(s)
	}
	e.end()
}

// strings writes a map, sorted. Of keys that mending makes equal, one stays: our readers refuse a key that comes twice.
func (e *recordEncoder) strings(m map[string]string) {
	if e.repairUTF8 {
		m = withValidKeys(m)
	}
	e.count(len(m))
	if len(m) > 0 {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			e.text(k)
			e.text(m[k])
		}
	}
	e.end()
}

// withValidKeys is m, or a copy where a key is no UTF-8.
func withValidKeys[V any](m map[string]V) map[string]V {
	bad := false
	for k := range m {
		bad = bad || !utf8.ValidString(k)
	}
	if !bad {
		return m
	}
	out := make(map[string]V, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out[strings.ToValidUTF8(k, string(utf8.RuneError))] = m[k]
	}
	return out
}

func (e *recordEncoder) logprobs(l *schemas.Logprobs) {
	if len(l.Values) == 0 {
		e.long(0)
		e.long(0)
		return
	}
	if l.TopK < 0 || l.TopK > MaxTopK || len(l.Values)%(1+l.TopK) != 0 {
		e.fault(ErrBadRows)
	}
	e.long(int64(l.TopK))
	e.long(int64(4 * len(l.Values)))
	for _, v := range l.Values {
		e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(v))
	}
}
