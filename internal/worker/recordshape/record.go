package recordshape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"confab/schemas"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/scan"
)

// Shape is a shape of records that Confab does not read as it is. The zero value is an unknown one.
type Shape struct {
	What   string // "this looks like …"
	Preset string // that reads it; "" for none
	Remedy string // what to do, with FILE for the file; "" where a map reads it
}

// Hint is what the shape looks like, with the remedy; "" for an unknown shape. how says how a preset is used, with PRESET
// for its name; name is the file's.
func (s Shape) Hint(how, name string) string {
	const page = "see docs/existing-topics.md"
	switch {
	case s.What == "":
		return ""
	case s.Remedy != "":
		return s.What + ": " + strings.ReplaceAll(s.Remedy, "FILE", name)
	case s.Preset == "":
		return s.What + ": " + page
	}
	return s.What + ": " + strings.ReplaceAll(how, "PRESET", s.Preset) + "; " + page
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

func (f fields) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := f[n]; return !ok })
}

func (f fields) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := f[n]; return ok })
}

// object is the member as an object; nil if it is not one. JSON inside a string is read too.
func (f fields) object(name string) fields {
	raw := f[name]
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	var o fields
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s)
	return s
}

// shapes are known records of other tools, the more particular ones first.
//
//nolint:gochecknoglobals // read-only table
var shapes = []struct {
	looks func(f fields) bool
	shape Shape
}{
	{func(f fields) bool { return f.has("incident_id", "signals") }, Shape{What: "these are flags that Confab wrote, not interactions", Remedy: "name the file of interactions"}},
	{func(f fields) bool { return f.hasAny("resourceSpans", "resourceLogs", "scopeSpans") }, Shape{What: "this looks like an OTLP JSON export", Remedy: "set format: otlp_json of the input, or read the file with --preset otlp"}},
	{isOpenInference, Shape{What: "this looks like OpenInference spans (Phoenix)", Preset: "openinference"}},
	{isLangfuse, Shape{What: "this looks like a Langfuse export", Preset: "langfuse"}},
	{func(f fields) bool {
		return f.hasAny("litellm_call_id", "litellm_params", "litellm_model_name") || f.has("call_type", "startTime", "response")
	}, Shape{What: "this looks like a LiteLLM payload", Preset: "litellm"}},
	{func(f fields) bool { return f.text("object") == "chat.completion.chunk" }, Shape{What: "these are chunks of streamed answers", Remedy: "join them first, " +
		`e.g. jq -sc 'group_by(.id)[] | {interaction_id: .[0].id, model: .[0].model, finish_reason: map(.choices[0].finish_reason // empty)[-1], answer: (map(.choices[0].delta.content // "") | add)}' FILE > interactions.jsonl`}},
	{isCompletion, Shape{What: "this looks like an OpenAI chat completion", Preset: "openai"}},
	{isResponse, Shape{What: "this looks like an OpenAI response", Preset: "openai"}},
	{func(f fields) bool { return f.text("type") == "message" && f.has("role", "content") }, Shape{What: "this looks like an Anthropic message"}},
	{func(f fields) bool { return f.hasAny("actual_output", "retrieval_context") }, Shape{What: "this looks like a DeepEval test case"}},
	{func(f fields) bool { return f.hasAny("retrieved_contexts") || f.has("user_input", "response") }, Shape{What: "this looks like a Ragas sample", Preset: "ragas"}},
	{func(f fields) bool { return f.has("question", "contexts") || f.has("contexts", "answer") }, Shape{What: "this looks like a Ragas sample", Preset: "ragas"}},
	{func(f fields) bool { return f.hasAny("source_documents") || f.has("input", "context", "answer") }, Shape{What: "this looks like the result of a LangChain chain", Preset: "langchain"}},
	{func(f fields) bool { return f.has("run_type", "inputs", "outputs") }, Shape{What: "this looks like a run of LangChain or LangSmith", Preset: "langchain"}},
	{isConversation, Shape{What: "this looks like conversations that end with the answer", Remedy: "write them apart, e.g. " +
		"jq -c '{messages: .messages[:-1], answer: .messages[-1].content}' FILE > interactions.jsonl"}},
	{func(f fields) bool { return f.has("messages") && !f.has("answer") }, Shape{What: "this looks like the messages of an OpenAI request, without the answer"}},
	{func(f fields) bool { return f.has("prompt", "completion") || f.has("instruction", "output") }, Shape{What: "this looks like fine-tuning data"}},
}

// listNames are members that hold the records in exports and answers of APIs.
//
//nolint:gochecknoglobals // read-only table
var listNames = []string{"data", "items", "results", "rows", "records", "observations", "spans", "runs", "samples", "examples", "interactions", "logs", "test_cases", "testCases"}

// Record recognises the JSON object of a line. A preset that it names reads the line.
func Record(line []byte) Shape {
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{'")) {
		return Shape{What: "this looks like a Python dict as text", Remedy: "write it with json.dumps"}
	}
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return Shape{}
	}
	if s := describeNested(f); s.What != "" {
		return s
	}
	for _, s := range shapes {
		if s.looks(f) {
			return s.shape.checked(line)
		}
	}
	return Shape{}
}

