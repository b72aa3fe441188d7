package otlp

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// jsonDepth bounds the nesting of a record in JSON: each level of a structured value takes three or four.
const jsonDepth = 144

// jsonReader reads a record in JSON. Members that are not used may hold anything.
type jsonReader struct {
	*scan.Scanner

	b *batch
}

// readJSON reads a record in JSON. The error concerns the whole record: JSON that is broken anywhere has no spans. A value of
// a wrong type within a span is the span's fault, one of an attribute that of the attribute.
func (b *batch) readJSON(record []byte) *scan.Error {
	b.reset(true, len(record))
	b.scanner.Start(record)
	defer b.scanner.Release()
	r := jsonReader{&b.scanner, b}
	members, known := 0, false
	r.object("an object", func(name string) {
		members++
		switch name {
		case "resourceSpans", "resourceLogs":
			known = true
			r.list(r.resource)
		default:
			r.other(name, "resourceSpans", "resourceLogs")
		}
	})
	r.End()
	if members > 0 && !known { // an empty object is an empty batch
		r.Fault(scan.ReasonWrongType, "expected resourceSpans or resourceLogs")
	}
	return r.Err
}

// object calls read for every member of the next object, whose value is next.
func (r *jsonReader) object(want string, read func(name string)) {
	o := r.Object(want)
	for name, ok := r.Next(&o); ok; name, ok = r.Next(&o) {
		read(camelCase(name))
	}
}

// optional is object for a value that is skipped if it is no object.
func (r *jsonReader) optional(read func(name string)) {
	if r.Peek() == '{' {
		r.object("", read)
	} else {
		r.Skip()
	}
}

