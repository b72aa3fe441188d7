package avro

import (
	"encoding/binary"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// published are the schemas that records are written with.
//
//nolint:gochecknoglobals // read-only, parsed once
var published = sync.OnceValues(func() (interaction, flag *Schema) {
	interaction, _ = NewSchema(schemas.InteractionAvro()) // a test loads both
	flag, _ = NewSchema(schemas.FlagAvro())
	return interaction, flag
})

// AppendInteraction appends the Avro form of in under the published schema (schemas.InteractionAvro) to dst, without a
// frame. Equal interactions yield equal bytes. Decoding it yields in again, except what is not part of the record:
// IDSource, Repaired, UnknownFields, Scratch, the offsets of tokens, and times below a millisecond. On an error dst is
// returned unchanged.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	s, _ := published()
	e := recordEncoder{Buffer: recordformat.Buffer{Bytes: dst}}
	plain := *in
	if plain.Temperature < 0 {
		plain.Temperature = schemas.UnknownTemperature
	}
	e.value(reflect.ValueOf(&plain).Elem(), s.interaction)
	packed := packedLogprobs{}
	if len(in.Logprobs.Values) > 0 && e.CheckRows(&in.Logprobs) {
		packed = packedLogprobs{in.Logprobs.TopK, make([]byte, 0, 4*len(in.Logprobs.Values))}
		for _, v := range in.Logprobs.Values {
			packed.Values = binary.LittleEndian.AppendUint32(packed.Values, math.Float32bits(v))
		}
	}
	e.value(reflect.ValueOf(&packed).Elem(), s.logprobs) // the last fields of the record
	return e.Result(dst, "interaction")
}

// AppendFlag appends the Avro form of f under the published schema (schemas.FlagAvro) to dst, without a frame. Equal
// flags yield equal bytes. Numbers are made finite as recordformat.FiniteFlag describes, and bytes that are not UTF-8
// become U+FFFD. It fails only on a time outside the years 1 to 9999; dst is then returned unchanged.
func AppendFlag(dst []byte, flag *schemas.Flag) ([]byte, error) {
	_, s := published()
	f := recordformat.FiniteFlag(flag)
	e := recordEncoder{Buffer: recordformat.Buffer{Bytes: dst}, repairUTF8: true}
	e.value(reflect.ValueOf(&f).Elem(), s.flag)
	return e.Result(dst, "flag")
}

// recordEncoder appends Avro. goavro would write the entries of a map in any order.
type recordEncoder struct {
	recordformat.Buffer
	repairUTF8 bool // replace bytes that are not UTF-8 instead of failing
}

// value appends v as the published type t.
func (e *recordEncoder) value(v reflect.Value, t *target) {
	switch t.typ.kind {
	case kindRecord:
		for i := range t.fields {
			e.value(v.Field(t.fields[i].index), t.fields[i].target)
		}
	case kindUnion: // of null and another
		if v.IsNil() {
			e.long(0)
			return
		}
		e.long(1)
		e.value(v.Elem(), t.choices[t.typ.parts[1].name])
	case kindArray:
		for i := range e.count(v.Len()) {
			e.value(v.Index(i), t.item)
		}
		e.end()
	case kindMap:
		e.dict(v, t.item)
	case kindString:
		e.text(e.valid(v.String()))
	case kindBytes:
		e.text(recordformat.StringView(v.Bytes()))
	default:
		e.number(v, t.typ.kind)
	}
}

func (e *recordEncoder) number(v reflect.Value, kind typeKind) {
	switch {
	case kind == kindBoolean:
		e.Bytes = append(e.Bytes, 0)
		if v.Bool() {
			e.Bytes[len(e.Bytes)-1] = 1
		}
	case kind == kindDouble:
		if !recordformat.IsFinite(v.Float()) {
			e.Fail(recordformat.ErrNotFinite)
		}
		e.Bytes = binary.LittleEndian.AppendUint64(e.Bytes, math.Float64bits(v.Float()))
	case kind == kindInt: // larger values, which no answer is long enough for, are limited
		e.long(min(max(v.Int(), math.MinInt32), math.MaxInt32))
	case v.CanInt():
		e.long(v.Int())
	default:
		if at, _ := reflect.TypeAssert[time.Time](v); at.IsZero() {
			e.long(0)
		} else {
			e.long(e.Millis(at))
		}
	}
}

func (e *recordEncoder) long(v int64) { e.Bytes = binary.AppendVarint(e.Bytes, v) } // Go's varint is Avro's zigzag

func (e *recordEncoder) text(s string) {
	e.long(int64(len(s)))
	e.Bytes = append(e.Bytes, s...)
}

// valid returns s, whose bytes must be UTF-8 or are repaired.
func (e *recordEncoder) valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	if !e.repairUTF8 {
		e.Fail(recordformat.ErrBadUTF8)
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}

// count starts a list of n items; end ends it.
func (e *recordEncoder) count(n int) int {
	if n > 0 {
		e.long(int64(n))
	}
	return n
}

func (e *recordEncoder) end() { e.Bytes = append(e.Bytes, 0) }

// dict writes a map sorted by key. Of keys that a repair makes equal, one stays: readers refuse duplicate keys.
func (e *recordEncoder) dict(m reflect.Value, item *target) {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	valid := make(map[string]reflect.Value, len(keys))
	for _, key := range keys {
		valid[e.valid(key.String())] = m.MapIndex(key)
	}
	e.count(len(valid))
	for _, key := range slices.Sorted(maps.Keys(valid)) {
		e.text(key)
		e.value(valid[key], item)
	}
	e.end()
}
