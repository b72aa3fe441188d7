package export

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
	otlpinput "confab/schemas/otlp"
)

const span = "00f067aa0ba902b7"

func flag(change func(f *schemas.Flag)) *schemas.Flag {
	f := &schemas.Flag{
		IncidentID: "c0ffee", Pass: schemas.PassFast, InteractionID: "resp-1", Tenant: "acme", Service: "bot", Model: "m-1", Provider: "openai",
		TraceID: trace, SpanID: span, DetectedAt: time.Unix(1_800_000_000, 5).UTC(), Risk: new(0.9), Recommendation: schemas.Block, Alert: true,
		Fired: []string{"grounding"},
		Signals: []schemas.Signal{
			{Detector: "grounding", Outcome: schemas.Fired, Score: 0.8, Reason: "one claim is in no source"},
			{Detector: "citation", Outcome: schemas.Clear, Score: 0},
			{Detector: "schema", Outcome: schemas.NotCheckable, Reason: "no_schema"},
			{Detector: "facts", Outcome: schemas.Failed, Reason: "panic"},
			{Detector: "confidence", Outcome: schemas.Skipped, Score: 0.3, Reason: "not_armed"},
			{Detector: "technical", Outcome: schemas.Skipped, Reason: "operation"},
		},
	}
	if change != nil {
		change(f)
	}
	return f
}

// texts are attributes as Go values.
func texts(all []*commonpb.KeyValue) map[string]any {
	out := map[string]any{}
	for _, kv := range all {
		switch v := kv.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *commonpb.AnyValue_DoubleValue:
			out[kv.GetKey()] = v.DoubleValue
		case *commonpb.AnyValue_BoolValue:
			out[kv.GetKey()] = v.BoolValue
		case *commonpb.AnyValue_ArrayValue:
			var list []string
			for _, e := range v.ArrayValue.GetValues() {
				list = append(list, e.GetStringValue())
			}
			out[kv.GetKey()] = list
		}
	}
	return out
}

func decodeLogs(t *testing.T, e *encoder, flags ...*schemas.Flag) []*logspb.LogRecord {
	t.Helper()
	raw, err := e.logs(flags)
	require.NoError(t, err)
	var req logspb.LogsData
	require.NoError(t, proto.Unmarshal(raw, &req))
	if len(req.GetResourceLogs()) == 0 {
		return nil
	}
	require.Equal(t, "confab", texts(req.GetResourceLogs()[0].GetResource().GetAttributes())["service.name"])
	return req.GetResourceLogs()[0].GetScopeLogs()[0].GetLogRecords()
}

func decodeSpans(t *testing.T, e *encoder, flags ...*schemas.Flag) []*tracepb.Span {
	t.Helper()
	raw, err := e.spans(flags)
	require.NoError(t, err)
	var req tracepb.TracesData
	require.NoError(t, proto.Unmarshal(raw, &req))
	if len(req.GetResourceSpans()) == 0 {
		return nil
	}
	return req.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()
}

// An event per signal and one for the risk, with the names of the conventions. Only a detector that could check has a score.
func TestEvents(t *testing.T) {
	events := decodeLogs(t, &encoder{version: "1"}, flag(nil))
	require.Len(t, events, 7)
	ids := map[any]bool{}
	for i, want := range []struct {
		name, label string
		score       any
	}{
		{"grounding", "fired", 0.8},
		{"citation", "clear", 0.0},
		{"schema", "not_checkable", nil},
		{"facts", "error", nil},
		{"confidence", "skipped", 0.3},
		{"technical", "skipped", nil},
		{"risk", "block", 0.9},
	} {
		a := texts(events[i].GetAttributes())
		require.Equal(t, "gen_ai.evaluation.result", events[i].GetEventName())
		require.Equal(t, []any{want.name, want.label, want.score},
			[]any{a["gen_ai.evaluation.name"], a["gen_ai.evaluation.score.label"], a["gen_ai.evaluation.score.value"]})
		require.Equal(t, "resp-1", a["gen_ai.response.id"])
		require.Equal(t, true, a["alert.fired"])
		require.Equal(t, decodeID(trace, 16), events[i].GetTraceId())
		require.Equal(t, decodeID(span, 8), events[i].GetSpanId())
		require.Equal(t, uint64(1_800_000_000_000_000_005), events[i].GetTimeUnixNano())
		ids[a["log.record.uid"]] = true
	}
	require.Len(t, ids, 7, "an id each")
	require.Equal(t, "one claim is in no source", texts(events[0].GetAttributes())["gen_ai.evaluation.explanation"])
	require.Equal(t, "_OTHER", texts(events[3].GetAttributes())["error.type"])
	require.NotContains(t, texts(events[0].GetAttributes()), "error.type")
	require.Equal(t, logspb.SeverityNumber_SEVERITY_NUMBER_WARN, events[0].GetSeverityNumber())
	require.Equal(t, logspb.SeverityNumber_SEVERITY_NUMBER_INFO, events[1].GetSeverityNumber())
}

