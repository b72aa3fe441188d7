package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// value is an attribute's value from a Go value.
func value(v any) *commonpb.AnyValue {
	switch v := v.(type) {
	case string:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: v}}
	case int:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(v)}}
	case float64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}}
	case bool:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v}}
	case []byte:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: v}}
	case []any:
		list := &commonpb.ArrayValue{}
		for _, item := range v {
			list.Values = append(list.Values, value(item))
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}
	case pairs:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: v.list()}}}
	}
	return nil
}

// pairs are keys with values, one after another.
type pairs []any

func (p pairs) list() (list []*commonpb.KeyValue) {
	for i := 0; i+1 < len(p); i += 2 {
		list = append(list, &commonpb.KeyValue{Key: p[i].(string), Value: value(p[i+1])})
	}
	return list
}

// id is an id of n bytes that ends in k; nil for 0.
func id(n int, k byte) []byte {
	if k == 0 {
		return nil
	}
	b := make([]byte, n)
	b[n-1] = k
	return b
}

// span is a span of trace 1 with that id, parent and start in seconds; it takes half a second.
func span(self, parent byte, start uint64, attributes ...any) *tracepb.Span {
	return &tracepb.Span{
		TraceId: id(16, 1), SpanId: id(8, self), ParentSpanId: id(8, parent), Name: "s", Kind: tracepb.Span_SPAN_KIND_CLIENT,
		StartTimeUnixNano: start * 1e9, EndTimeUnixNano: start*1e9 + 5e8, Attributes: pairs(attributes).list(),
	}
}

// chat is a span of current GenAI with an answer.
func chat(self, parent byte, start uint64, answer string, more ...any) *tracepb.Span {
	return span(self, parent, start, append([]any{
		"gen_ai.operation.name", "chat", "gen_ai.output.messages", quoteMessage("assistant", answer),
	}, more...)...)
}

func quoteMessage(role, text string) string {
	b, _ := json.Marshal([]any{map[string]any{"role": role, "parts": []any{map[string]any{"type": "text", "content": text}}}})
	return string(b)
}

// retriever is a span of OpenInference with one document.
func retriever(self, parent byte, start uint64, text string) *tracepb.Span {
	return span(self, parent, start, "openinference.span.kind", "RETRIEVER", "retrieval.documents.0.document.content", text)
}

func resource() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: pairs{"service.name", "desk", "deployment", "test"}.list()}
}

func traces(spans ...*tracepb.Span) *tracepb.TracesData {
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: resource(), ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "lib"}, Spans: spans}},
	}}}
}

func logs(records ...*logspb.LogRecord) *logspb.LogsData {
	return &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource: resource(), ScopeLogs: []*logspb.ScopeLogs{{LogRecords: records}},
	}}}
}

// encodings are the two forms of a record.
func encodings(t testing.TB, m proto.Message) map[bool][]byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	return map[bool][]byte{false: raw, true: toJSON(t, m)}
}

// toJSON is OTLP JSON: protobuf's, with ids in hexadecimal.
func toJSON(t testing.TB, m proto.Message) []byte {
	t.Helper()
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(text, &tree))
	hexIDs(t, tree)
	text, err = json.Marshal(tree)
	require.NoError(t, err)
	return text
}

func hexIDs(t testing.TB, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			hexIDs(t, item)
		}
	case map[string]any:
		for name, item := range v {
			if text, ok := item.(string); ok && (name == "traceId" || name == "spanId" || name == "parentSpanId") {
				raw, err := base64.StdEncoding.DecodeString(text)
				require.NoError(t, err)
				v[name] = hex.EncodeToString(raw)
			} else {
				hexIDs(t, item)
			}
		}
	}
}

// decodeBoth decodes a record in both encodings, which must hold the same, and returns what it holds.
func decodeBoth(t *testing.T, m proto.Message, o Options) (*collected, Counts) {
	t.Helper()
	var texts []string
	var last collected
	var counts Counts
	for isJSON, raw := range encodings(t, m) {
		o.JSON, o.Join = isJSON, true
		var c collected
		n, err := newDecoder(t, o).Decode(raw, &c)
		require.NoError(t, err)
		last, counts = c, n
		texts = append(texts, describe(&c, n))
	}
	require.Equal(t, texts[0], texts[1], "protobuf and JSON")
	return &last, counts
}
