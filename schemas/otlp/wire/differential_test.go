package wire

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func keepAll(string) bool { return true }

// randomValue is a value of any kind, nested up to a depth.
func randomValue(r *rand.Rand, depth int) *commonpb.AnyValue {
	text := []string{"", "plain", "quoted \"text\"\n\tand \\ \u0001 ü 漢", strings.Repeat("long ", 50)}[r.IntN(4)]
	switch n := r.IntN(9); {
	case n == 0:
		return &commonpb.AnyValue{}
	case n == 1:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: r.IntN(2) == 1}}
	case n == 2:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(r.Uint64())}}
	case n == 3:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: r.NormFloat64()}}
	case n == 4:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte(text)}}
	case n == 5 && depth > 0:
		list := &commonpb.ArrayValue{}
		for range r.IntN(3) {
			list.Values = append(list.Values, randomValue(r, depth-1))
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}
	case n == 6 && depth > 0:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: randomPairs(r, depth-1)}}}
	}
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: text}}
}

func randomPairs(r *rand.Rand, depth int) (list []*commonpb.KeyValue) {
	for k := range r.IntN(4) {
		list = append(list, &commonpb.KeyValue{Key: string(rune('a' + k)), Value: randomValue(r, depth)})
	}
	return list
}

func randomTraces(r *rand.Rand) *tracepb.TracesData {
	m := &tracepb.TracesData{}
	for range r.IntN(3) {
		scope := &tracepb.ScopeSpans{SchemaUrl: "u"}
		for range r.IntN(3) {
			s := &tracepb.Span{
				TraceId: make([]byte, 16), SpanId: make([]byte, 8), TraceState: "a=b", Name: "name", Kind: tracepb.Span_SpanKind(r.IntN(6)),
				StartTimeUnixNano: r.Uint64(), EndTimeUnixNano: r.Uint64(), Attributes: randomPairs(r, 3), DroppedAttributesCount: 3,
				Events: []*tracepb.Span_Event{{TimeUnixNano: 1, Name: "gen_ai.choice", Attributes: randomPairs(r, 2)}, {Name: "exception"}},
				Links:  []*tracepb.Span_Link{{TraceId: []byte("x")}}, Status: &tracepb.Status{Code: tracepb.Status_StatusCode(r.IntN(3))}, Flags: 1,
			}
			s.TraceId[0], s.SpanId[0] = byte(r.IntN(256)), byte(r.IntN(256))
			scope.Spans = append(scope.Spans, s)
		}
		m.ResourceSpans = append(m.ResourceSpans, &tracepb.ResourceSpans{ScopeSpans: []*tracepb.ScopeSpans{scope}})
	}
	return m
}

// plainJSON is a value as the standard library sees it.
func plainJSON(v *commonpb.AnyValue) any {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_BytesValue:
		return v.BytesValue
	case *commonpb.AnyValue_ArrayValue:
		list := []any{}
		for _, item := range v.ArrayValue.GetValues() {
			list = append(list, plainJSON(item))
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		object := map[string]any{}
		for _, pair := range v.KvlistValue.GetValues() {
			object[pair.GetKey()] = plainJSON(pair.GetValue())
		}
		return object
	}
	return nil
}

func requireSameAttributes(t *testing.T, want []*commonpb.KeyValue, got []Attribute) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.Equal(t, w.GetKey(), got[i].Key)
		var scratch []byte
		v := got[i].Value
		if v.Structured() {
			text, ok := v.JSON(&scratch)
			require.True(t, ok)
			expected, err := json.Marshal(plainJSON(w.GetValue()))
			require.NoError(t, err)
			require.JSONEq(t, string(expected), string(text))
			continue
		}
		text, ok := v.Text(&scratch)
		switch plain := plainJSON(w.GetValue()).(type) {
		case nil, []byte:
			require.False(t, ok)
		case string:
			require.Equal(t, plain, text)
		default:
			expected, err := json.Marshal(plain)
			require.NoError(t, err)
			require.JSONEq(t, string(expected), text)
		}
	}
}

