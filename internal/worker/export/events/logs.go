package events

import (
	"fmt"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
)

// Encoder writes flags as OTLP. It is safe for concurrent use.
type Encoder struct {
	Version       string            // of Confab, as service.version
	Resource      map[string]string // further attributes of the resource
	OpenInference bool              // spans carry evaluations.* attributes
	Judges        []string          // detectors that ask language models, for OpenInference
}

const (
	serviceName = "confab"
	scopeName   = "confab"
	eventName   = "gen_ai.evaluation.result"

	// riskName is the name of the evaluation that holds a flag's risk.
	riskName = "risk"
)

// Logs returns an ExportLogsServiceRequest with an event per signal of each flag, and one for its risk.
func (e *Encoder) Logs(flags []*schemas.Flag) ([]byte, error) {
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
		Resource:  e.resource(),
		ScopeLogs: []*logspb.ScopeLogs{{Scope: e.scope(), LogRecords: events}},
	}}})
}

// Spans returns an ExportTraceServiceRequest with a span per flag. Flags without a valid trace id have none.
func (e *Encoder) Spans(flags []*schemas.Flag) ([]byte, error) {
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
		Resource:   e.resource(),
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

func (e *Encoder) resource() *resourcepb.Resource {
	a := attributes{}
	a.addText("service.name", serviceName)
	a.addText("service.version", e.Version)
	a.addTexts(e.Resource)
	return &resourcepb.Resource{Attributes: a}
}

func (e *Encoder) scope() *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{Name: scopeName, Version: e.Version}
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
