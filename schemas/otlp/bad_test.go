package otlp

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// Values that cannot be read cost their field, another convention's value where there is one, or their span, never others.
func TestBadAttributes(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := map[string]struct {
		span      *tracepb.Span
		outcome   Outcome
		reason    string // of a dead letter
		malformed []string
		check     func(t *testing.T, in *schemas.Interaction)
	}{
		"number for text": {
			chat(1, 0, 1, "yes", "gen_ai.response.id", 4711, "gen_ai.response.model", 7), Answer, "", nil,
			func(t *testing.T, in *schemas.Interaction) {
				require.Equal(t, "4711", in.ID)
				require.Equal(t, "7", in.Model)
			},
		},
		"text for number": {
			chat(1, 0, 1, "yes", "gen_ai.request.temperature", "0.5"), Answer, "", nil,
			func(t *testing.T, in *schemas.Interaction) { require.InDelta(t, 0.5, in.Temperature, 0) },
		},
		"no number":          {chat(1, 0, 1, "yes", "gen_ai.request.temperature", "warm"), Answer, "", []string{"temperature"}, nil},
		"list for text":      {chat(1, 0, 1, "yes", "gen_ai.response.model", []any{"a"}), Answer, "", []string{"model"}, nil},
		"bytes for text":     {chat(1, 0, 1, "yes", "gen_ai.provider.name", []byte("a")), Answer, "", []string{"provider"}, nil},
		"cut prompt":         {chat(1, 0, 1, "yes", "gen_ai.input.messages", `[{"role":"us`), Answer, "", []string{"messages", "messages.cut_off"}, nil},
		"cut sources":        {chat(1, 0, 1, "yes", "rag.sources_json", `[{"id":"1","text":"a`), Answer, "", []string{"sources"}, nil},
		"sources as a text":  {chat(1, 0, 1, "yes", "rag.sources_json", `no JSON`), Answer, "", []string{"sources"}, nil},
		"cut tokens":         {chat(1, 0, 1, "yes", "llm.response.tokens_json", `[{"token":"y`), Answer, "", []string{"logprobs"}, nil},
		"tags":               {chat(1, 0, 1, "yes", "tag.tags", 7), Answer, "", []string{"tags"}, nil},
		"cut answer":         {span(1, 0, 1, "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assi`), Rejects, ReasonBadAnswer, nil, nil},
		"answer of no shape": {span(1, 0, 1, "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[7]`), Rejects, scan.ReasonWrongType, nil, nil},
		"answer too deep":    {span(1, 0, 1, "gen_ai.operation.name", "chat", "gen_ai.output.messages", strings.Repeat("[", 100)), Rejects, scan.ReasonTooDeep, nil, nil},
		"cut answer beside another": {
			span(1, 0, 1, "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assi`, "llm.output_messages.0.message.content", "yes"), Answer, "", nil,
			func(t *testing.T, in *schemas.Interaction) { require.Equal(t, "yes", in.Answer) },
		},
		"no text":       {span(1, 0, 1, "gen_ai.operation.name", "chat", "gen_ai.request.model", "m"), NoText, "", nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, schemas.NotRecorded, in.NoAnswer) }},
		"hidden text":   {span(1, 0, 1, "openinference.span.kind", "LLM", "output.value", "__REDACTED__"), NoText, "", nil, nil},
		"empty answer":  {chat(1, 0, 1, ""), Answer, "", nil, func(t *testing.T, in *schemas.Interaction) { require.Empty(t, in.NoAnswer) }},
		"failed call":   {&tracepb.Span{TraceId: id(16, 1), Attributes: pairs{"gen_ai.operation.name", "chat"}.list(), Status: &tracepb.Status{Code: 2}}, Failed, "", nil, nil},
		"other service": {span(1, 0, 1, "http.method", "GET"), Other, "", nil, nil},
		"new operation": {span(1, 0, 1, "gen_ai.operation.name", "dream", "gen_ai.output.messages", quoteMessage("a", "b")), Context, "", nil, nil},
		"no operation":  {span(1, 0, 1, "gen_ai.request.model", "m"), Unknown, "", nil, nil},
		"bad ids": {
			&tracepb.Span{TraceId: []byte("x"), SpanId: id(8, 1), Attributes: chat(1, 0, 1, "yes").Attributes}, Answer, "",
			[]string{"trace_id"},
			func(t *testing.T, in *schemas.Interaction) { require.Empty(t, in.ID, "its coordinates name it") },
		},
		"no ids":        {&tracepb.Span{Attributes: chat(1, 0, 1, "yes").Attributes}, Answer, "", nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, NoTraceID, in.NoSources) }},
		"ends far away": {&tracepb.Span{EndTimeUnixNano: 1<<64 - 1, Attributes: chat(1, 0, 1, "yes").Attributes}, Answer, "", nil, nil},
		"long property": {chat(1, 0, 1, "yes", "traceloop.association.properties.a", long), Answer, "", nil, func(t *testing.T, in *schemas.Interaction) { require.Empty(t, in.Attributes) }},
		"huge index":    {chat(1, 0, 1, "yes", "llm.input_messages.99999999999.message.content", "a"), Answer, "", nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, counts := decodeBoth(t, traces(tt.span, chat(9, 0, 9, "the neighbour")), Options{})
			want := Counts{}
			want[tt.outcome]++
			want[Answer]++
			require.Equal(t, want, counts)
			last := len(c.found) - 1
			require.Equal(t, "the neighbour", c.found[last].Answer)
			require.Equal(t, 1, c.indexes[last])
			if tt.reason != "" {
				require.Len(t, c.rejected, 1)
				require.Equal(t, tt.reason, c.rejected[0].Err.Reason)
				require.NotContains(t, c.rejected[0].Err.Error(), "assi", "no text of the record")
			}
			if last > 0 {
				require.Equal(t, tt.malformed, c.found[0].Malformed)
				if tt.check != nil {
					tt.check(t, c.found[0])
				}
			}
		})
	}
}

