package otlp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
)

// decodeSpan decodes a record of one span of trace 1, in both encodings, with what is known of its trace.
func decodeSpan(t *testing.T, s *tracepb.Span, record int64, known map[bool]*TraceSpans) *collected {
	t.Helper()
	var last collected
	var texts []string
	for isJSON, raw := range encodings(t, traces(s)) {
		var c collected
		counts, _, err := newDecoder(t, Options{JSON: isJSON, Join: true}).DecodeTrace(raw, record, known[isJSON], &c)
		require.NoError(t, err)
		last = c
		texts = append(texts, describe(&c, counts))
		clear(raw) // nothing that is known points into a record
	}
	require.Equal(t, texts[0], texts[1], "protobuf and JSON")
	return &last
}

func newKnown() map[bool]*TraceSpans {
	return map[bool]*TraceSpans{false: {Trace: [16]byte{15: 1}}, true: {Trace: [16]byte{15: 1}}}
}

// An answer whose trace comes span by span takes the passages that it takes from one record.
func TestJoinAcrossRecords(t *testing.T) {
	for name, tt := range joinCases() {
		t.Run(name, func(t *testing.T) {
			known := newKnown()
			answer := slices.IndexFunc(tt.spans, func(s *tracepb.Span) bool { return s.SpanId[7] == 3 })
			for i, s := range tt.spans {
				if i != answer {
					decodeSpan(t, s, int64(i), known)
				}
			}
			c := decodeSpan(t, tt.spans[answer], int64(answer), known)
			require.Len(t, c.found, 1)
			want := tt.want
			if name == "another trace" {
				want = NoRetriever
			}
			var got []string
			for _, s := range c.found[0].Sources {
				got = append(got, s.Text)
			}
			require.Equal(t, want, strings.Join(got, " ")+c.found[0].NoSources)
		})
	}
}

// A record that is decoded again learns nothing from itself, and a span that comes twice counts once.
func TestRecordsDecodedAgain(t *testing.T) {
	known := newKnown()
	require.Equal(t, TraceIncomplete, decodeSpan(t, chat(3, 1, 3, "x"), 7, known).found[0].NoSources)
	size := known[false].Bytes()
	decodeSpan(t, retriever(2, 1, 2, "A"), 8, known)
	decodeSpan(t, retriever(2, 1, 2, "B"), 9, known)
	for range 2 {
		c := decodeSpan(t, chat(3, 1, 3, "x"), 7, known)
		require.Len(t, c.found, 1, "it is not a duplicate of itself")
		require.Len(t, c.found[0].Sources, 1)
		require.Equal(t, "A", c.found[0].Sources[0].Text)
	}
	require.Greater(t, known[false].Bytes(), size)
	require.True(t, known[false].HasAnswers())
}

// A record that is decoded again takes as many passages as before.
func TestManyPassagesDecodedAgain(t *testing.T) {
	spans := []*tracepb.Span{chat(3, 1, 40, "x")}
	for i := range byte(16) {
		spans = append(spans, retriever(100+i, 1, uint64(i)+1, fmt.Sprint(i)))
	}
	raw, err := proto.Marshal(traces(spans...))
	require.NoError(t, err)
	known := &TraceSpans{Trace: [16]byte{15: 1}}
	for range 3 {
		var c collected
		_, _, err = newDecoder(t, Options{Join: true}).DecodeTrace(raw, 1, known, &c)
		require.NoError(t, err)
		require.Len(t, c.found[0].Sources, 16)
	}
}

// A library's span around a call is not read again when the call came in an earlier record.
func TestWrapperInAnotherRecord(t *testing.T) {
	known := newKnown()
	require.Len(t, decodeSpan(t, chat(3, 2, 3, "x"), 1, known).found, 1)
	require.Empty(t, decodeSpan(t, chat(2, 1, 2, "x"), 2, known).found)
	require.Len(t, decodeSpan(t, chat(1, 0, 1, "another answer"), 3, known).found, 1)
}

