package avro

import (
	"encoding/binary"
	"math"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// fieldPlace is where the value of a field is; typ is nil without one.
type fieldPlace struct {
	typ *compiledType
	pos int
}

// fieldPlaces are the places of the fields of an interaction, by their numbers.
type fieldPlaces [fieldCount]fieldPlace

// interactionReader reads the fields of a checked interaction without allocations. The first error of a field is kept.
type interactionReader struct {
	valueChecker // at the value that is read next

	in     *schemas.Interaction
	places fieldPlaces
	field  int8 // the field being read
	err    *Error
}

// isRequired reports whether a malformed value of the field refuses the record.
func isRequired(field string) bool {
	return field == "answer" || field == "interaction_id" || field == "tenant"
}

// settle ends a field: an error that concerns the value of an optional field alone is kept as its name.
func (r *interactionReader) settle() {
	if r.err == nil || isRequired(r.err.Field) {
		return
	}
	switch r.err.Reason {
	case ReasonWrongType, ReasonOutOfRange, ReasonBadLogprobs:
		r.in.Malformed = append(r.in.Malformed, r.err.Field)
		r.err = nil
	default: // of the whole record
	}
}

func (r *interactionReader) refuse(reason, detail string) {
	if r.err == nil {
		r.err = &Error{Reason: reason, Field: interactionNumbers()[r.field], detail: detail}
	}
}

// wrongType passes over a value of type c where another was expected.
func (r *interactionReader) wrongType(c *compiledType, want string) {
	r.refuse(ReasonWrongType, "expected "+want)
	r.value(c)
}

// get goes to the value of a field and returns its type; missing and null fields are absent.
func (r *interactionReader) get(field int8) (c *compiledType, ok bool) {
	r.settle()
	r.field = field
	place := &r.places[field]
	if place.typ == nil || r.err != nil {
		return nil, false
	}
	r.pos = place.pos
	return r.branch(place.typ)
}

// branch returns the type of the value itself, without its union; null is absent.
func (r *interactionReader) branch(c *compiledType) (*compiledType, bool) {
	if c.code == codeUnion {
		c = &c.parts[r.index(len(c.parts))]
	}
	return c, c.code != codeNull
}

// view reads n bytes.
func (r *interactionReader) view(n int) []byte {
	r.pos += n
	return r.data[r.pos-n : r.pos]
}

// str reads a string; bytes and enums count as strings.
func (r *interactionReader) str(c *compiledType) string {
	switch c.code {
	case codeString:
		return recordformat.StringView(r.view(r.length()))
	case codeBytes:
		raw := r.view(r.length())
		if !utf8.Valid(raw) {
			r.refuse(ReasonBadUTF8, "bytes in place of a string are UTF-8")
			return ""
		}
		return recordformat.StringView(raw)
	case codeEnum:
		return c.symbols[r.index(len(c.symbols))]
	default:
		r.wrongType(c, "a string")
		return ""
	}
}

func (r *interactionReader) strField(field int8) string {
	if c, ok := r.get(field); ok {
		return r.str(c)
	}
	return ""
}

// number reads any finite number.
func (r *interactionReader) number(c *compiledType) float64 {
	var f float64
	switch c.code {
	case codeInt, codeLong:
		f = float64(r.long())
	case codeFloat:
		f = float64(math.Float32frombits(binary.LittleEndian.Uint32(r.view(4))))
	case codeDouble:
		f = math.Float64frombits(binary.LittleEndian.Uint64(r.view(8)))
	default:
		r.wrongType(c, "a number")
		return 0
	}
	if !recordformat.IsFinite(f) {
		r.refuse(ReasonOutOfRange, "expected a finite number")
		return 0
	}
	return f
}

// integer reads an int or a long.
func (r *interactionReader) integer(c *compiledType, want string) (n int64, ok bool) {
	if c.code != codeInt && c.code != codeLong {
		r.wrongType(c, want)
		return 0, false
	}
	return r.long(), true
}

func (r *interactionReader) boolean(field int8) bool {
	c, ok := r.get(field)
	switch {
	case !ok:
		return false
	case c.code != codeBoolean:
		r.wrongType(c, "a boolean")
		return false
	}
	return r.view(1)[0] == 1
}

// time reads a long: milliseconds since 1970 unless its logical type is micro- or nanoseconds. 0 is the unknown time.
func (r *interactionReader) time(field int8) (t time.Time) {
	c, ok := r.get(field)
	if !ok {
		return t
	}
	n, ok := r.integer(c, "a timestamp in a long")
	if !ok || n == 0 {
		return t
	}
	if t = c.unit.time(n); !isKnownTime(t) {
		r.refuse(ReasonOutOfRange, "expected a time of the years 1 to 9999")
		return time.Time{}
	}
	return t
}

func isKnownTime(t time.Time) bool {
	ms := t.UnixMilli()
	return ms >= recordformat.MinMillis && ms <= recordformat.MaxMillis
}

// time returns the time n units after 1970.
func (u timeUnit) time(n int64) time.Time {
	switch u {
	case unitMicros:
		return time.UnixMicro(n).UTC()
	case unitNanos:
		return time.Unix(0, n).UTC()
	default:
		return time.UnixMilli(n).UTC()
	}
}

// list reads an array of at most most items.
func (r *interactionReader) list(field int8, most int) {
	c, ok := r.get(field)
	if !ok {
		return
	}
	if c.code != codeArray {
		r.wrongType(c, "an array")
		return
	}
	item := &c.parts[0]
	for total, count := 0, r.items(); count > 0; count = r.items() {
		if total += count; total > most {
			r.err = nil // it takes precedence
			r.refuse(ReasonTooMany, "")
			return
		}
		for range count {
			if r.err != nil { // the other items only count
				r.value(item)
				continue
			}
			inner, ok := r.branch(item)
			r.item(field, inner, ok)
		}
	}
}

// items reads the number of items in the next block of a list, 0 at its end.
func (r *interactionReader) items() int {
	count := r.long()
	if count < 0 {
		count = -count
		r.long() // the size
	}
	return int(count)
}

// item reads an item of a list; a null one is absent.
func (r *interactionReader) item(field int8, c *compiledType, ok bool) {
	switch field {
	case fieldTags:
		r.tag(c, ok)
	case fieldMessages:
		r.message(c, ok)
	case fieldSources:
		r.source(c, ok)
	}
}

// attributes reads a map without its null values.
func (r *interactionReader) attributes() {
	c, ok := r.get(fieldAttributes)
	if !ok {
		return
	}
	if c.code != codeMap {
		r.wrongType(c, "a map")
		return
	}
	item := &c.parts[0]
	for total, count := 0, r.items(); count > 0; count = r.items() {
		if total += count; total > recordformat.MaxAttributes {
			r.err = nil // it takes precedence
			r.refuse(ReasonTooMany, "")
			return
		}
		for range count {
			key := recordformat.StringView(r.view(r.length()))
			if r.err != nil { // the other values only count
				r.value(item)
			} else if inner, ok := r.branch(item); ok {
				r.attribute(key, inner)
			}
		}
	}
}