func TestSpan(t *testing.T) {
	spans := decodeSpans(t, &encoder{}, flag(nil))
	require.Len(t, spans, 1)
	s, a := spans[0], texts(spans[0].GetAttributes())
	require.Equal(t, decodeID(trace, 16), s.GetTraceId())
	require.Equal(t, decodeID(span, 8), s.GetParentSpanId())
	require.Len(t, s.GetSpanId(), 8)
	for key, want := range map[string]any{
		"alert.fired": true, "confab.risk": 0.9, "confab.fired": []string{"grounding"}, "confab.detector.grounding.outcome": "fired",
		"confab.detector.grounding.score": 0.8, "confab.detector.schema.outcome": "not_checkable", "confab.incident_id": "c0ffee",
	} {
		require.Equal(t, want, a[key], key)
	}
	require.NotContains(t, a, "confab.detector.schema.score")
	require.NotContains(t, a, "openinference.span.kind")
	require.Empty(t, s.GetLinks())

	for key := range a {
		require.False(t, strings.HasPrefix(key, "gen_ai."), "%s: backends would count it as a call", key)
	}
	deep := decodeSpans(t, &encoder{}, flag(func(f *schemas.Flag) { f.Pass = schemas.PassDeep }))[0]
	require.NotEqual(t, s.GetSpanId(), deep.GetSpanId(), "every pass has its span")
}

// Ids of traces come from producers.
func TestTraceIDs(t *testing.T) {
	for name, c := range map[string]struct {
		trace, span string
		spans       int
		parent      []byte
	}{
		"both":            {trace, span, 1, decodeID(span, 8)},
		"upper case":      {strings.ToUpper(trace), strings.ToUpper(span), 1, decodeID(span, 8)},
		"without span":    {trace, "", 1, nil},
		"bad span":        {trace, "span-1", 1, nil},
		"zero span":       {trace, "0000000000000000", 1, nil},
		"without trace":   {"", span, 0, nil},
		"zero trace":      {strings.Repeat("0", 32), span, 0, nil},
		"decimal":         {"1234567890123456789", span, 0, nil},
		"not hexadecimal": {strings.Repeat("g", 32), span, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := flag(func(f *schemas.Flag) { f.TraceID, f.SpanID = c.trace, c.span })
			require.Equal(t, c.spans > 0, hasTrace(f))
			spans := decodeSpans(t, &encoder{}, f)
			require.Len(t, spans, c.spans)
			for _, s := range spans {
				require.Equal(t, c.parent, s.GetParentSpanId())
			}
			event := decodeLogs(t, &encoder{}, f)[0]
			require.Equal(t, c.parent, event.GetSpanId())
			require.Equal(t, c.spans > 0, len(event.GetTraceId()) > 0)
		})
	}
}