// describeNested recognises one object that holds all records; the zero value is another object.
func describeNested(f fields) Shape {
	if f.hasAny("answer", "response", "actual_output", "choices") {
		return Shape{}
	}
	for _, name := range listNames {
		var items []fields
		if json.Unmarshal(f[name], &items) == nil && len(items) > 0 {
			return Shape{What: "this is one object with its records in " + name, Remedy: "write one per line, e.g. jq -c '." + name + "[]' FILE > records.jsonl"}
		}
	}
	for name := range f {
		if len(f) < 2 || !f.object(name).has("0") {
			return Shape{}
		}
	}
	return Shape{What: "this is a table by columns, as pandas writes it by default", Remedy: "write it with to_json('records.jsonl', orient='records', lines=True)"}
}

// checked returns the shape with its preset only if that reads the record; else it says what the preset does.
func (s Shape) checked(record []byte) Shape {
	if s.Preset == "" {
		return s
	}
	err := readByPreset(s.Preset, record)
	if err == nil {
		return s
	}
	if errors.Is(err, schemasjson.ErrSkipped) {
		return Shape{What: s.What, Remedy: "the preset " + s.Preset + " skips this record, since its filter wants others of that tool: " +
			"to read this one, name its answer and its sources in a map without the preset, see docs/existing-topics.md"}
	}
	field := "answer"
	if fault, ok := errors.AsType[*scan.Error](err); ok && fault.Field != "" {
		field = fault.Field
	}
	return Shape{What: s.What, Remedy: fmt.Sprintf("the preset %[1]s finds no %[2]s in this record: name its place beside the preset, "+
		"as in map: {preset: %[1]s, %[2]s: /POINTER}, see docs/existing-topics.md", s.Preset, field)}
}

// readByPreset returns why the preset does not read the record; nil if its filter matches and its map finds the answer.
func readByPreset(name string, record []byte) error {
	p, err := FindPreset(name)
	if err != nil {
		return err
	}
	filter, err := schemasjson.NewFilter(p.Where)
	if err != nil {
		return err
	}
	m, err := schemasjson.NewMapping(p.Map)
	if err != nil {
		return err
	}
	if len(p.Where) > 0 && !filter.Match(record) {
		return schemasjson.ErrSkipped
	}
	var in schemas.Interaction
	return m.WithLimits(schemasjson.Options{Zone: time.UTC}).Decode(record, &in)
}

// isCompletion finds choices in the record, in its response, or in the body of that, as in logs and batch results.
func isCompletion(f fields) bool {
	for _, path := range [][]string{nil, {"response"}, {"response", "body"}, {"body"}, {"output"}, {"kwargs", "response"}} {
		o := f
		for _, name := range path {
			o = o.object(name)
		}
		if o.has("choices") {
			return true
		}
	}
	return false
}

// isResponse finds a result of the Responses API, alone or with its request.
func isResponse(f fields) bool {
	o := f
	if f.has("response") {
		o = f.object("response")
	}
	return o.text("object") == "response" && o.has("output")
}

// isConversation reports whether the last message is the assistant's.
func isConversation(f fields) bool {
	var messages []fields
	if f.has("answer") || json.Unmarshal(f["messages"], &messages) != nil || len(messages) < 2 {
		return false
	}
	last := messages[len(messages)-1]
	return last.text("role") == "assistant" && last.text("content") != ""
}

func isLangfuse(f fields) bool {
	kind := f.text("type")
	switch {
	case f.hasAny("projectId", "project_id") && f.hasAny("traceId", "trace_id", "observations", "input"):
		return true
	case slices.Contains([]string{"GENERATION", "SPAN", "EVENT"}, kind) && f.hasAny("traceId", "trace_id", "input"):
		return true
	}
	return f.has("observations", "input", "output")
}

func isOpenInference(f fields) bool {
	for name := range f {
		if strings.HasPrefix(name, "attributes.llm.") || strings.HasPrefix(name, "attributes.openinference") || strings.HasPrefix(name, "llm.output_messages") {
			return true
		}
	}
	attributes := f.object("attributes")
	for name := range attributes {
		if strings.HasPrefix(name, "openinference.") || strings.HasPrefix(name, "llm.") {
			return true
		}
	}
	return attributes.hasAny("llm", "openinference")
}

// spanRecord begins a record of spans or log records, as the Collector's file exporter writes it.
var spanRecord = regexp.MustCompile(`^\s*\{\s*"resource_?([sS]pans|[lL]ogs)"\s*:`)

// IsSpans reports whether a file or line begins like a record of spans or log records in OTLP JSON.
func IsSpans(head []byte) bool { return spanRecord.Match(head) }

// UnreadSpans is the number of spans of an OTLP record that a map does not reach: all but the first.
func UnreadSpans(line []byte) int {
	if !IsSpans(line) {
		return 0
	}
	return max(0, bytes.Count(line, []byte(`"startTimeUnixNano"`))-1)
}

// DescribeSpans says what to do about spans that were not read.
func DescribeSpans(n int, name string) string {
	return fmt.Sprintf("%d spans were not read, since a map reads the first of each record: confab check %s --preset otlp reads all", n, name)
}

// FieldNames are up to eight names of a JSON object, sorted; nil for other lines.
func FieldNames(line []byte) []string {
	const most = 8
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(f))
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return names
}
