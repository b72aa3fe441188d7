package otlp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"confab/schemas/json/scan"
)

// atMost fits records of up to n bytes.
func atMost(n int) func([]byte) bool { return func(r []byte) bool { return len(r) <= n } }

// The records of a request hold its spans once, each with its resource and scope, and traces are whole where they fit.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var request tracepb.TracesData
		var want []string
		sizes := map[string]int{}
		number := 0
		for r := range rapid.IntRange(1, 3).Draw(t, "resources") {
			resource := &tracepb.ResourceSpans{Resource: resource(), SchemaUrl: fmt.Sprint("r", r)}
			for s := range rapid.IntRange(0, 3).Draw(t, "scopes") {
				scope := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: fmt.Sprint("s", s)}}
				for range rapid.IntRange(0, 6).Draw(t, "spans") {
					trace := rapid.IntRange(0, 4).Draw(t, "trace")
					one := span(1, 0, 1, "x", strings.Repeat("y", rapid.IntRange(0, 300).Draw(t, "size")))
					one.Name, one.TraceId = fmt.Sprint(number), id(16, byte(trace))
					number++
					scope.Spans = append(scope.Spans, one)
					want = append(want, fmt.Sprint("r", r, "s", s, one.GetName()))
					sizes[string(one.GetTraceId())] += proto.Size(one) + 100 // with resource and scope
				}
				resource.ScopeSpans = append(resource.ScopeSpans, scope)
			}
			request.ResourceSpans = append(request.ResourceSpans, resource)
		}
		raw, err := proto.Marshal(&request)
		require.NoError(t, err)
		limit := rapid.IntRange(1, 3000).Draw(t, "limit")
		records, left, err := Split(raw, atMost(limit))
		require.NoError(t, err)
		var got []string
		in := map[string][]int{} // records by trace
		for i, record := range records {
			require.LessOrEqual(t, len(record), limit)
			var part tracepb.TracesData
			require.NoError(t, proto.Unmarshal(record, &part))
			for _, r := range part.GetResourceSpans() {
				require.Equal(t, resource().String(), r.GetResource().String())
				for _, s := range r.GetScopeSpans() {
					for _, one := range s.GetSpans() {
						got = append(got, r.GetSchemaUrl()+s.GetScope().GetName()+one.GetName())
						in[string(one.GetTraceId())] = append(in[string(one.GetTraceId())], i)
					}
				}
			}
		}
		require.Len(t, got, len(want)-left)
		require.Subset(t, want, got)
		for trace, at := range in {
			if trace != "" && sizes[trace] < limit {
				require.Len(t, slices.Compact(at), 1, "trace %x that fits is whole", trace)
			}
		}
	})
}

// Log records are split, too.
func TestSplitLogs(t *testing.T) {
	var all []*logspb.LogRecord
	for i := range 10 {
		all = append(all, &logspb.LogRecord{TimeUnixNano: uint64(i + 1), TraceId: id(16, byte(i/2+1)), Body: value(strings.Repeat("z", 100))})
	}
	raw, err := proto.Marshal(logs(all...))
	require.NoError(t, err)
	records, left, err := Split(raw, atMost(500))
	require.NoError(t, err)
	require.Zero(t, left)
	n := 0
	for _, record := range records {
		var part logspb.LogsData
		require.NoError(t, proto.Unmarshal(record, &part))
		list := part.GetResourceLogs()[0].GetScopeLogs()[0].GetLogRecords()
		require.Zero(t, len(list)%2, "two of each trace")
		n += len(list)
	}
	require.Equal(t, 10, n)
}

func TestSplitRefuses(t *testing.T) {
	raw, err := proto.Marshal(traces(chat(1, 0, 1, "Yes.")))
	require.NoError(t, err)
	many := bytes.Repeat([]byte{0x12, 0}, maxEntries+1) // spans without anything
	for name, c := range map[string]struct {
		request []byte
		reason  string
	}{
		"cut off":  {raw[:len(raw)-1], scan.ReasonSyntax},
		"a text":   {[]byte("answer"), scan.ReasonSyntax},
		"too many": {appendField(nil, 1, appendField(nil, 2, many)), scan.ReasonTooMany},
	} {
		_, _, err := Split(c.request, atMost(1<<20))
		var bad *scan.Error
		require.ErrorAs(t, err, &bad, name)
		require.Equal(t, c.reason, bad.Reason, name)
	}
}

// A request that would make much larger records costs a bounded time and is refused: a large resource of many small spans, many
// resources and scopes of spans that do not fit.
func TestSplitIsBounded(t *testing.T) {
	small := bytes.Repeat([]byte{0x12, 0}, 60_000)
	large := appendField(nil, 1, bytes.Repeat([]byte{0x0a, 0}, 100_000))
	scopes := bytes.Repeat([]byte{0x12, 2, 0x12, 0}, 60_000)
	for name, request := range map[string][]byte{
		"resource": appendField(nil, 1, slices.Concat(large, appendField(nil, 2, small))),
		"scopes":   appendField(nil, 1, slices.Concat(large, scopes)),
	} {
		for _, limit := range []int{1, 200_000, 200_100} {
			began, sum := time.Now(), 0
			records, left, err := Split(request, atMost(limit))
			for _, record := range records {
				sum += len(record)
			}
			require.True(t, err != nil || left == 60_000 || sum < 4*len(request)+1<<20, "%s: %d records of %d bytes", name, len(records), sum)
			require.Less(t, time.Since(began), 10*time.Second, name)
		}
	}
}

// A record in JSON is read as such among those in protobuf, also a short one.
func TestJSONAmongProtobuf(t *testing.T) {
	m := traces(chat(1, 0, 1, "Yes."))
	for isJSON, raw := range encodings(t, m) {
		var c collected
		n, err := newDecoder(t, Options{}).Decode(raw, &c)
		require.NoError(t, err)
		require.Equal(t, 1, n[Answer], isJSON)
	}
	short := appendField(nil, 1, appendField(nil, 5, make([]byte, '{'-2)))
	require.Equal(t, "\n{", string(short[:2]), "begins like JSON behind a line break")
	_, err := newDecoder(t, Options{}).Decode(short, &collected{})
	require.NoError(t, err)
}
