package otlp

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// jsonDepth bounds the nesting of a record in JSON: each level of a structured value takes three or four.
const jsonDepth = 144

// jsonReader reads a record in JSON by the positions of its values, -1 for none. Members that are not used may hold anything.
// All names may be written with underscores.
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
	r.End()
	known := r.list(0, "resourceSpans", "resource_spans")
	r.resources(known)
	logs := r.list(0, "resourceLogs", "resource_logs")
	r.resources(logs)
	if first, end := r.Within(0, '{'); first < end && known < 0 && logs < 0 { // an empty object is an empty batch
		r.wrongType(0, "", "resourceSpans or resourceLogs")
	}
	return r.Err
}

// list returns the position of a list around spans. Null is an empty one; another value is the fault of the record, and so is
// the name in another case or twice: what they stand for would be lost.
func (r *jsonReader) list(object int, names ...string) int {
	at := -1
	for i, end := r.Within(object, '{'); i < end; i = r.After(i + 1) {
		name := r.NameAt(i)
		switch {
		case slices.Contains(names, name) && at < 0:
			at = i + 1
		case slices.Contains(names, name):
			r.fault(i, "", scan.ReasonDuplicateKey, "a list occurs twice")
		case strings.EqualFold(names[0], name) || strings.EqualFold(names[1], name):
			r.fault(i+1, "", scan.ReasonCaseVariant, "expected "+names[0])
		}
	}
	if r.Kind(object) != '{' {
		r.wrongType(object, "", "an object")
	}
	if c := r.Kind(at); c != '[' && c != 'n' && c != 0 {
		r.wrongType(at, "", "a list")
	}
	return at
}

// items returns the position of the first item of a list, and that behind the last one; no items after a fault.
func (r *jsonReader) items(list int) (first, end int) {
	if r.Err != nil {
		return 0, 0
	}
	return r.Within(list, '[')
}

// member returns the position of a member by one of its names; of null there is none.
func (r *jsonReader) member(object int, names ...string) int {
	for _, name := range names {
		if at, _ := r.Find(object, name); at >= 0 && r.Kind(at) != 'n' {
			return at
		}
	}
	return -1
}

// fault notes a fault at a value.
func (r *jsonReader) fault(at int, field, reason, detail string) {
	r.Pos, r.Field = at, field
	r.Fault(reason, detail)
	r.Field = ""
}

func (r *jsonReader) wrongType(at int, field, want string) {
	r.fault(at, field, scan.ReasonWrongType, "expected "+want)
}

// part counts a part of the record.
func (r *jsonReader) part() {
	if r.b.parts--; r.b.parts < 0 {
		r.Fault(scan.ReasonTooMany, manyDetail)
	}
}

// resources reads what resources sent.
func (r *jsonReader) resources(list int) {
	for resource, end := r.items(list); resource < end && r.Err == nil; resource = r.After(resource) {
		at := r.member(resource, "resource")
		shared := entryOrigin{attributes: r.attributes(r.member(at, "attributes")), resource: r.BytesSince(at)}
		r.scopes(r.list(resource, "scopeSpans", "scope_spans"), &shared)
		r.scopes(r.list(resource, "scopeLogs", "scope_logs"), &shared)
	}
}

// scopes reads what libraries sent.
func (r *jsonReader) scopes(list int, shared *entryOrigin) {
	for scope, end := r.items(list); scope < end && r.Err == nil; scope = r.After(scope) {
		r.part()
		from := &entryOrigin{shared.attributes, shared.resource, r.BytesSince(r.member(scope, "scope"))}
		r.entries(r.list(scope, "spans", "spans"), entry{from: from})
		r.entries(r.list(scope, "logRecords", "log_records"), entry{log: true, from: from})
	}
}

func (r *jsonReader) entries(list int, empty entry) {
	for at, end := r.items(list); at < end && r.Err == nil; at = r.After(at) {
		r.entry(at, empty)
	}
}

// entry reads a span or log record. A value of a wrong type in it is its own fault.
func (r *jsonReader) entry(at int, empty entry) {
	e := r.b.begin(empty)
	if e == nil {
		r.fault(at, "", scan.ReasonTooMany, manyDetail)
		return
	}
	if r.Kind(at) != '{' {
		r.wrongType(at, "", "a span or log record")
	}
	r.content(at, e)
	if r.Err != nil && r.Err.Reason == scan.ReasonWrongType {
		*e = empty
		e.err, r.Err = r.Err, nil
	}
	e.raw = r.BytesSince(at)
	if e.limit(); r.Repaired { // in one of the record's texts
		inner := r.Inner(e.raw, 0)
		e.repaired = inner.Repaired
		r.Close(&inner)
	}
}

func (r *jsonReader) content(at int, e *entry) {
	r.id(e, e.trace[:], r.member(at, "traceId", "trace_id"), "traceId")
	r.id(e, e.span[:], r.member(at, "spanId", "span_id"), "spanId")
	r.id(e, e.parent[:], r.member(at, "parentSpanId", "parent_span_id"), "parentSpanId")
	e.name = r.text(r.member(at, "name", "eventName", "event_name"), "name")
	e.kind = tracepb.Span_SpanKind(r.enum(r.member(at, "kind"), "kind", kindPrefix, tracepb.Span_SpanKind_value))
	status := r.member(r.member(at, "status"), "code")
	e.failed = r.enum(status, "status", "STATUS_CODE_", tracepb.Status_StatusCode_value) == int32(tracepb.Status_STATUS_CODE_ERROR)
	e.message = r.TextAt(r.member(r.member(at, "status"), "message"))
	e.start = r.whole(r.member(at, "startTimeUnixNano", "start_time_unix_nano"), "startTimeUnixNano")
	observed := r.whole(r.member(at, "observedTimeUnixNano", "observed_time_unix_nano"), "observedTimeUnixNano")
	end := r.member(at, "endTimeUnixNano", "end_time_unix_nano", "timeUnixNano", "time_unix_nano")
	e.end = cmp.Or(r.whole(end, "endTimeUnixNano"), observed)
	e.attributes = r.attributes(r.member(at, "attributes"))
	for event, end := r.items(r.member(at, "events")); event < end && r.Err == nil; event = r.After(event) {
		r.part()
		name := r.member(event, "name")
		e.events = append(e.events, &tracepb.Span_Event{Name: r.TextAt(name), Attributes: r.attributes(r.member(event, "attributes"))})
	}
	if body := r.member(at, "body"); body >= 0 {
		e.body = r.value(body)
	}
}

