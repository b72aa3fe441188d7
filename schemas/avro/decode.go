package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// DecodeInteraction resets in and fills it from body, which was written with s. Strings of in may point into body: they are
// valid until body changes or in is decoded into again. An interaction without an id keeps ID empty: the caller names it
// after its coordinates. Tenant is the untrusted value of the record. Optional values that are malformed stay empty and are
// named in Malformed.
//
// The error is a *scan.Error, after which the content of in is unspecified.
func (s *Schema) DecodeInteraction(body []byte, in *schemas.Interaction) error {
	in.Reset()
	native, err := s.native(body)
	if err != nil {
		return err
	}
	r := valueReader{in: in}
	in.UnknownFields = len(s.unknown)
	in.UnknownNames = append(in.UnknownNames, s.unknown[:min(in.UnknownFields, schemas.MaxUnknownNames)]...)
	if err := r.record(reflect.ValueOf(in).Elem(), native, s.interaction); err != nil {
		return err
	}
	if !r.answered {
		return &scan.Error{Reason: scan.ReasonMissingAnswer, Field: fieldAnswer, Detail: "the field answer must hold a string"}
	}
	if in.Temperature < 0 {
		in.Temperature = schemas.UnknownTemperature
	}
	var packed packedLogprobs
	r.field = ""
	if err := r.record(reflect.ValueOf(&packed).Elem(), native, s.logprobs); err != nil {
		return err
	}
	r.logprobs(packed)
	return nil
}

// DecodeFlag overwrites f with the flag in body, which was written with s. Strings of f may point into body. Empty lists
// are as in schemas/json: Signals and Fired are empty, others nil. The error is a *scan.Error.
func DecodeFlag(s *Schema, body []byte, f *schemas.Flag) error {
	*f = schemas.Flag{Signals: []schemas.Signal{}, Fired: []string{}}
	native, err := s.native(body)
	if err != nil {
		return err
	}
	if err := new(valueReader).record(reflect.ValueOf(f).Elem(), native, s.flag); err != nil {
		return err
	}
	if f.Grounding != nil && f.Grounding.UngroundedClaimList == nil {
		f.Grounding.UngroundedClaimList = []schemas.Claim{}
	}
	return nil
}

const fieldAnswer = "answer"

// valueReader reads the values that goavro decoded.
type valueReader struct {
	in       *schemas.Interaction // nil: a flag, of which a malformed value refuses the record
	field    string               // the top-level field being read
	answered bool
}

func wrongType(want string) *scan.Error {
	return &scan.Error{Reason: scan.ReasonWrongType, Detail: "expected " + want}
}

// unwrap returns a value without the map in which goavro wraps values of unions; nil is absent.
func (t *target) unwrap(v any) (any, *target) {
	if t.choices == nil {
		return v, t
	}
	wrapped, _ := v.(map[string]any)
	for name, inner := range wrapped {
		return inner, t.choices[name]
	}
	return nil, t
}

// record reads the known fields of a record into a struct. Missing and null ones are left as they are.
func (r *valueReader) record(into reflect.Value, v any, t *target) *scan.Error {
	values, ok := v.(map[string]any)
	if !ok || t.typ.kind != kindRecord {
		return wrongType("a record")
	}
	top := r.field == ""
	for i := range t.fields {
		f := &t.fields[i]
		if top {
			r.field = f.name
		}
		inner, at := f.unwrap(values[f.key])
		if inner == nil {
			continue
		}
		if err := r.set(into.Field(f.index), inner, at); err != nil {
			if err.Field = r.field; !r.loses(err, f.name) {
				return err
			}
		}
		r.answered = r.answered || top && f.name == fieldAnswer
	}
	return nil
}

// loses reports whether an error costs only the value of a field, and then keeps its name. The text of an item costs the item.
func (r *valueReader) loses(err *scan.Error, name string) bool {
	if r.in == nil || !isMalformed(err) || name != r.field && name == textOf(r.field) {
		return false
	}
	if name != r.field {
		name = r.field + "." + name
	}
	r.in.AddMalformed(name)
	return true
}

// isMalformed reports an error that concerns the value of an optional field alone.
func isMalformed(err *scan.Error) bool {
	switch err.Field {
	case fieldAnswer, "interaction_id", "tenant":
		return false
	case schemas.FieldTools, schemas.FieldToolCalls: // too many of them concern them alone
		return err.Reason == scan.ReasonWrongType || err.Reason == scan.ReasonTooMany
	}
	return err.Reason == scan.ReasonWrongType || err.Reason == scan.ReasonOutOfRange
}

