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

// Exports of tools whose spans are lines, or rows of a table, are joined: the answer, its question and what the retriever found.
func TestExportedSpansAreJoined(t *testing.T) {
	const found, asked = "Goods can be returned within 30 days.", "How long may I return goods?"
	for name, spans := range map[string]string{
		"langsmith": `{"id":"r1","trace_id":"t1","parent_run_id":null,"name":"chain","run_type":"chain","start_time":"2026-11-01T09:00:00Z","inputs":{"question":"ASKED"},"outputs":{"answer":"Within 30 days of delivery."},"extra":{"metadata":{"thread_id":"talk"}}}
{"id":"r2","trace_id":"t1","parent_run_id":"r1","name":"store","run_type":"retriever","start_time":"2026-11-01T09:00:01Z","inputs":{"query":"ASKED"},"outputs":{"documents":[{"page_content":"FOUND"}]}}
{"id":"r3","trace_id":"t1","parent_run_id":"r1","name":"model","run_type":"llm","start_time":"2026-11-01T09:00:02Z","inputs":{"messages":[{"role":"user","content":"ASKED"}]},"outputs":{"choices":[{"message":{"role":"assistant","content":"Within 30 days of delivery."}}]},"extra":{"metadata":{"ls_model_name":"small-4","thread_id":"talk"}}}`,
		"braintrust": `{"id":"r1","span_id":"r1","root_span_id":"r1","created":"2026-11-01T09:00:00Z","span_attributes":{"name":"rag","type":"task"},"input":"ASKED","output":"Within 30 days of delivery."}
{"id":"r2","span_id":"r2","root_span_id":"r1","created":"2026-11-01T09:00:01Z","span_attributes":{"name":"retrieve","type":"function"},"input":"ASKED","output":[{"content":"FOUND"}]}
{"id":"r3","span_id":"r3","root_span_id":"r1","created":"2026-11-01T09:00:02Z","span_attributes":{"name":"chat","type":"llm"},"input":[{"role":"user","content":"ASKED"}],"output":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Within 30 days of delivery."}}],"metadata":{"model":"small-4","thread_id":"talk"}}`,
		"weave": `{"id":"r1","trace_id":"t1","parent_id":null,"op_name":"weave:///o/p/op/answer:1","started_at":"2026-11-01T09:00:00Z","inputs":{"question":"ASKED"},"output":"Within 30 days of delivery."}
{"id":"r2","trace_id":"t1","parent_id":"r1","op_name":"weave:///o/p/op/retrieve:1","started_at":"2026-11-01T09:00:01Z","inputs":{"query":"ASKED"},"output":["FOUND"]}
{"id":"r3","trace_id":"t1","parent_id":"r1","op_name":"weave:///o/p/op/openai.chat.completions.create:1","thread_id":"talk","started_at":"2026-11-01T09:00:02Z","inputs":{"messages":[{"role":"user","content":"ASKED"}]},"output":{"model":"small-4","choices":[{"message":{"role":"assistant","content":"Within 30 days of delivery."}}]}}`,
		"arize": `context.trace_id,context.span_id,parent_id,name,start_time,attributes.openinference.span.kind,attributes.input.value,attributes.output.value,attributes.retrieval.documents,attributes.session.id,attributes.llm.model_name
1,1,,chain,2026-11-01T09:00:00Z,CHAIN,ASKED,Within 30 days of delivery.,,talk,small-4
1,2,1,store,2026-11-01T09:00:01Z,RETRIEVER,ASKED,,"[{""document.content"":""FOUND""}]",talk,
`,
	} {
		var out, said strings.Builder
		file := strings.NewReplacer("ASKED", asked, "FOUND", found).Replace(spans)
		require.NoError(t, Run(strings.NewReader(file), &out, &said, Options{Name: "s"}), name)
		require.Contains(t, said.String(), "Answers in its first lines: 1\n   1 answer:   Within 30 days of delivery.\n     question: "+asked+"\n", name)
		require.Contains(t, said.String(), "\n     passages: 1, the first: ", name)
		require.Contains(t, said.String(), found, name)
		if name == "weave" {
			continue // its root, which has no model, is the answer
		}
		require.Contains(t, said.String(), "model:    small-4\n     talk:     talk\n", name)
		if name != "arize" {
			require.Contains(t, said.String(), "id:       r3\n", name)
		}
	}
}
