package export

import (
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas"
)

const spanName = "confab.evaluation"

// span is the flag as a span under the interaction's, nil without a trace.
func (e *encoder) span(f *schemas.Flag) *tracepb.Span {
	trace, parent := traceID(f), parentID(f)
	if trace == nil {
		return nil
	}
	a, all := attributes{}, results(f)
	a.addFlag(f)
	a.addText("confab.provider", f.Provider)
	a.addText("confab.model", f.Model)
	a.addText("confab.conversation_id", f.ConversationID)
	if f.Risk != nil && isFinite(*f.Risk) {
		a.addNumber("confab.risk", *f.Risk)
	}
	a.addList("confab.fired", f.Fired)
	for i := range all[:len(f.Signals)] {
		r := &all[i]
		key := "confab.detector." + r.name
		a.addText(key+".outcome", r.label)
		if r.hasScore {
			a.addNumber(key+".score", r.score)
		}
	}
	at := unixNano(f.DetectedAt)
	return &tracepb.Span{
		TraceId: trace, SpanId: spanID(f), ParentSpanId: parent, Name: spanName, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: at, EndTimeUnixNano: at, Attributes: a,
	}
}