// textOf names the member that an item of a list cannot do without, "" for none.
func textOf(field string) string {
	switch field {
	case schemas.FieldMessages:
		return "content"
	case schemas.FieldSources:
		return "text"
	case schemas.FieldTools, schemas.FieldToolCalls:
		return "name"
	}
	return ""
}

// set reads a value into a field, an item or a map's value.
func (r *valueReader) set(into reflect.Value, v any, t *target) *scan.Error {
	switch into.Kind() {
	case reflect.Slice:
		if into.Type().Elem().Kind() == reflect.Uint8 {
			return setBytes(into, v, t)
		}
		return r.list(into, v, t)
	case reflect.Map:
		return r.dict(into, v, t)
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return r.set(into.Elem(), v, t)
	case reflect.Struct:
		return r.object(into, v, t)
	case reflect.String:
		return r.setText(into, v, t)
	case reflect.Float64:
		f, err := number(v)
		if err == nil {
			into.SetFloat(f)
		}
		return err
	case reflect.Bool:
		b, ok := v.(bool)
		if into.SetBool(b); !ok {
			return wrongType("a boolean")
		}
		return nil
	default:
		return setInt(into, v)
	}
}

// setText reads a text, or a vote in the words that logs have for it.
func (r *valueReader) setText(into reflect.Value, v any, t *target) *scan.Error {
	text, err := r.text(v, t.typ.kind)
	if into.Type() == reflect.TypeFor[schemas.Thumb]() && err == nil {
		thumb, ok := schemas.ParseThumb(text)
		if text = string(thumb); !ok {
			err = wrongType("a vote: up or down")
		}
	}
	into.SetString(text)
	return err
}

// setBytes reads bytes that are not text.
func setBytes(into reflect.Value, v any, t *target) *scan.Error {
	raw, ok := v.([]byte)
	if !ok || t.typ.kind == kindString {
		return wrongType("bytes: packed float32, not base64 and not an array")
	}
	into.SetBytes(raw)
	return nil
}

// setInt reads an int or a long.
func setInt(into reflect.Value, v any) *scan.Error {
	n := reflect.ValueOf(v)
	if !n.CanInt() {
		return wrongType("an int or a long")
	}
	if into.OverflowInt(n.Int()) {
		return &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "expected a number within the field's bounds"}
	}
	into.SetInt(n.Int())
	return nil
}

// object reads a value into a struct: a time, the text of a source, or a record.
func (r *valueReader) object(into reflect.Value, v any, t *target) *scan.Error {
	switch to := into.Addr().Interface().(type) {
	case *time.Time:
		return setTime(to, v, t.typ.logical)
	case *schemas.Source:
		if t.typ.kind == kindString {
			to.Text, _ = r.text(v, kindString) // it was checked
			return nil
		}
	case *schemas.Tool:
		return r.named(into, v, t, &to.Name)
	case *schemas.ToolCall:
		return r.named(into, v, t, &to.Name)
	case *schemas.Evidence:
		to.Start, to.End = schemas.NoPlace, schemas.NoPlace
	case *schemas.Statement:
		to.Start, to.End = schemas.NoPlace, schemas.NoPlace
	case *schemas.Claim:
		to.Start, to.End = schemas.NoPlace, schemas.NoPlace
	}
	return r.record(into, v, t)
}

// named reads a record that means nothing without its name.
func (r *valueReader) named(into reflect.Value, v any, t *target, name *string) *scan.Error {
	if err := r.record(into, v, t); err != nil || *name != "" {
		return err
	}
	return wrongType("a name")
}

// text reads a string; bytes and enums count as strings, and scalars in the attributes and as votes.
func (r *valueReader) text(v any, kind typeKind) (string, *scan.Error) {
	switch s := v.(type) {
	case string:
		return s, nil
	case []byte:
		if kind == kindFixed {
			return "", wrongType("a string")
		}
		if kind == kindBytes && !utf8.Valid(s) {
			return "", &scan.Error{Reason: scan.ReasonBadUTF8, Detail: "bytes in place of a string are UTF-8"}
		}
		return recordformat.StringView(s), nil
	}
	if r.field != "attributes" && r.field != schemas.FieldUserFeedback {
		return "", wrongType("a string")
	}
	if _, ok := v.(bool); !ok {
		if _, err := number(v); err != nil {
			return "", err
		}
	}
	return fmt.Sprint(v), nil
}

// number reads any finite number.
func number(v any) (f float64, err *scan.Error) {
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		f = float64(n.Int())
	case n.CanFloat():
		f = n.Float()
	default:
		return 0, wrongType("a number")
	}
	if !recordformat.IsFinite(f) {
		return 0, &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "expected a finite number"}
	}
	return f, nil
}