// camelCase is a name with underscores as OTLP writes it.
func camelCase(name string) string {
	const longest = len("observed_time_unix_nano")
	if len(name) > longest || !strings.Contains(name, "_") {
		return name
	}
	parts := strings.Split(name, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[1+i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// list calls read for every item of a list around spans; null is an empty one. Another value is the fault of the record: what
// it stands for would be lost.
func (r *jsonReader) list(read func()) {
	if r.Null() {
		return
	}
	l := r.List(r.Size(), "a list")
	for r.More(&l) {
		read()
	}
}

// items calls read for every item of a list. Another value is skipped.
func (r *jsonReader) items(read func()) {
	if r.Peek() == '[' {
		r.list(read)
	} else {
		r.Skip()
	}
}

// other skips a member, unless it is the name of a list around spans in another spelling: these would be lost.
func (r *jsonReader) other(name string, lists ...string) {
	for _, list := range lists {
		if strings.EqualFold(name, list) {
			r.Fault(scan.ReasonCaseVariant, "expected "+list)
		}
	}
	r.Skip()
}

// part counts a part of the record.
func (r *jsonReader) part() {
	if r.b.parts--; r.b.parts < 0 {
		r.Fault(scan.ReasonTooMany, manyDetail)
	}
}

// resource reads what one resource sent.
func (r *jsonReader) resource() {
	var shared entryOrigin
	first := len(r.b.entries)
	r.object("an object", func(name string) {
		switch name {
		case "resource":
			at := r.Pos
			r.optional(func(name string) {
				if name == "attributes" {
					shared.attributes = r.attributes()
				} else {
					r.Skip()
				}
			})
			shared.resource = r.BytesSince(at)
		case "scopeSpans", "scopeLogs":
			r.list(r.scope)
		default:
			r.other(name, "scopeSpans", "scopeLogs")
		}
	})
	for i := range r.b.entries[first:] { // the resource may follow its spans
		from := r.b.entries[first+i].from
		from.attributes, from.resource = shared.attributes, shared.resource
	}
}

// scope reads what one library sent.
func (r *jsonReader) scope() {
	r.part()
	from := new(entryOrigin)
	r.object("an object", func(name string) {
		switch name {
		case "scope":
			from.scope = r.Source()
		case "spans", "logRecords":
			r.list(func() { r.entry(entry{log: name == "logRecords", from: from}) })
		default:
			r.other(name, "spans", "logRecords")
		}
	})
}

// entry reads a span or log record. A value of a wrong type in it is its own fault.
func (r *jsonReader) entry(empty entry) {
	e := r.b.begin(empty)
	if e == nil {
		r.Fault(scan.ReasonTooMany, manyDetail)
		return
	}
	mark, at, observed := r.Mark(), r.Pos, uint64(0)
	r.object("a span or log record", func(name string) {
		switch {
		case name == "observedTimeUnixNano":
			observed = r.whole(name)
		case !r.identity(e, name):
			r.content(e, name)
		}
	})
	e.end = cmp.Or(e.end, observed)
	if r.Err != nil && r.Err.Reason == scan.ReasonWrongType {
		*e = empty
		e.err = r.Err
		r.Rewind(mark)
		r.Skip()
	}
	e.raw = r.BytesSince(at)
	if e.limit(); r.Repaired { // in one of the record's texts
		inner := r.Inner(e.raw, 0)
		e.repaired = inner.Repaired
		r.Close(&inner)
	}
}

// identity reads what an entry is called; false for other members.
func (r *jsonReader) identity(e *entry, name string) bool {
	switch name {
	case "traceId":
		r.id(e, e.trace[:], "traceId")
	case "spanId":
		r.id(e, e.span[:], "spanId")
	case "parentSpanId":
		r.id(e, e.parent[:], "parentSpanId")
	case "name", "eventName":
		e.name = r.text("name")
	default:
		return false
	}
	return true
}

// content reads what an entry holds, and skips other members.
func (r *jsonReader) content(e *entry, name string) {
	switch name {
	case "kind":
		e.kind = tracepb.Span_SpanKind(r.enum("kind", kindPrefix, tracepb.Span_SpanKind_value))
	case "status":
		r.optional(func(name string) {
			if name != "code" {
				r.Skip()
				return
			}
			code := r.enum("status", "STATUS_CODE_", tracepb.Status_StatusCode_value)
			e.failed = code == int32(tracepb.Status_STATUS_CODE_ERROR)
		})
	case "startTimeUnixNano":
		e.start = r.whole("startTimeUnixNano")
	case "endTimeUnixNano", "timeUnixNano":
		e.end = r.whole("endTimeUnixNano")
	case "attributes":
		e.attributes = r.attributes()
	case "events":
		r.items(func() { r.event(e) })
	case "body":
		e.body = r.value()
	default:
		r.Skip()
	}
}

// text reads a text; null is an empty one.
func (r *jsonReader) text(field string) string {
	r.Field = field
	text := r.OptionalText()
	r.Field = ""
	return text
}

// id reads an id in hexadecimal digits.
func (r *jsonReader) id(e *entry, id []byte, field string) {
	raw, err := hex.DecodeString(r.text(field))
	if err != nil {
		e.badIDs = true
		return
	}
	e.setID(id, raw)
}

// whole reads a whole number, or a text of one; null and an empty text are 0.
func (r *jsonReader) whole(field string) uint64 {
	at, text := r.Pos, ""
	switch r.Peek() {
	case 'n':
		r.Skip()
	case '"':
		text = r.Text()
	default:
		text = string(r.Source())
	}
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if f, notFloat := strconv.ParseFloat(text, 64); err != nil && notFloat == nil && f == math.Trunc(f) && f >= 0 && f < 1<<64 {
		return uint64(f)
	}
	if err != nil {
		r.Pos, r.Field = at, field
		r.WrongType("a whole number")
		r.Field = ""
	}
	return n
}

// enum reads a number or a name; other values are 0.
func (r *jsonReader) enum(field, prefix string, values map[string]int32) int32 {
	switch c := r.Peek(); {
	case c == '"':
		name := r.Text()
		return cmp.Or(values[name], values[prefix+name])
	case c-'0' <= 9:
		return int32(min(r.whole(field), math.MaxInt32))
	}
	r.Skip()
	return 0
}

// event reads an event of a span.
func (r *jsonReader) event(e *entry) {
	r.part()
	event := new(tracepb.Span_Event)
	r.optional(func(name string) {
		switch {
		case name == "name" && r.Peek() == '"':
			event.Name = r.Text()
		case name == "attributes":
			event.Attributes = r.attributes()
		default:
			r.Skip()
		}
	})
	e.events = append(e.events, event)
}

// attributes reads a list of keys with values. Items without a key are left out.
func (r *jsonReader) attributes() (list []*commonpb.KeyValue) {
	r.items(func() {
		r.part()
		a, keyed := new(commonpb.KeyValue), false
		r.optional(func(name string) {
			switch {
			case name == "key" && r.Peek() == '"':
				a.Key, keyed = r.Text(), true
			case name == "value":
				a.Value = r.value()
			default:
				r.Skip()
			}
		})
		if keyed {
			list = append(list, a)
		}
	})
	return list
}

// value reads the value of an attribute: an object whose member names its type, of which the last one counts, or plain JSON.
func (r *jsonReader) value() *commonpb.AnyValue {
	r.part()
	v := new(commonpb.AnyValue)
	if r.Peek() != '{' {
		r.scalar(v, "")
		return v
	}
	r.object("", func(name string) {
		switch name {
		case "arrayValue":
			list := new(commonpb.ArrayValue)
			r.values(func() {
				r.items(func() { list.Values = append(list.Values, r.value()) })
			})
			v.Value = &commonpb.AnyValue_ArrayValue{ArrayValue: list}
		case "kvlistValue":
			list := new(commonpb.KeyValueList)
			r.values(func() { list.Values = r.attributes() })
			v.Value = &commonpb.AnyValue_KvlistValue{KvlistValue: list}
		case "stringValue", "boolValue", "intValue", "doubleValue", "bytesValue":
			r.scalar(v, name)
		default:
			r.Skip()
		}
	})
	return v
}

// values calls read at the values of a list or map.
func (r *jsonReader) values(read func()) {
	r.optional(func(name string) {
		if name == "values" {
			read()
		} else {
			r.Skip()
		}
	})
}

// scalar reads a value by its type in JSON, whatever its name promises: null is none, and a list or an object one without
// items, which is malformed where a text is expected.
func (r *jsonReader) scalar(v *commonpb.AnyValue, name string) {
	switch r.Peek() {
	case 'n':
		r.Skip()
	case 't', 'f':
		v.Value = &commonpb.AnyValue_BoolValue{BoolValue: r.Bool()}
	case '{', '[':
		v.Value = new(commonpb.AnyValue_ArrayValue)
		r.Skip()
	case '"':
		setText(v, r.Text(), name)
	default:
		setNumber(v, recordformat.StringView(r.Source()), name)
	}
}

// setText sets a value in quotes.
func setText(v *commonpb.AnyValue, text, name string) {
	switch name {
	case "intValue", "doubleValue":
		setNumber(v, text, name)
	case "bytesValue":
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			raw = []byte(text)
		}
		v.Value = &commonpb.AnyValue_BytesValue{BytesValue: raw}
	default:
		v.Value = &commonpb.AnyValue_StringValue{StringValue: text}
	}
}

// setNumber sets a number. One that its type cannot hold stays as it is written.
func setNumber(v *commonpb.AnyValue, text, name string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		v.Value = &commonpb.AnyValue_IntValue{IntValue: n}
	} else if f, err := strconv.ParseFloat(text, 64); err == nil && name != "intValue" {
		v.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: f}
	} else {
		v.Value = &commonpb.AnyValue_StringValue{StringValue: text}
	}
}
