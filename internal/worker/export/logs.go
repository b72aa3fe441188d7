package export

import (
	"fmt"
	"maps"
	"slices"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
)

// encoder writes flags as OTLP. It is safe for concurrent use.
type encoder struct {
	version  string            // of Confab, as service.version
	resource map[string]string // further attributes of the resource
}

const (
	serviceName = "confab"
	scopeName   = "confab"
	eventName   = "gen_ai.evaluation.result"

	// riskName is the name of the evaluation that holds a flag's risk.
	riskName = "risk"
)

// logs returns an ExportLogsServiceRequest with an event per signal of each flag, and one for its risk.
func (e *encoder) logs(flags []*schemas.Flag) ([]byte, error) {
	var events []*logspb.LogRecord
	for _, f := range flags {
		for _, r := range results(f) {
			events = append(events, event(f, &r))
		}
	}
	if len(events) == 0 {
		return nil, nil
	}
	// Encoded like the request, whose generated type would add gRPC to the program.
	return marshal(&logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource:  e.describe(),
		ScopeLogs: []*logspb.ScopeLogs{{Scope: e.scope(), LogRecords: events}},
	}}})
}

// spans returns an ExportTraceServiceRequest with a span per flag. Flags without a valid trace id have none.
func (e *encoder) spans(flags []*schemas.Flag) ([]byte, error) {
	var spans []*tracepb.Span
	for _, f := range flags {
		if s := e.span(f); s != nil {
			spans = append(spans, s)
		}
	}
	if len(spans) == 0 {
		return nil, nil
	}
	return marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   e.describe(),
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: e.scope(), Spans: spans}},
	}}})
}

func marshal(m proto.Message) ([]byte, error) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode OTLP: %w", err)
	}
	return raw, nil
}

func (e *encoder) describe() *resourcepb.Resource {
	a := attributes{}
	a.addText("service.name", serviceName)
	a.addText("service.version", e.version)
	for _, key := range slices.Sorted(maps.Keys(e.resource)) {
		a.addText(key, e.resource[key])
	}
	return &resourcepb.Resource{Attributes: a}
}

func (e *encoder) scope() *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{Name: scopeName, Version: e.version}
}

// event is one result as a log record.
func event(f *schemas.Flag, r *result) *logspb.LogRecord {
	a := attributes{}
	a.addText("gen_ai.evaluation.name", r.name)
	if r.hasScore {
		a.addNumber("gen_ai.evaluation.score.value", r.score)
	}
	a.addText("gen_ai.evaluation.score.label", r.label)
	a.addText("gen_ai.evaluation.explanation", r.explanation)
	a.addText("error.type", r.errorType)
	a.addText("log.record.uid", resultID(f, r.name))
	a.addCall(f)
	a.addFlag(f)
	severity := logspb.SeverityNumber_SEVERITY_NUMBER_INFO
	if r.fired {
		severity = logspb.SeverityNumber_SEVERITY_NUMBER_WARN
	}
	at := unixNano(f.DetectedAt)
	return &logspb.LogRecord{
		TimeUnixNano: at, ObservedTimeUnixNano: at, SeverityNumber: severity, EventName: eventName,
		Attributes: a, TraceId: traceID(f), SpanId: parentID(f),
	}
}