// setTime reads a long: milliseconds since 1970 unless its logical type is micro- or nanoseconds. 0 is the unknown time.
func setTime(into *time.Time, v any, logical string) *scan.Error {
	value := reflect.ValueOf(v)
	if !value.CanInt() {
		return wrongType("a timestamp in a long")
	}
	n := value.Int()
	t := time.UnixMilli(n)
	switch logical {
	case "timestamp-micros":
		t = time.UnixMicro(n)
	case "timestamp-nanos":
		t = time.Unix(0, n)
	}
	if ms := t.UnixMilli(); ms < recordformat.MinMillis || ms > recordformat.MaxMillis {
		return &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "expected a time of the years 1 to 9999"}
	}
	if n != 0 {
		*into = t.UTC()
	}
	return nil
}

// most is the most items of the list or map being read.
func (r *valueReader) most() int {
	switch {
	case r.in == nil:
	case r.field == "tags":
		return recordformat.MaxTags
	case r.field == "attributes":
		return recordformat.MaxAttributes
	case r.field == schemas.FieldSources:
		return recordformat.MaxSources
	case r.field == schemas.FieldMessages:
		return recordformat.MaxMessages
	case r.field == schemas.FieldTools:
		return recordformat.MaxTools
	case r.field == schemas.FieldToolCalls:
		return recordformat.MaxCalls
	}
	return MaxItems
}

// list reads an array. Of an interaction, items that are malformed are left out; where none is left, the list
// is malformed.
func (r *valueReader) list(into reflect.Value, v any, t *target) *scan.Error {
	items, ok := v.([]any)
	switch {
	case !ok:
		return wrongType("an array")
	case len(items) > r.most():
		return &scan.Error{Reason: scan.ReasonTooMany}
	}
	into.Grow(len(items))
	into.SetLen(len(items))
	var lost *scan.Error
	kept := 0
	for _, item := range items {
		switch err := r.item(into.Index(kept), item, t.item); {
		case err == nil:
			kept++
		case r.in != nil && isMalformed(err):
			lost = err
		default:
			return err
		}
	}
	if into.SetLen(kept); lost == nil {
		return nil
	}
	if kept == 0 {
		return lost
	}
	r.in.AddMalformed(strings.TrimSuffix(r.field+"."+textOf(r.field), "."))
	return nil
}

// item reads an item of an array.
func (r *valueReader) item(into reflect.Value, v any, t *target) *scan.Error {
	into.SetZero()
	inner, at := t.unwrap(v)
	if inner == nil {
		return wrongType("no null in a list")
	}
	return r.set(into, inner, at)
}

// dict reads a map without its null values. Of an interaction, values that are malformed are left out.
func (r *valueReader) dict(into reflect.Value, v any, t *target) *scan.Error {
	values, ok := v.(map[string]any)
	switch {
	case !ok || t.typ.kind != kindMap:
		return wrongType("a map")
	case len(values) > r.most():
		return &scan.Error{Reason: scan.ReasonTooMany}
	}
	if into.IsNil() && len(values) > 0 {
		into.Set(reflect.MakeMapWithSize(into.Type(), len(values)))
	}
	to := reflect.New(into.Type().Elem()).Elem()
	for key, value := range values {
		inner, at := t.item.unwrap(value)
		if inner == nil {
			continue
		}
		switch err := r.set(to, inner, at); {
		case err == nil:
			into.SetMapIndex(reflect.ValueOf(key), to)
		case !r.loses(err, r.field):
			return err
		}
	}
	return nil
}

// logprobs unpacks little-endian float32 in rows of 1 + top_k.
func (r *valueReader) logprobs(packed packedLogprobs) {
	row := 4 * (1 + packed.TopK)
	switch {
	case packed.TopK < 0 || packed.TopK > recordformat.MaxTopK:
		r.in.AddMalformed(schemas.FieldTopK)
		return
	case len(packed.Values) == 0 || slices.Contains(r.in.Malformed, schemas.FieldTopK): // rows of unknown width
		return
	case len(packed.Values)%row != 0:
		r.in.AddMalformed(schemas.FieldTokenLogprobs)
		return
	}
	into := &r.in.Logprobs
	into.TopK = packed.TopK
	into.Values = slices.Grow(into.Values, len(packed.Values)/4)
	for at := 0; at < len(packed.Values); at += 4 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(packed.Values[at:]))
		into.Values = append(into.Values, recordformat.ClampLogprob(float64(f)))
	}
}
