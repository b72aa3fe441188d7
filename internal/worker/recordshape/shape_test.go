package recordshape

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func wideText(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func TestFile(t *testing.T) {
	const line = `{"interaction_id":"i","answer":"yes"}`
	const (
		wide = "this is UTF-16 text: convert it first, e.g. iconv -f UTF-16 -t UTF-8 in.json > interactions.jsonl"
	)
	for name, c := range map[string]struct{ head, want string }{
		"interactions":             {line + "\n" + line + "\n", ""},
		"one line":                 {line, ""},
		"a long first line":        {`{"answer":"` + strings.Repeat("x", 1000), ""},
		"empty":                    {"", ""},
		"blank":                    {" \n\n", ""},
		"a cut first line":         {`{"answer":"ye` + "\n" + line + "\n", ""},
		"a comment first":          {"# exported, today\n" + line + "\n", ""},
		"words first":              {"exported, today\n" + line + "\n", ""},
		"prose":                    {"It was a dark night.\nThe rain fell, and fell.\n", ""},
		"a bad line with an array": {"[]\n" + line + "\n", ""},
		"a log":                    {"[2026-01-02 03:04:05] started\n[INFO] read\n", ""},
		"UTF-16 with a mark":       {"\xff\xfe" + wideText(line, binary.LittleEndian), wide},
		"UTF-16, big":              {"\xfe\xff" + wideText(line, binary.BigEndian), wide},
		"UTF-16 without a mark":    {wideText(line, binary.LittleEndian), "this is not text: expected one JSON object per line"},
		"zip":                      {"PK\x03\x04\x14\x00", "this is a zip archive: unpack it first, e.g. unzip -p in.json > interactions.jsonl"},
		"parquet":                  {"PAR1\x15\x04\x15", "this is a Parquet file: write JSON Lines first, e.g. in Python pandas.read_parquet('in.json').to_json('interactions.jsonl', orient='records', lines=True)"},
		"zstd":                     {"\x28\xb5\x2f\xfd\x00", "this is compressed by zstd: zstd -dc in.json | confab check -"},
		"HTML":                     {"<!DOCTYPE html>\n<html>", "this is an HTML page: was a login page saved instead of the file? Expected one JSON object per line"},
		"binary":                   {"\x7fELF\x02\x01\x01\x00\x00\x00", "this is not text: expected one JSON object per line"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, File([]byte(c.head), "in.json")) })
	}
}