// A text that is not UTF-8 costs its value only, in whatever part of a span or resource; an answer costs its span. JSON cannot
// hold it.
func TestBadUTF8(t *testing.T) {
	flat := span(3, 0, 3, "gen_ai.operation.name", "chat", "gen_ai.completion.0.content", "BROKEN")
	named := chat(2, 0, 2, "fine", "gen_ai.request.model", "MODEL", "MODEL", "a key", "tag.tags", []any{"a", "MODEL"})
	named.Name, named.TraceState = "MODEL", "MODEL"
	raw, err := proto.Marshal(traces(chat(1, 0, 1, "BROKEN", "gen_ai.request.model", "MODEL"), named, flat))
	require.NoError(t, err)
	text := strings.NewReplacer("BROKEN", "BRO\xffEN", "MODEL", "MO\xffEL", "desk", "d\xffsk").Replace(string(raw))
	var c collected
	counts, err := newDecoder(t, Options{Where: map[string][]string{"/resource/attributes/deployment": {"test"}}}).Decode([]byte(text), &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Answer: 1, Rejects: 2}, counts)
	require.Equal(t, "fine", c.found[0].Answer)
	require.Empty(t, c.found[0].Service)
	require.Equal(t, []string{"model", "tags"}, c.found[0].Malformed)
	for _, bad := range c.rejected {
		require.Equal(t, scan.ReasonBadUTF8, bad.Err.Reason)
	}
}

// A resource in protobuf that is broken is the fault of the record: without its attributes, its spans might be filtered.
func TestBrokenResource(t *testing.T) {
	wrap := func(num protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	raw, err := proto.Marshal(chat(1, 0, 1, "yes"))
	require.NoError(t, err)
	_, err = newDecoder(t, Options{}).Decode(wrap(1, append(wrap(1, []byte("\x0a\x7f")), wrap(2, wrap(2, raw))...)), &collected{})
	var fault *scan.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, scan.ReasonSyntax, fault.Reason)
}

