package otlp

import (
	"cmp"
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"confab/schemas/json/scan"
)

// Limits of one record. A record that is decoded takes about 100 bytes of memory for each of its parts: spans, attributes,
// values.
const (
	maxEntries    = 1 << 16 // spans or log records
	maxAttributes = 1 << 14 // of one span or log record
	maxNesting    = 80      // of messages in a span: two for each level of a structured value
	maxParts      = 1 << 17 // and one for every four bytes
)

const manyDetail = "write smaller batches: send_batch_max_size of the Collector's batch processor"

// entry is a span or a log record.
type entry struct {
	log        bool
	trace      [16]byte
	span       [8]byte
	parent     [8]byte
	badIDs     bool   // an id has another length, and is zero
	name       string // of the span, or of the log record's event
	kind       tracepb.Span_SpanKind
	failed     bool   // the span's status is an error
	message    string // of that status
	start, end uint64 // nanoseconds since 1970, 0 if unknown; a log record has an end only
	attributes []*commonpb.KeyValue
	events     []*tracepb.Span_Event
	body       *commonpb.AnyValue // of the log record
	from       *entryOrigin
	raw        []byte
	repaired   bool // a text held half a surrogate pair
	err        *scan.Error
}

// entryOrigin is what the spans of one source and library share.
type entryOrigin struct {
	attributes      []*commonpb.KeyValue // of the resource
	resource, scope []byte               // as they were written
}

// batch is what one record holds.
type batch struct {
	entries []entry
	json    bool
	parts   int          // that may follow
	scanner scan.Scanner // of a record in JSON
}

// reset empties the batch and drops all references to the record.
func (b *batch) reset(json bool, size int) {
	clear(b.entries)
	*b = batch{entries: b.entries[:0], json: json, parts: maxParts + size/4, scanner: b.scanner}
}

func syntaxError(detail string) *scan.Error {
	return &scan.Error{Reason: scan.ReasonSyntax, Detail: detail}
}

const notProto = "not protobuf of an OTLP export request, or cut off"

func tooMany() *scan.Error { return &scan.Error{Reason: scan.ReasonTooMany, Detail: manyDetail} }

// readProto reads a record in protobuf. The error concerns the whole record; faults within a span are the span's.
func (b *batch) readProto(record []byte) *scan.Error {
	b.reset(false, len(record))
	return b.each(record, 1, func(resource []byte) *scan.Error {
		shared, err := b.origin(last(resource, 1))
		if err != nil {
			return err
		}
		return b.each(resource, 2, func(scope []byte) *scan.Error {
			var from *entryOrigin
			return b.each(scope, 2, func(raw []byte) *scan.Error {
				if from == nil {
					from = &entryOrigin{shared.attributes, shared.resource, last(scope, 1)}
				}
				return b.add(isLogRecord(raw), raw, from)
			})
		})
	})
}

// each calls visit for the messages in a field of a protobuf message.
func (b *batch) each(raw []byte, field protowire.Number, visit func([]byte) *scan.Error) (err *scan.Error) {
	ok := eachField(raw, func(num protowire.Number, typ protowire.Type, body []byte) bool {
		if num == field && typ == protowire.BytesType {
			err = visit(body)
		}
		return err == nil
	})
	if !ok {
		return syntaxError(notProto)
	}
	return err
}

// eachField calls visit for the fields of a protobuf message until it returns false. ok is false for a broken message.
func eachField(raw []byte, visit func(num protowire.Number, typ protowire.Type, body []byte) bool) (ok bool) {
	for len(raw) > 0 {
		num, typ, tag := protowire.ConsumeTag(raw)
		if tag < 0 {
			return false
		}
		size := protowire.ConsumeFieldValue(num, typ, raw[tag:])
		if size < 0 {
			return false
		}
		body := raw[tag : tag+size]
		if typ == protowire.BytesType {
			body, _ = protowire.ConsumeBytes(body)
		}
		if raw = raw[tag+size:]; !visit(num, typ, body) {
			return true
		}
	}
	return true
}

// last is the last message, text or bytes in a field of a message; nil for none.
func last(raw []byte, field protowire.Number) (body []byte) {
	eachField(raw, func(num protowire.Number, typ protowire.Type, b []byte) bool {
		if num == field && typ == protowire.BytesType {
			body = b
		}
		return true
	})
	return body
}

// isLogRecord decides by the first field that only one of the two messages can hold. A message without one is a span.
func isLogRecord(raw []byte) (log bool) {
	eachField(raw, func(num protowire.Number, typ protowire.Type, _ []byte) bool {
		length := typ == protowire.BytesType
		switch num {
		case 1, 2: // ids of a span are bytes, time and severity of a log record are not
			log = !length
		case 6, 12: // attributes and the event's name of a log record; the kind and dropped events of a span
			log = length
		case 7, 8: // times of a span; dropped attributes and flags of a log record
			log = typ != protowire.Fixed64Type
		case 11: // the observed time of a log record, events of a span
			log = typ == protowire.Fixed64Type
		default:
			return true
		}
		return false
	})
	return log
}

// count takes the messages within a protobuf message off the parts of the record; false if there are too many.
func (b *batch) count(of protoreflect.MessageDescriptor, raw []byte, depth int) bool {
	eachField(raw, func(num protowire.Number, typ protowire.Type, body []byte) bool {
		field := of.Fields().ByNumber(num)
		if typ != protowire.BytesType || field == nil || field.Message() == nil || depth > maxNesting {
			return true
		}
		b.parts--
		return b.parts >= 0 && b.count(field.Message(), body, depth+1)
	})
	return b.parts >= 0
}

