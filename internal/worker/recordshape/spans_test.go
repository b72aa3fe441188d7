package recordshape

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
)

// Spans that stand alone become one record of OTLP for each trace, in any usual spelling.
func TestTraces(t *testing.T) {
	for name, spans := range map[string][]string{
		"names of OTLP": {
			`{"traceId":"0A","spanId":"1","name":"chat","startTimeUnixNano":"1795255200000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}`,
			`{"traceId":"0A","spanId":"2","parentSpanId":"1","name":"execute_tool","attributes":[]}`,
		},
		"a context": {
			`{"name":"chat","context":{"trace_id":"0x0a","span_id":"0x1"},"parent_id":null,"kind":"SpanKind.CLIENT","start_time":"2026-11-21T10:00:00Z","attributes":{"gen_ai.operation.name":"chat"},"resource":{"attributes":{"service.name":"a"}}}`,
			`{"name":"execute_tool","context":{"trace_id":"0x0a","span_id":"0x2"},"parent_id":"0x1","attributes":{}}`,
		},
		"capitals": {
			`{"Name":"chat","SpanContext":{"TraceID":"a","SpanID":"1"},"StartTime":"2026-11-21T10:00:00Z","Attributes":[{"Key":"gen_ai.operation.name","Value":{"Type":"STRING","Value":"chat"}}]}`,
			`{"Name":"execute_tool","SpanContext":{"TraceID":"a","SpanID":"2"},"Parent":{"SpanID":"1"},"Attributes":[]}`,
		},
		"objects within each other": {
			`{"span_name":"chat","trace_id":"a","span_id":"1","start_time":1795255200000,"status":"ERROR","attributes":{"gen_ai":{"operation":{"name":"chat"}}}}`,
			`{"span_name":"execute_tool","trace_id":"a","span_id":"2","parent_span_id":"1","attributes":{},"events":[{"name":"e","attributes":{"k":[1]}}]}`,
		},
	} {
		require.True(t, IsSpans([]byte(spans[0]+"\n"+spans[1])), name)
		lines, err := files.NewLines(strings.NewReader(spans[0]+"\n{\"other\":1}\n"+spans[1]), 1<<20)
		require.NoError(t, err)
		lines = Traces(lines)
		line, err := lines.Next()
		require.NoError(t, err)
		var read struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						Name, TraceID, SpanID, ParentSpanID, StartTimeUnixNano string
						Attributes                                             []struct {
							Key   string
							Value any
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(line, &read), name)
		require.Len(t, read.ResourceSpans, 2, name)
		chat, tool := read.ResourceSpans[0].ScopeSpans[0].Spans[0], read.ResourceSpans[1].ScopeSpans[0].Spans[0]
		require.Equal(t, "chat", chat.Name, name)
		require.Equal(t, strings.Repeat("0", 31)+"a", chat.TraceID, name)
		require.Equal(t, "1795255200000000000", chat.StartTimeUnixNano, name)
		last := chat.Attributes[len(chat.Attributes)-1]
		require.Contains(t, []string{"gen_ai.operation.name"}, last.Key, name)
		require.Equal(t, chat.SpanID, tool.ParentSpanID, name)
		line, err = lines.Next()
		require.NoError(t, err)
		require.JSONEq(t, `{"other":1}`, string(line), name)
		_, err = lines.Next()
		require.ErrorIs(t, err, io.EOF, name)
	}
	for _, other := range []string{
		`{"name":"chat","trace_id":"a","span_id":"1"}`, `{"trace_id":"a","span_id":"1","name":"x","attributes":{},"answer":"Yes."}`, `{"name":"x","attributes":{}}`,
		`{"trace_id":"a","span_id":"1","name":"x","attributes":"text"}`, `[1]`, ``,
	} {
		require.False(t, IsSpans([]byte(other)), other)
	}
}

// An id of other letters has a digest, so that its spans stay together.
func TestFixedID(t *testing.T) {
	require.Equal(t, "000000000000001f", fixedID("0x1F", 8))
	require.Len(t, fixedID("run 7", 16), 32)
	require.NotEqual(t, fixedID("run 7", 16), fixedID("run 8", 16))
}

// A span of a strange form is read as far as it goes, and takes no more than some times its size.
func TestStrangeSpans(t *testing.T) {
	const head = `{"name":"chat","trace_id":"a","span_id":"1",`
	for _, rest := range []string{
		`"attributes":{"k":"v"},"events":[null,1,{"name":"e"}]}`,
		`"attributes":[{"key":"k"},null,{"key":"k","value":null}]}`,
		`"attributes":` + strings.Repeat(`{"k":`, 2000) + `"v"` + strings.Repeat("}", 2001),
	} {
		trace, span := readSpan([]byte(head + rest))
		require.Equal(t, "a", trace, rest[:20])
		require.Contains(t, string(span), `"key":"k"`)
		require.Less(t, len(span), 1000+20*len(rest))
	}
	for range 20 {
		trace, _ := readSpan([]byte(head + `"traceId":"b","attributes":{}}`))
		require.Equal(t, "a", trace)
	}
}