// A record that is cut off anywhere has no spans, or all of those that its outer messages hold.
func TestTruncatedRecords(t *testing.T) {
	for isJSON, raw := range encodings(t, traces(chat(1, 0, 1, "yes"), chat(2, 0, 2, "no"))) {
		d := newDecoder(t, Options{JSON: isJSON})
		for n := 1; n < len(raw); n++ {
			var c collected
			_, err := d.Decode(raw[:n], &c)
			var bad *scan.Error
			require.ErrorAs(t, err, &bad, "cut at %d", n)
			require.Equal(t, scan.ReasonSyntax, bad.Reason)
			require.Empty(t, c.found)
		}
	}
}

// A span whose bytes are broken is a dead letter of that span alone, which is read alone again.
func TestBrokenSpanAlone(t *testing.T) {
	good, err := proto.Marshal(chat(1, 0, 1, "yes"))
	require.NoError(t, err)
	broken := append(append([]byte{}, good...), 0x4a, 0x7f) // an attribute of 127 bytes that is not there
	var scopeSpans []byte
	for _, s := range [][]byte{good, broken, good} {
		scopeSpans = protowire.AppendBytes(protowire.AppendTag(scopeSpans, 2, protowire.BytesType), s)
	}
	wrap := func(num protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	record := wrap(1, wrap(2, scopeSpans))
	d := newDecoder(t, Options{})
	var c collected
	counts, err := d.Decode(record, &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Answer: 1, Rejects: 1, Duplicate: 1}, counts)
	require.Equal(t, 1, c.rejected[0].Index)
	require.Equal(t, wrap(1, wrap(2, wrap(2, broken))), c.rejected[0].Value)
	var again collected
	counts, err = d.Decode(c.rejected[0].Value, &again)
	require.NoError(t, err)
	require.Equal(t, Counts{Rejects: 1}, counts)
}

func TestDuplicates(t *testing.T) {
	again := chat(1, 0, 1, "yes")
	other := chat(1, 0, 1, "no")
	c, counts := decodeBoth(t, traces(chat(1, 0, 1, "yes"), again, other), Options{})
	require.Equal(t, Counts{Answer: 2, Duplicate: 1}, counts)
	require.Equal(t, []int{0, 2}, c.indexes, "the same id with another answer is another incident")
	require.Equal(t, c.found[0].ID, c.found[1].ID)
}

// Ten thousand spans of one trace, as one batch of the Collector holds.
func TestManySpans(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	spans := []*tracepb.Span{retriever(1, 0, 1, "A passage.")}
	for i := range 9_999 {
		s := chat(0, 0, uint64(2+i), "answer "+strconv.Itoa(i))
		s.SpanId = protowire.AppendFixed64(nil, uint64(i)+1000)
		spans = append(spans, s)
	}
	c, counts := decodeBoth(t, traces(spans...), Options{MaxBytes: 8 << 20})
	require.Equal(t, Counts{Answer: 9_999, Context: 1}, counts)
	require.Equal(t, schemas.SourcesFromRetriever, c.found[9_998].SourcesFrom)
}

