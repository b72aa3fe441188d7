package mapping

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Spans need no map: what is read of them is shown, or the attributes where no answer is known.
func TestSpansAreShown(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "examples", "presets", "langfuse.otlp.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var out, said strings.Builder
	require.NoError(t, Run(f, &out, &said, Options{Name: "spans.jsonl"}))
	require.Empty(t, out.String())
	require.Contains(t, said.String(), "read without a map. Answers in its first lines: 6\n   1 answer:   Standard parcels")
	require.Equal(t, maxShown, strings.Count(said.String(), " answer:   "))
	require.Contains(t, said.String(), "Next: confab check spans.jsonl")

	said.Reset()
	span := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"llm",` +
		`"startTimeUnixNano":"1","attributes":[{"key":"llm.reply","value":{"stringValue":"Within 90 days of the delivery of the goods."}},{"key":"llm.vendor","value":{"stringValue":"m"}}]}]}]}]}`
	require.NoError(t, Run(strings.NewReader(span), &out, &said, Options{Name: "spans.jsonl"}))
	require.Contains(t, said.String(), "whose answer is not known: llm.reply")
}

// Long texts are looked at in part.
func TestLongLines(t *testing.T) {
	line := `{"frage":"Wie lange ist die Frist?","antwort":"Die Frist ist 90 Tage.","treffer":[{"inhalt":"Die Frist ist 30 Tage. ` +
		strings.Repeat("Das ist ein langer Text. ", 80_000) + `"}]}` + "\n"
	var out, said strings.Builder
	began := time.Now()
	require.NoError(t, Run(strings.NewReader(strings.Repeat(line, 4)), &out, &said, Options{Name: "f"}))
	require.Contains(t, out.String(), "answer: /antwort")
	require.Less(t, time.Since(began), 20*time.Second)
}

// Spans with an input and an output are read as calls, questions and answers; a root that repeats an answer is none.
func TestPlainSpansAreShown(t *testing.T) {
	for name, spans := range map[string]string{
		"members": `{"trace":"1","span":"3","parent":"1","name":"tool/orders.get","start_ms":1794646800300,"input":{"id":"88121"},"output":{"id":"88121","status":"in transit"}}
{"trace":"1","span":"4","parent":"1","name":"llm/answer","start_ms":1794646800400,"input":[{"role":"user","content":"Where is order 88121?"}],"output":"Order 88121 is in transit.","model":"small-4"}
{"trace":"1","span":"1","parent":null,"name":"turn","start_ms":1794646800310,"input":"Where is order 88121?","output":"Order 88121 is in transit."}`,
		"attributes": `{"trace_id":"1","span_id":"3","parent_id":"1","name":"get","start_time":1794646800300,"attributes":{"kind":"tool","input":"{\"id\":\"88121\"}","output":"{\"status\":\"in transit\"}"}}
{"trace_id":"1","span_id":"4","parent_id":"1","name":"say","start_time":1794646800400,"attributes":{"kind":"llm","input":"[{\"role\":\"user\",\"content\":\"Where is order 88121?\"}]","output":"Order 88121 is in transit.","model":"small-4"}}
{"trace_id":"1","span_id":"1","parent_id":null,"name":"turn","start_time":1794646800310,"attributes":{"kind":"chain","input":"Where is order 88121?","output":"Order 88121 is in transit."}}`,
	} {
		var out, said strings.Builder
		require.NoError(t, Run(strings.NewReader(spans), &out, &said, Options{Name: "s"}), name)
		require.Empty(t, out.String(), name)
		require.Contains(t, said.String(), "Answers in its first lines: 1\n   1 answer:   Order 88121 is in transit.\n     question: Where is order 88121?\n", name)
		require.Contains(t, said.String(), "calls of tools: 1, with results: 1, the first: ", name)
		require.Contains(t, said.String(), "time:     2026-11-14T09:00:00Z\n     model:    small-4\n", name)
	}
}
