package avro

import (
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
)

// valueReader reads the values that goavro decoded; the first error is kept.
type valueReader struct {
	field string // the top-level field being read
	err   *Error
}

func (r *valueReader) fault(reason, detail string) {
	if r.err == nil {
		r.err = &Error{Reason: reason, Field: r.field, detail: detail}
	}
}

func (r *valueReader) wrongType(want string) { r.fault(ReasonWrongType, "expected "+want) }

// decodedRecord has the fields of a record under our names. Missing and null fields are absent.
type decodedRecord struct {
	*valueReader
	values map[string]any
	plan   *decodePlan
	below  bool // nested in a top-level field
}

// decodedValue is the value of a field, without its union.
type decodedValue struct {
	of   any
	plan *decodePlan
}

// unwrapUnion returns a value without the map in which goavro wraps values of unions.
func unwrapUnion(v any, p *decodePlan) (decodedValue, bool) {
	if p.kind == kindUnion {
		wrapped, _ := v.(map[string]any)
		for name, inner := range wrapped {
			return decodedValue{inner, p.choices[name]}, true
		}
		return decodedValue{}, false
	}
	return decodedValue{v, p}, p.kind != kindNull
}

func (r decodedRecord) get(name string) (decodedValue, bool) {
	if !r.below {
		r.field = name
	}
	p, known := r.plan.fields[name]
	if !known || r.err != nil {
		return decodedValue{}, false
	}
	return unwrapUnion(r.values[name], p)
}

// text reads a string; bytes and enums count as strings.
func (r *valueReader) text(v decodedValue) string {
	switch s := v.of.(type) {
	case string:
		return s
	case []byte:
		if v.plan.kind == kindFixed {
			break
		}
		if v.plan.kind != kindString && !utf8.Valid(s) {
			r.fault(ReasonBadUTF8, "bytes in place of a string are UTF-8")
			return ""
		}
		return recordformat.StringView(s)
	}
	r.wrongType("a string")
	return ""
}

func (r decodedRecord) str(name string) string {
	if v, ok := r.get(name); ok {
		return r.text(v)
	}
	return ""
}

// number reads any finite number.
func (r *valueReader) number(v decodedValue) float64 {
	var f float64
	switch n := v.of.(type) {
	case int32:
		f = float64(n)
	case int64:
		f = float64(n)
	case float32:
		f = float64(n)
	case float64:
		f = n
	default:
		r.wrongType("a number")
		return 0
	}
	if !recordformat.IsFinite(f) {
		r.fault(ReasonOutOfRange, "expected a finite number")
		return 0
	}
	return f
}

func (r decodedRecord) float(name string, absent float64) float64 {
	if v, ok := r.get(name); ok {
		return r.number(v)
	}
	return absent
}

// integer reads an int or a long within bounds.
func (r decodedRecord) integer(name string, absent, low, high int64) int64 {
	v, ok := r.get(name)
	if !ok {
		return absent
	}
	n, ok := asInt64(v.of)
	switch {
	case !ok:
		r.wrongType("an int or a long")
	case n < low || n > high:
		r.fault(ReasonOutOfRange, "expected a number within the field's bounds")
	default:
		return n
	}
	return absent
}

func asInt64(v any) (int64, bool) {
	switch n := v.(type) {
	case int32:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

func (r decodedRecord) boolean(name string) bool {
	v, ok := r.get(name)
	if !ok {
		return false
	}
	b, ok := v.of.(bool)
	if !ok {
		r.wrongType("a boolean")
	}
	return b
}

// time reads a long: milliseconds since 1970 unless its logical type is micro- or nanoseconds. 0 is the unknown time.
func (r decodedRecord) time(name string) (t time.Time) {
	v, ok := r.get(name)
	if !ok {
		return t
	}
	n, ok := asInt64(v.of)
	if !ok {
		r.wrongType("a timestamp in a long")
		return t
	}
	if n == 0 {
		return t
	}
	if t = unitOf(v.plan.logical).time(n); !isKnownTime(t) {
		r.fault(ReasonOutOfRange, "expected a time of the years 1 to 9999")
		return time.Time{}
	}
	return t
}

// list reads an array of at most most items; a null item is passed as absent.
func (r decodedRecord) list(name string, most int, each func(item decodedValue, ok bool)) {
	v, ok := r.get(name)
	if !ok {
		return
	}
	items, ok := v.of.([]any)
	switch {
	case !ok:
		r.wrongType("an array")
	case len(items) > most:
		r.fault(ReasonTooMany, "")
	}
	for _, item := range items {
		if r.err != nil {
			return
		}
		each(unwrapUnion(item, v.plan.items))
	}
}

// texts appends an array of strings to dst.
func (r decodedRecord) texts(dst []string, name string, most int) []string {
	r.list(name, most, func(item decodedValue, ok bool) {
		if !ok {
			r.wrongType("an array of strings")
			return
		}
		dst = append(dst, r.text(item))
	})
	return dst
}

// dict reads a map of at most most values, without null values.
func (r decodedRecord) dict(name string, most int, each func(key string, v decodedValue)) {
	v, ok := r.get(name)
	if !ok {
		return
	}
	values, ok := v.of.(map[string]any)
	switch {
	case !ok || v.plan.kind != kindMap:
		r.wrongType("a map")
		return
	case len(values) > most:
		r.fault(ReasonTooMany, "")
	}
	for key, one := range values {
		if r.err != nil {
			return
		}
		if inner, ok := unwrapUnion(one, v.plan.items); ok {
			each(key, inner)
		}
	}
}

// record reads v as a nested record.
func (r *valueReader) record(v decodedValue) (decodedRecord, bool) {
	values, ok := v.of.(map[string]any)
	if !ok || v.plan.kind != kindRecord {
		r.wrongType("a record")
		return decodedRecord{}, false
	}
	return decodedRecord{valueReader: r, values: values, plan: v.plan, below: true}, true
}