func TestRecord(t *testing.T) {
	const (
		see, page = ": see docs/existing-topics.md", "; see docs/existing-topics.md"
		fails     = "the preset openai finds no answer in this record: name its place beside the preset, as in map: {preset: openai, answer: /POINTER}, see docs/existing-topics.md"
		skips     = " skips this record, since its filter wants others of that tool: to read this one, name its answer and its sources in a map without the preset, see docs/existing-topics.md"
	)
	for name, c := range map[string]struct{ line, want string }{
		"own":                   {`{"interaction_id":"i","messages":[],"answer":"yes","sources":[]}`, ""},
		"not JSON":              {`{"choices":`, ""},
		"an array":              {`[{"choices":[]}]`, ""},
		"completion":            {`{"id":"chatcmpl-1","object":"chat.completion","choices":[{"message":{"content":"yes"}}]}`, "this looks like an OpenAI chat completion" + ": use openai" + page},
		"chunk":                 {`{"id":"c","object":"chat.completion.chunk","choices":[{"delta":{"content":"x"}}]}`, "these are chunks of streamed answers: join them first, e.g. jq -sc 'group_by(.id)[] | {interaction_id: .[0].id, model: .[0].model, finish_reason: map(.choices[0].finish_reason // empty)[-1], answer: (map(.choices[0].delta.content // \"\") | add)}' in.json > interactions.jsonl"},
		"with its request":      {`{"request":{"messages":[]},"response":{"id":"c","choices":[{"message":{"content":"a"}}]}}`, "this looks like an OpenAI chat completion" + ": use openai" + page},
		"in a string":           {`{"request":"{}","response":"{\"id\":\"c\",\"choices\":[{\"message\":{\"content\":\"a\"}}]}"}`, "this looks like an OpenAI chat completion: " + fails},
		"batch result":          {`{"custom_id":"1","response":{"status_code":200,"body":{"id":"c","choices":[{"message":{"content":"a"}}]}}}`, "this looks like an OpenAI chat completion" + ": use openai" + page},
		"responses":             {`{"id":"r","object":"response","output":[{"content":[{"text":"a"}]}]}`, "this looks like an OpenAI response" + ": use openai" + page},
		"response of a request": {`{"request":{"input":"q"},"response":{"id":"r","object":"response","output":[{"content":[{"text":"a"}]}]}}`, "this looks like an OpenAI response" + ": use openai" + page},
		"LangSmith":             {`{"id":"1","run_type":"llm","inputs":{},"outputs":{"generations":[[{"text":"a"}]]}}`, "this looks like a run of LangChain or LangSmith" + ": use langchain" + page},
		"conversation":          {`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, "this looks like conversations that end with the answer: write them apart, e.g. jq -c '{messages: .messages[:-1], answer: .messages[-1].content}' in.json > interactions.jsonl"},
		"pages of an API":       {`{"data":[{"id":"1"}],"meta":{"page":1}}`, "this is one object with its records in data: write one per line, e.g. jq -c '.data[]' in.json > records.jsonl"},
		"a trace":               {`{"id":"t","projectId":"p","input":{},"observations":[{"type":"GENERATION"}]}`, "this is one object with its records in observations: write one per line, e.g. jq -c '.observations[]' in.json > records.jsonl"},
		"ids of a trace":        {`{"id":"t","input":{},"output":{},"observations":["o"]}`, "this looks like a Langfuse export: " + "the preset langfuse" + skips},
		"columns":               {`{"question":{"0":"q","1":"r"},"reply":{"0":"a","1":"b"}}`, "this is a table by columns, as pandas writes it by default: write it with to_json('records.jsonl', orient='records', lines=True)"},
		"request":               {`{"model":"m","messages":[]}`, "this looks like the messages of an OpenAI request, without the answer" + see},
		"Anthropic":             {`{"type":"message","role":"assistant","content":[]}`, "this looks like an Anthropic message" + see},
		"LiteLLM":               {`{"id":"1","call_type":"acompletion","startTime":1.5,"messages":[],"status":"success","response":{"id":"c","choices":[{"message":{"content":"a"}}]}}`, "this looks like a LiteLLM payload" + ": use litellm" + page},
		"Langfuse":              {`{"id":"1","type":"GENERATION","traceId":"t","input":{},"output":"a"}`, "this looks like a Langfuse export" + ": use langfuse" + page},
		"Langfuse trace":        {`{"id":"1","projectId":"p","input":"q","output":"a"}`, "this looks like a Langfuse export: " + "the preset langfuse" + skips},
		"LangSmith's root run":  {`{"id":"1","run_type":"chain","inputs":{"question":"q"},"outputs":{"answer":"a"}}`, "this looks like a run of LangChain or LangSmith: " + "the preset langchain" + skips},
		"no answer in a reply":  {`{"id":"r","object":"response","output":[{"type":"function_call"}]}`, "this looks like an OpenAI response: " + fails},
		"OTLP":                  {`{"resourceSpans":[]}`, "this looks like an OTLP JSON export: set format: otlp_json of the input, or read the file with --preset otlp"},
		"OpenInference":         {`{"name":"llm","attributes":{"openinference.span.kind":"LLM","llm.output_messages.0.message.content":"a"}}`, "this looks like OpenInference spans (Phoenix)" + ": use openinference" + page},
		"Phoenix data frame":    {`{"context.span_id":"1","span_kind":"LLM","attributes.llm.model_name":"m","attributes.llm.output_messages":[{"message.content":"a"}]}`, "this looks like OpenInference spans (Phoenix)" + ": use openinference" + page},
		"Ragas":                 {`{"user_input":"q","response":"a","retrieved_contexts":[]}`, "this looks like a Ragas sample" + ": use ragas" + page},
		"Ragas, older":          {`{"question":"q","answer":"a","contexts":[],"ground_truth":"x"}`, "this looks like a Ragas sample" + ": use ragas" + page},
		"DeepEval":              {`{"input":"q","actual_output":"a","retrieval_context":[]}`, "this looks like a DeepEval test case" + see},
		"LangChain":             {`{"query":"q","result":"a","source_documents":[]}`, "this looks like the result of a LangChain chain" + ": use langchain" + page},
		"flags":                 {`{"incident_id":"00","signals":[]}`, "these are flags that Confab wrote, not interactions: name the file of interactions"},
		"Python dict":           {`{'answer': 'yes'}`, "this looks like a Python dict as text: write it with json.dumps"},
		"null members":          {`{"response":null,"attributes":3,"choices2":[]}`, ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Record([]byte(c.line)).Hint("use PRESET", "in.json")) })
	}
}

// The examples of existing topics are recognised.
func TestRecordOfExamples(t *testing.T) {
	for name, want := range map[string]string{"openai.jsonl": "OpenAI chat completion", "litellm.jsonl": "LiteLLM payload"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "existing-topics", name))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			require.Contains(t, Record([]byte(line)).What, want)
		}
	}
}

func TestUnreadSpans(t *testing.T) {
	const span = `{"spanId":"1","startTimeUnixNano":"1"}`
	for name, c := range map[string]struct {
		line string
		want int
	}{
		"own":       {`{"answer":"resourceSpans"}`, 0},
		"one":       {`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `]}]}]}`, 0},
		"a batch":   {`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `,` + span + `]},{"spans":[` + span + `]}]},{"scopeSpans":[{"spans":[` + span + `]}]}]}`, 3},
		"none":      {`{"resourceSpans":[]}`, 0},
		"not JSON":  {`{"resourceSpans":[`, 0},
		"not spans": {`{"resourceSpans":{}}`, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, UnreadSpans([]byte(c.line))) })
	}
	require.Contains(t, DescribeSpans(3, "in.json"), "3 spans were not read")
	require.Contains(t, DescribeSpans(3, "in.json"), "confab check in.json --preset otlp")
}

func TestFieldNames(t *testing.T) {
	require.Equal(t, []string{"a", "z"}, FieldNames([]byte(`{"z":1,"a":{"b":2}}`)))
	require.Nil(t, FieldNames([]byte(`[1]`)))
	require.Len(t, FieldNames([]byte(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`)), 9, "eight and a mark")
}

func TestIsSpans(t *testing.T) {
	for head, want := range map[string]bool{
		`{"resourceSpans":[{`: true, " {\n \"resourceLogs\": [": true, `{"resource_spans":[`: true,
		`{"answer":"resourceSpans"}`: false, `{"resourceSpansX":[]}`: false, "": false,
	} {
		require.Equal(t, want, IsSpans([]byte(head)), head)
	}
}