// What is known of one trace is bounded, also when it is large: the latest spans of each kind.
func TestKnownSpansAreBounded(t *testing.T) {
	known := &TraceSpans{Trace: [16]byte{15: 1}}
	d := newDecoder(t, Options{Join: true})
	for record := range int64(3) {
		spans := make([]*tracepb.Span, 0, 10_000)
		for i := range 10_000 {
			s := retriever(0, 1, 2, fmt.Sprintf("%d %d", record, i))
			s.SpanId = []byte{byte(record + 1), 0, 0, 0, 0, 0, byte(i >> 8), byte(i)}
			spans = append(spans, s)
		}
		raw, err := proto.Marshal(traces(spans...))
		require.NoError(t, err)
		var c collected
		d.maxBytes = len(raw)
		_, parts, err := d.DecodeTrace(raw, record, known, &c)
		require.NoError(t, err)
		require.Equal(t, TraceParts{Sources: true}, parts)
	}
	require.Len(t, known.spans, maxKnownSpans)
	require.Equal(t, "2 9999", known.spans[maxKnownSpans-1].passages[0].Text)
	size := 0
	for i := range known.spans {
		size += known.spans[i].size()
	}
	require.Equal(t, size+knownSpanBytes, known.Bytes())
}

// joinedByAnswer decodes records of spans, twice with what is known of their traces, and returns the sources of each answer.
func joinedByAnswer(t *testing.T, records [][]byte, across bool) map[string][]schemas.Source {
	t.Helper()
	d := newDecoder(t, Options{Join: true})
	known := map[[16]byte]*TraceSpans{}
	var sources map[string][]schemas.Source
	for range 2 {
		sources = map[string][]schemas.Source{}
		for i, raw := range records {
			var c collected
			var err error
			if trace := traceOf(t, raw); across {
				if known[trace] == nil {
					known[trace] = &TraceSpans{Trace: trace}
				}
				_, _, err = d.DecodeTrace(raw, int64(i), known[trace], &c)
			} else {
				_, err = d.Decode(raw, &c)
			}
			require.NoError(t, err)
			for _, in := range c.found {
				sources[in.TraceID+" "+in.SpanID] = in.Sources
			}
		}
	}
	return sources
}

func traceOf(t *testing.T, raw []byte) (trace [16]byte) {
	t.Helper()
	var data tracepb.TracesData
	require.NoError(t, proto.Unmarshal(raw, &data))
	copy(trace[:], data.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetTraceId())
	return trace
}

// splitByScope splits a record by trace and instrumentation library, as partition_traces_by_id of the Collector does.
func splitByScope(t *testing.T, data *tracepb.TracesData) (records [][]byte) {
	t.Helper()
	for _, r := range data.GetResourceSpans() {
		for _, scope := range r.GetScopeSpans() {
			byTrace := map[string][]*tracepb.Span{}
			var order []string
			for _, s := range scope.GetSpans() {
				if byTrace[string(s.GetTraceId())] == nil {
					order = append(order, string(s.GetTraceId()))
				}
				byTrace[string(s.GetTraceId())] = append(byTrace[string(s.GetTraceId())], s)
			}
			for _, trace := range order {
				raw, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
					Resource: r.GetResource(), ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope.GetScope(), Spans: byTrace[trace]}},
				}}})
				require.NoError(t, err)
				records = append(records, raw)
			}
		}
	}
	return records
}

// Recordings that are split by trace and library are joined as they are whole.
func TestRecordingsAcrossRecords(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*traces.binpb"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var answers, whole, alone, across int
	count := func(sources map[string][]schemas.Source) (n int) {
		for _, list := range sources {
			if len(list) > 0 {
				n++
			}
		}
		return n
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var data tracepb.TracesData
		require.NoError(t, proto.Unmarshal(raw, &data))
		records := splitByScope(t, &data)
		want := joinedByAnswer(t, [][]byte{raw}, false)
		got := joinedByAnswer(t, records, true)
		for id, sources := range want {
			require.Len(t, got[id], len(sources), "%s %s", name, id)
		}
		answers, whole = answers+len(want), whole+count(want)
		alone, across = alone+count(joinedByAnswer(t, records, false)), across+count(got)
	}
	t.Logf("%d answers; with sources: %d in whole records, %d of records by trace and library, %d joined across them", answers, whole, alone, across)
	require.Equal(t, whole, across)
}