// What the lazy walk finds is what the generated types hold.
func TestSameAsTheGeneratedTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b Batch
	for range 500 {
		m := randomTraces(r)
		raw, err := proto.Marshal(m)
		require.NoError(t, err)
		require.Nil(t, b.ReadProto(raw, keepAll))
		requireSameSpans(t, m, &b)
		i := 0
		for _, resource := range m.GetResourceSpans() {
			for _, s := range resource.GetScopeSpans()[0].GetSpans() {
				e := &b.Entries[i]
				requireSameAttributes(t, s.GetAttributes(), e.Attributes)
				require.Len(t, e.Events, 1)
				requireSameAttributes(t, s.GetEvents()[0].GetAttributes(), e.Events[0].Attributes)
				alone := &tracepb.TracesData{}
				require.NoError(t, proto.Unmarshal(b.AppendEntry(nil, i), alone))
				require.True(t, proto.Equal(s, alone.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0]), "the span alone")
				i++
			}
		}
	}
}

func requireSameSpans(t *testing.T, m *tracepb.TracesData, b *Batch) {
	t.Helper()
	i := 0
	for _, resource := range m.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				require.Less(t, i, len(b.Entries))
				e := &b.Entries[i]
				i++
				if e.Log || e.Err != nil {
					continue // limits, or a message that is as well a log record
				}
				require.Equal(t, s.GetName(), e.Name)
				require.Equal(t, int32(s.GetKind()), e.Kind)
				require.Equal(t, [2]uint64{s.GetStartTimeUnixNano(), s.GetEndTimeUnixNano()}, [2]uint64{e.Start, e.End})
				require.Equal(t, s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR, e.Failed)
				require.Len(t, e.Attributes, len(s.GetAttributes()))
				if len(s.GetTraceId()) == 16 {
					require.Equal(t, string(s.GetTraceId()), string(e.Trace[:]))
				}
			}
		}
	}
	require.Len(t, b.Entries, i)
}

// What the generated types accept, the walk reads alike, and it never panics.
func FuzzProto(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		raw, err := proto.Marshal(randomTraces(r))
		require.NoError(f, err)
		f.Add(raw)
	}
	files, err := filepath.Glob("../../../examples/presets/otlp/*.binpb")
	require.NoError(f, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b Batch
		bad := b.ReadProto(raw, keepAll)
		spans, logs := &tracepb.TracesData{}, &logspb.LogsData{}
		if proto.Unmarshal(raw, spans) == nil {
			require.Nil(t, bad, "the generated types accept it")
			requireSameSpans(t, spans, &b)
		}
		if proto.Unmarshal(raw, logs) == nil && bad == nil {
			n := 0
			for _, resource := range logs.GetResourceLogs() {
				for _, scope := range resource.GetScopeLogs() {
					n += len(scope.GetLogRecords())
				}
			}
			require.Len(t, b.Entries, n)
		}
		if bad != nil {
			return
		}
		for i := range b.Entries {
			requireAlone(t, &b, i)
		}
	})
}

// requireAlone reads an entry again as a record of its own.
func requireAlone(t *testing.T, b *Batch, i int) {
	t.Helper()
	var alone Batch
	raw := b.AppendEntry(nil, i)
	if b.json {
		s := NewScanner()
		require.Nil(t, alone.ReadJSON(raw, &s, keepAll))
	} else {
		require.Nil(t, alone.ReadProto(raw, keepAll))
	}
	require.Len(t, alone.Entries, 1)
	got, want := &alone.Entries[0], &b.Entries[i]
	require.Equal(t, want.Trace, got.Trace)
	require.Equal(t, want.Name, got.Name)
	require.Equal(t, want.Err == nil, got.Err == nil)
	require.Len(t, got.Attributes, len(want.Attributes))
}

// JSON of any kind is read or refused, never both.
func FuzzJSON(f *testing.F) {
	files, err := filepath.Glob("../../../examples/presets/otlp/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Add([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}}]}}}]}]}]}`))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[{"name":"gen_ai.x","attributes":[{"key":"a","value":{"arrayValue":{}}}]}],"name":7}]}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b Batch
		s := NewScanner()
		if b.ReadJSON(raw, &s, keepAll) != nil {
			return
		}
		require.True(t, json.Valid(raw))
		for i := range b.Entries {
			requireAlone(t, &b, i)
			for k := range b.Entries[i].Attributes {
				var scratch []byte
				if text, ok := b.Entries[i].Attributes[k].Value.JSON(&scratch); ok {
					require.True(t, json.Valid(text))
				}
			}
		}
	})
}