// text reads a text; none is an empty one.
func (r *jsonReader) text(at int, field string) string {
	if at >= 0 && r.Kind(at) != '"' {
		r.wrongType(at, field, "a string")
	}
	return r.TextAt(at)
}

// id reads an id in hexadecimal digits.
func (r *jsonReader) id(e *entry, id []byte, at int, field string) {
	raw, err := hex.DecodeString(r.text(at, field))
	if err != nil {
		e.badIDs = true
		return
	}
	e.setID(id, raw)
}

// whole reads a whole number, or a text of one; none and an empty text are 0.
func (r *jsonReader) whole(at int, field string) uint64 {
	text := r.TextAt(at)
	if r.Kind(at) != '"' {
		text = string(r.BytesSince(at))
	}
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if f, notFloat := strconv.ParseFloat(text, 64); err != nil && notFloat == nil && f == math.Trunc(f) && f >= 0 && f < 1<<64 {
		return uint64(f)
	}
	if err != nil {
		r.wrongType(at, field, "a whole number")
	}
	return n
}

// enum reads a number or a name; other values are 0.
func (r *jsonReader) enum(at int, field, prefix string, values map[string]int32) int32 {
	switch c := r.Kind(at); {
	case c == '"':
		name := r.TextAt(at)
		return cmp.Or(values[name], values[prefix+name])
	case c-'0' <= 9:
		return int32(min(r.whole(at, field), math.MaxInt32))
	}
	return 0
}

// attributes reads a list of keys with values. Items without a key are left out.
func (r *jsonReader) attributes(list int) (out []*commonpb.KeyValue) {
	for item, end := r.items(list); item < end && r.Err == nil; item = r.After(item) {
		r.part()
		key := r.member(item, "key")
		if r.Kind(key) != '"' {
			continue
		}
		a := &commonpb.KeyValue{Key: r.TextAt(key)}
		if value := r.member(item, "value"); value >= 0 {
			a.Value = r.value(value)
		}
		out = append(out, a)
	}
	return out
}

// value reads the value of an attribute: an object whose member names its type, of which the last one counts, or plain JSON.
func (r *jsonReader) value(at int) *commonpb.AnyValue {
	r.part()
	v := new(commonpb.AnyValue)
	if r.Kind(at) != '{' {
		r.scalar(v, at, "")
		return v
	}
	for i, end := r.Within(at, '{'); i < end; i = r.After(i + 1) {
		at := i + 1
		switch name := r.NameAt(i); name {
		case "arrayValue", "array_value":
			list := new(commonpb.ArrayValue)
			for item, end := r.items(r.member(at, "values")); item < end && r.Err == nil; item = r.After(item) {
				list.Values = append(list.Values, r.value(item))
			}
			v.Value = &commonpb.AnyValue_ArrayValue{ArrayValue: list}
		case "kvlistValue", "kvlist_value":
			list := &commonpb.KeyValueList{Values: r.attributes(r.member(at, "values"))}
			v.Value = &commonpb.AnyValue_KvlistValue{KvlistValue: list}
		case "stringValue", "string_value", "boolValue", "bool_value", "intValue", "int_value", "doubleValue", "double_value",
			"bytesValue", "bytes_value":
			r.scalar(v, at, name)
		}
	}
	return v
}

// scalar reads a value by its type in JSON, whatever its name promises: null is none, and a list or an object one without
// items, which is malformed where a text is expected.
func (r *jsonReader) scalar(v *commonpb.AnyValue, at int, name string) {
	isNumber := strings.HasPrefix(name, "int") || strings.HasPrefix(name, "double")
	switch c := r.Kind(at); {
	case c == 'n':
	case c == 't' || c == 'f':
		v.Value = &commonpb.AnyValue_BoolValue{BoolValue: c == 't'}
	case c == '{' || c == '[':
		v.Value = new(commonpb.AnyValue_ArrayValue)
	case c != '"':
		setNumber(v, recordformat.StringView(r.BytesSince(at)), name)
	case isNumber:
		setNumber(v, r.TextAt(at), name)
	case strings.HasPrefix(name, "bytes"):
		raw, err := base64.StdEncoding.DecodeString(r.TextAt(at))
		if err != nil {
			raw = []byte(r.TextAt(at))
		}
		v.Value = &commonpb.AnyValue_BytesValue{BytesValue: raw}
	default:
		v.Value = &commonpb.AnyValue_StringValue{StringValue: r.TextAt(at)}
	}
}

// setNumber sets a number. One that its type cannot hold stays as it is written.
func setNumber(v *commonpb.AnyValue, text, name string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		v.Value = &commonpb.AnyValue_IntValue{IntValue: n}
	} else if f, err := strconv.ParseFloat(text, 64); err == nil && !strings.HasPrefix(name, "int") {
		v.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: f}
	} else {
		v.Value = &commonpb.AnyValue_StringValue{StringValue: text}
	}
}