// Records of many small parts and deep ones cost what they weigh.
func TestBombs(t *testing.T) {
	wrap := func(num protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	nested, err := proto.Marshal(value("x"))
	require.NoError(t, err)
	for range 5_000 {
		nested = wrap(5, wrap(1, nested))
	}
	attribute := append(wrap(1, []byte("gen_ai.output.messages")), wrap(2, nested)...)
	operation, err := proto.Marshal(pairs{"gen_ai.operation.name", "chat"}.list()[0])
	require.NoError(t, err)
	tests := map[string]struct {
		raw    []byte
		json   bool
		reason string // of the record
		counts Counts
	}{
		"spans":            {wrap(1, wrap(2, []byte(strings.Repeat("\x12\x00", maxEntries+1)))), false, scan.ReasonTooMany, Counts{}},
		"spans in JSON":    {[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}` + strings.Repeat(",{}", maxEntries) + `]}]}]}`), true, scan.ReasonTooMany, Counts{}},
		"deep in JSON":     {[]byte(`{"resourceSpans":[{"new":` + strings.Repeat("[", 100_000)), true, scan.ReasonTooDeep, Counts{}},
		"deep value":       {wrap(1, wrap(2, wrap(2, append(wrap(9, operation), wrap(9, attribute)...)))), false, "", Counts{Rejects: 1}},
		"attributes":       {wrap(1, wrap(2, wrap(2, []byte(strings.Repeat(string(wrap(9, wrap(1, []byte("llm.a")))), 20_000))))), false, "", Counts{Rejects: 1}},
		"length of 2^63":   {[]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), false, scan.ReasonSyntax, Counts{}},
		"overlong varint":  {[]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false, scan.ReasonSyntax, Counts{}},
		"groups":           {[]byte(strings.Repeat("\x0b", 50_000)), false, scan.ReasonSyntax, Counts{}},
		"field 0":          {[]byte{0x02, 0x00}, false, scan.ReasonSyntax, Counts{}},
		"empty":            {nil, false, "", Counts{}},
		"an interaction":   {[]byte(`{"answer":"x"}`), true, scan.ReasonWrongType, Counts{}},
		"unknown fields":   {[]byte(`{"resourceSpans":[{"new":1,"scopeSpans":[{"spans":[{"new":[{}]}]}]}]}`), true, "", Counts{Other: 1}},
		"too large record": {make([]byte, 8<<20), false, scan.ReasonTooLarge, Counts{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var c collected
			counts, err := newDecoder(t, Options{JSON: tt.json, MaxBytes: 4 << 20}).Decode(tt.raw, &c)
			if tt.reason == "" {
				require.NoError(t, err)
				require.Equal(t, tt.counts, counts)
				return
			}
			var bad *scan.Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, tt.reason, bad.Reason)
		})
	}
}

// Message events of older GenAI belong to the answer of the same span, whatever their order; a second choice is no answer.
func TestLogRecords(t *testing.T) {
	event := func(spanID byte, name string, body any) *logspb.LogRecord {
		return &logspb.LogRecord{TraceId: id(16, 1), SpanId: id(8, spanID), EventName: name, Body: value(body), ObservedTimeUnixNano: 5e9}
	}
	c, counts := decodeBoth(t, logs(
		event(1, "gen_ai.choice", pairs{"index", 0, "message", pairs{"role", "assistant", "content", "yes"}, "finish_reason", "stop"}),
		event(1, "gen_ai.choice", pairs{"index", 1, "message", pairs{"content", "no"}}),
		event(2, "gen_ai.user.message", pairs{"content", "of another span"}),
		event(1, "gen_ai.user.message", pairs{"content", "really?"}),
		event(1, "gen_ai.tool.message", pairs{"content", "it is so", "id", "call_1"}),
		event(0, "gen_ai.novelty", pairs{}),
		event(0, "http.request", pairs{}),
	), Options{})
	require.Equal(t, Counts{Answer: 1, Context: 4, Unknown: 1, Other: 1}, counts)
	require.Equal(t, "yes", c.found[0].Answer)
	require.Equal(t, "stop", c.found[0].FinishReason)
	require.Equal(t, int64(5), c.found[0].OccurredAt.Unix())
	require.Equal(t, []schemas.Message{{Role: "user", Content: "really?"}, {Role: "tool", Content: "it is so"}}, c.found[0].Messages)
}

// Many answers and many messages of one span do not multiply.
func TestManyEventsOfOneSpan(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	var list []*logspb.LogRecord
	for i := range 3_000 {
		for name, body := range map[string]any{"gen_ai.user.message": pairs{"content", "q"}, "gen_ai.choice": pairs{"message", pairs{"content", strconv.Itoa(i)}}} {
			list = append(list, &logspb.LogRecord{TraceId: id(16, 1), SpanId: id(8, 1), EventName: name, Body: value(body)})
		}
	}
	c, _ := decodeBoth(t, logs(list...), Options{MaxBytes: 4 << 20})
	require.Len(t, c.found, 3_000)
	messages := 0
	for _, in := range c.found {
		messages += len(in.Messages)
	}
	require.Equal(t, 1<<16, messages)
	require.Len(t, c.found[0].Messages, 256)
	require.Equal(t, []string{schemas.FieldMessages}, c.found[2_999].Malformed)
}