// unmarshal decodes a message. Texts that are not UTF-8 cost their values only.
func (b *batch) unmarshal(raw []byte, into proto.Message) *scan.Error {
	of := into.ProtoReflect().Descriptor()
	if b.parts--; !b.count(of, raw, 1) {
		return tooMany()
	}
	options := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxNesting}
	err := options.Unmarshal(raw, into)
	if err != nil && strings.Contains(err.Error(), "UTF-8") {
		err = options.Unmarshal(withoutBadText(of, raw), into)
	}
	if err != nil { // it may quote the record
		return syntaxError("not protobuf of a span or log record")
	}
	return nil
}

// withoutBadText returns a message without texts that are not UTF-8. The value of an attribute with one becomes bytes, which
// are malformed where a text is expected.
func withoutBadText(of protoreflect.MessageDescriptor, raw []byte) (out []byte) {
	const bytesValue = 7
	anyValue := (*commonpb.AnyValue)(nil).ProtoReflect().Descriptor()
	eachField(raw, func(num protowire.Number, typ protowire.Type, body []byte) bool {
		field := of.Fields().ByNumber(num)
		switch {
		case field == nil: // unknown
			return true
		case typ != protowire.BytesType:
			out = append(protowire.AppendTag(out, num, typ), body...)
			return true
		case field.Message() == anyValue:
			if proto.Unmarshal(body, new(commonpb.AnyValue)) != nil {
				body = protowire.AppendBytes(protowire.AppendTag(nil, bytesValue, typ), body)
			}
		case field.Message() != nil:
			body = withoutBadText(field.Message(), body)
		case field.Kind() == protoreflect.StringKind && !utf8.Valid(body):
			return true
		}
		out = protowire.AppendBytes(protowire.AppendTag(out, num, typ), body)
		return true
	})
	return out
}

// origin reads a resource. One that is broken is the fault of the record: its spans would be filtered as those of another.
func (b *batch) origin(resource []byte) (from entryOrigin, err *scan.Error) {
	from.resource = resource
	if resource != nil {
		var m resourcepb.Resource
		err = b.unmarshal(resource, &m)
		from.attributes = m.GetAttributes()
	}
	return from, err
}

// begin appends an entry; nil if there are too many.
func (b *batch) begin(e entry) *entry {
	if len(b.entries) >= maxEntries {
		return nil
	}
	b.entries = append(b.entries, e)
	return &b.entries[len(b.entries)-1]
}

// add reads a span or log record. A fault in it is kept in the entry; the error is about the record.
func (b *batch) add(log bool, raw []byte, from *entryOrigin) *scan.Error {
	e := b.begin(entry{log: log, raw: raw, from: from})
	if e == nil {
		return tooMany()
	}
	if log {
		var m logspb.LogRecord
		if e.err = b.unmarshal(raw, &m); e.err == nil {
			e.readLog(&m)
		}
	} else {
		var m tracepb.Span
		if e.err = b.unmarshal(raw, &m); e.err == nil {
			e.readSpan(&m)
		}
	}
	if b.parts < 0 {
		return tooMany()
	}
	e.limit()
	return nil
}

// limit refuses an entry with too many attributes.
func (e *entry) limit() {
	if len(e.attributes) > maxAttributes {
		e.err = &scan.Error{Reason: scan.ReasonTooMany, Field: "attributes"}
	}
}

func (e *entry) readSpan(m *tracepb.Span) {
	e.setID(e.trace[:], m.GetTraceId())
	e.setID(e.span[:], m.GetSpanId())
	e.setID(e.parent[:], m.GetParentSpanId())
	e.name, e.kind = m.GetName(), m.GetKind()
	e.start, e.end = m.GetStartTimeUnixNano(), m.GetEndTimeUnixNano()
	e.failed = m.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR
	e.message, e.attributes, e.events = m.GetStatus().GetMessage(), m.GetAttributes(), m.GetEvents()
}

func (e *entry) readLog(m *logspb.LogRecord) {
	e.setID(e.trace[:], m.GetTraceId())
	e.setID(e.span[:], m.GetSpanId())
	e.name, e.body, e.attributes = m.GetEventName(), m.GetBody(), m.GetAttributes()
	e.end = cmp.Or(m.GetTimeUnixNano(), m.GetObservedTimeUnixNano())
}

// setID copies an id. An empty one is absent.
func (e *entry) setID(id, raw []byte) {
	if len(raw) == len(id) {
		copy(id, raw)
	} else {
		e.badIDs = e.badIDs || len(raw) > 0
	}
}

// appendEntry appends a record of one span or log record, as it was written, with its resource and scope. Nothing is decoded:
// a faulty span stays as it is.
func (b *batch) appendEntry(dst []byte, i int) []byte {
	e := &b.entries[i]
	if b.json {
		return appendJSONEntry(dst, e)
	}
	message := func(first, second []byte) (out []byte) {
		if first != nil {
			out = appendField(out, 1, first)
		}
		return appendField(out, 2, second)
	}
	return appendField(dst, 1, message(e.from.resource, message(e.from.scope, e.raw)))
}

func appendJSONEntry(dst []byte, e *entry) []byte {
	names := [3]string{"resourceSpans", "scopeSpans", "spans"}
	if e.log {
		names = [3]string{"resourceLogs", "scopeLogs", "logRecords"}
	}
	member := func(name string, raw []byte) {
		if raw != nil {
			dst = append(append(append(dst, `"`+name+`":`...), raw...), ',')
		}
	}
	dst = append(dst, `{"`+names[0]+`":[{`...)
	member("resource", e.from.resource)
	dst = append(dst, `"`+names[1]+`":[{`...)
	member("scope", e.from.scope)
	dst = append(append(append(dst, `"`+names[2]+`":[`...), e.raw...), `]}]}]}`...)
	return dst
}