func TestTraceparent(t *testing.T) {
	for name, c := range map[string]struct{ had, header, want string }{
		"of the header":  {"", "00-" + trace + "-" + span + "-01", trace},
		"of the flag":    {strings.Repeat("a", 32), "00-" + trace + "-" + span + "-01", strings.Repeat("a", 32)},
		"later version":  {"", "01-" + trace + "-" + span + "-01-more", trace},
		"version ff":     {"", "ff-" + trace + "-" + span + "-01", ""},
		"zero trace":     {"", "00-" + strings.Repeat("0", 32) + "-" + span + "-01", ""},
		"cut off":        {"", "00-" + trace, ""},
		"without header": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := flag(func(f *schemas.Flag) { f.TraceID, f.SpanID = c.had, "" })
			setTrace(f, []byte(c.header))
			require.Equal(t, c.want, f.TraceID)
		})
	}
	require.Equal(t, "00-"+trace+"-"+span+"-01", traceparent(flag(nil)))
	require.Empty(t, traceparent(flag(func(f *schemas.Flag) { f.SpanID = "" })))
}

// A repeat has the same bytes, so the same ids. Values that OTLP or its readers cannot take are left out.
func TestRepeatsAndHostileFlags(t *testing.T) {
	e := &encoder{resource: map[string]string{"b": "2", "a": "1", "c": "3"}}
	for name, change := range map[string]func(f *schemas.Flag){
		"usual":     nil,
		"empty":     func(f *schemas.Flag) { *f = schemas.Flag{} },
		"not UTF-8": func(f *schemas.Flag) { f.Signals[0].Reason, f.Model, f.Tenant = "\xff\xfe", "m\xff", "\xc3" },
		"NaN":       func(f *schemas.Flag) { f.Risk, f.Signals[0].Score = new(math.NaN()), math.Inf(1) },
		"old":       func(f *schemas.Flag) { f.DetectedAt = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				for _, encode := range []func([]*schemas.Flag) ([]byte, error){e.logs, e.spans} {
					first, err := encode([]*schemas.Flag{flag(change)})
					require.NoError(t, err)
					second, err := encode([]*schemas.Flag{flag(change)})
					require.NoError(t, err)
					require.Equal(t, first, second)
				}
			}
			for _, r := range decodeLogs(t, e, flag(change)) {
				if score, ok := texts(r.GetAttributes())["gen_ai.evaluation.score.value"].(float64); ok {
					require.True(t, isFinite(score))
				}
			}
		})
	}
}

// An id that is made from coordinates, or from the ids of the trace, is not the provider's.
func TestResponseID(t *testing.T) {
	for name, change := range map[string]func(f *schemas.Flag){
		"offset": func(f *schemas.Flag) { f.IDSource = "offset" },
		"span":   func(f *schemas.Flag) { f.InteractionID = trace + "-" + span },
	} {
		t.Run(name, func(t *testing.T) {
			require.NotContains(t, texts(decodeLogs(t, &encoder{}, flag(change))[0].GetAttributes()), "gen_ai.response.id")
		})
	}
}

// Results that come back to an input of Confab, by way of a Collector, are not evaluated.
func TestOwnResultsAreNotAnswers(t *testing.T) {
	e := &encoder{}
	for name, encode := range map[string]func([]*schemas.Flag) ([]byte, error){"logs": e.logs, "spans": e.spans} {
		raw, err := encode([]*schemas.Flag{flag(nil)})
		require.NoError(t, err)
		d, err := otlpinput.NewDecoder(otlpinput.Options{})
		require.NoError(t, err)
		counts, err := d.Decode(raw, noAnswers{t})
		require.NoError(t, err)
		for i, outcome := range otlpinput.Outcomes() {
			if slices.Contains([]string{"answer", "rejected", "no_text", "unknown"}, outcome.String()) {
				require.Zero(t, counts[i], "%s: %s", name, outcome)
			}
		}
	}
}

// noAnswers is a sink that expects nothing.
type noAnswers struct{ t *testing.T }

func (noAnswers) New() *schemas.Interaction { return new(schemas.Interaction) }

func (n noAnswers) Accept(in *schemas.Interaction, _ int) { n.t.Errorf("evaluated: %s", in.ID) }

func (n noAnswers) Reject(bad *otlpinput.Rejected) { n.t.Errorf("rejected: %v", bad.Err) }

func (noAnswers) Unknown([]string) {}
