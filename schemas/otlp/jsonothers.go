package otlp

import (
	"encoding/hex"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas/json/scan"
)

// others reads a record of other tracers in JSON: traces of Jaeger as its API returns them, and a span of Jaeger or Zipkin, or a list
// of them. It returns false for another record.
func (r *jsonReader) others() bool {
	traces := r.member(0, "data")
	switch first, _ := r.Within(traces, '['); {
	case r.isTagged(0):
		r.tagged(0, -1)
	case r.Kind(0) == '[' && r.isTagged(1):
		for span, end := r.items(0); span < end; span = r.After(span) {
			r.tagged(span, -1)
		}
	case r.Kind(traces) == '[' && r.Kind(r.member(first, "spans")) == '[':
		for trace, end := r.items(traces); trace < end; trace = r.After(trace) {
			for span, end := r.items(r.member(trace, "spans")); span < end; span = r.After(span) {
				r.tagged(span, r.member(r.member(trace, "processes"), r.TextAt(r.member(span, "processID"))))
			}
		}
	default:
		return false
	}
	return true
}

// isTagged reports a span of Jaeger or Zipkin.
func (r *jsonReader) isTagged(at int) bool {
	return r.member(at, "traceId", "traceID") >= 0 && r.member(at, "tags") >= 0
}

// tagged reads a span of Jaeger or Zipkin, and the process that it is of. Its times are in microseconds.
func (r *jsonReader) tagged(at, process int) {
	e := r.b.begin(entry{from: &entryOrigin{attributes: r.tags(r.member(process, "tags"))}})
	if e == nil || r.Err != nil {
		r.fault(at, "", scan.ReasonTooMany, manyDetail)
		return
	}
	r.paddedID(e, e.trace[:], r.member(at, "traceId", "traceID"))
	r.paddedID(e, e.span[:], r.member(at, "id", "spanID", "spanId"))
	parent := r.member(at, "parentId", "parentSpanID")
	if first, end := r.Within(r.member(at, "references"), '['); first < end {
		parent = r.member(first, "spanID", "spanId")
	}
	r.paddedID(e, e.parent[:], parent)
	e.name = r.TextAt(r.member(at, "name", "operationName"))
	e.attributes = r.tags(r.member(at, "tags"))
	kind := r.TextAt(r.member(at, "kind")) + attributeText(e.attributes, "span.kind")
	e.kind = tracepb.Span_SpanKind(tracepb.Span_SpanKind_value[kindPrefix+strings.ToUpper(kind)])
	e.failed = attributeText(e.attributes, "error") == "true" || attributeText(e.attributes, "otel.status_code") == "ERROR"
	e.start = r.micros(r.member(at, "timestamp", "startTime"))
	if e.start > 0 {
		e.end = e.start + r.micros(r.member(at, "duration"))
	}
	for log, end := r.items(r.member(at, "logs")); log < end; log = r.After(log) {
		fields := r.tags(r.member(log, "fields"))
		e.events = append(e.events, &tracepb.Span_Event{Name: attributeText(fields, "event"), Attributes: fields})
	}
	service := r.TextAt(r.member(process, "serviceName")) + r.TextAt(r.member(r.member(at, "localEndpoint"), "serviceName"))
	e.from.attributes = append(e.from.attributes, &commonpb.KeyValue{Key: "service.name", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: service}}})
	e.raw, e.alone = r.BytesSince(at), true
	e.limit()
}

// tags reads attributes: a list of keys with values, or an object.
func (r *jsonReader) tags(at int) (out []*commonpb.KeyValue) {
	if r.Kind(at) == '[' {
		return r.attributes(at)
	}
	for i, end := r.Within(at, '{'); i < end && r.Err == nil; i = r.After(i + 1) {
		r.part()
		out = append(out, &commonpb.KeyValue{Key: r.NameAt(i), Value: r.value(i + 1)})
	}
	return out
}

// paddedID reads an id that may be written without its first zeros.
func (r *jsonReader) paddedID(e *entry, id []byte, at int) {
	text := r.TextAt(at)
	if len(text) > 0 && len(text) < 2*len(id) {
		text = strings.Repeat("0", 2*len(id)-len(text)) + text
	}
	raw, err := hex.DecodeString(text)
	e.badIDs = e.badIDs || err != nil
	e.setID(id, raw)
}

// micros reads a number of microseconds as nanoseconds; 0 for another value.
func (r *jsonReader) micros(at int) uint64 {
	n, ok := parseNumber(string(r.BytesSince(at)))
	if at < 0 || !ok || n < 0 || n >= 1<<53 {
		return 0
	}
	return uint64(n * 1e3)
}
