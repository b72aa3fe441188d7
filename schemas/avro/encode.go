package avro

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// AppendInteraction appends the Avro form of in under the published schema (schemas.InteractionAvro) to dst, without a
// frame. Equal interactions yield equal bytes. Decoding it yields in again, except what is not part of the record:
// IDSource, Repaired, UnknownFields, Scratch, the offsets of tokens, and times below a millisecond. On an error dst is
// returned unchanged.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	e := recordEncoder{Buffer: recordformat.Buffer{Bytes: dst}}
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
		e.text(s.Title)
	}
	e.end()
	e.text(in.ResponseSchema)
	writeMap(&e, in.Attributes, e.text)
	e.logprobs(&in.Logprobs)
	return e.Result(dst, "interaction")
}

// recordEncoder appends Avro.
type recordEncoder struct {
	recordformat.Buffer
	repairUTF8 bool // replace bytes that are not UTF-8 instead of failing
}

func (e *recordEncoder) long(v int64) { e.Bytes = binary.AppendVarint(e.Bytes, v) } // Go's varint is Avro's zigzag

func (e *recordEncoder) text(s string) {
	if !utf8.ValidString(s) {
		if !e.repairUTF8 {
			e.Fail(recordformat.ErrBadUTF8)
		}
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	e.long(int64(len(s)))
	e.Bytes = append(e.Bytes, s...)
}

func (e *recordEncoder) boolean(v bool) {
	var b byte
	if v {
		b = 1
	}
	e.Bytes = append(e.Bytes, b)
}

func (e *recordEncoder) double(v float64) {
	if !recordformat.IsFinite(v) {
		e.Fail(recordformat.ErrNotFinite)
	}
	e.Bytes = binary.LittleEndian.AppendUint64(e.Bytes, math.Float64bits(v))
}

func (e *recordEncoder) time(t time.Time) {
	if t.IsZero() {
		e.long(0)
		return
	}
	e.long(e.Millis(t))
}

// count starts a list of n items; end ends it.
func (e *recordEncoder) count(n int) {
	if n > 0 {
		e.long(int64(n))
	}
}

func (e *recordEncoder) end() { e.Bytes = append(e.Bytes, 0) }

func (e *recordEncoder) texts(list []string) {
	e.count(len(list))
	for _, s := range list {
		e.text(s)
	}
	e.end()
}

// writeMap writes a map sorted by key. Of keys that a repair makes equal, one stays: readers refuse duplicate keys.
func writeMap[V any](e *recordEncoder, m map[string]V, write func(V)) {
	if e.repairUTF8 {
		m = withValidKeys(m)
	}
	e.count(len(m))
	if len(m) > 0 {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			e.text(k)
			write(m[k])
		}
	}
	e.end()
}

// withValidKeys returns m, or a copy when a key is not UTF-8.
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
	e.CheckRows(l)
	e.long(int64(l.TopK))
	e.long(int64(4 * len(l.Values)))
	for _, v := range l.Values {
		e.Bytes = binary.LittleEndian.AppendUint32(e.Bytes, math.Float32bits(v))
	}
}
