package fileshape

import (
	"encoding/json"
	"slices"
	"strings"
)

// seeTopics is the page on records of other shapes.
const seeTopics = ": see docs/existing-topics.md"

// tryPreset is the remedy for records of a shape that a preset reads.
func tryPreset(name string) string {
	return ": read it with --preset " + name + ", or in Kafka with map: {preset: " + name + "}; see docs/existing-topics.md"
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
	what  string
}{
	{func(f fields) bool { return f.has("incident_id", "signals") }, "these are flags that Confab wrote, not interactions"},
	{func(f fields) bool { return f.hasAny("resourceSpans", "resourceLogs", "scopeSpans") }, "this looks like an OTLP JSON export" + seeTopics},
	{isOpenInference, "this looks like OpenInference spans (Phoenix)" + tryPreset("openinference")},
	{isLangfuse, "this looks like a Langfuse export" + tryPreset("langfuse")},
	{func(f fields) bool {
		return f.hasAny("litellm_call_id", "litellm_params", "litellm_model_name") || f.has("call_type", "startTime", "response")
	}, "this looks like a LiteLLM payload" + tryPreset("litellm")},
	{isCompletion, "this looks like an OpenAI chat completion" + tryPreset("openai")},
	{isResponse, "this looks like an OpenAI response" + tryPreset("openai")},
	{func(f fields) bool { return f.text("type") == "message" && f.has("role", "content") }, "this looks like an Anthropic message" + seeTopics},
	{func(f fields) bool { return f.hasAny("actual_output", "retrieval_context") }, "this looks like a DeepEval test case" + seeTopics},
	{func(f fields) bool { return f.hasAny("retrieved_contexts") || f.has("user_input", "response") }, "this looks like a Ragas sample" + tryPreset("ragas")},
	{func(f fields) bool { return f.has("question", "contexts") || f.has("contexts", "answer") }, "this looks like a Ragas sample" + tryPreset("ragas")},
	{func(f fields) bool { return f.hasAny("source_documents") || f.has("input", "context", "answer") }, "this looks like the result of a LangChain chain" + tryPreset("langchain")},
	{func(f fields) bool { return f.has("run_type", "inputs", "outputs") }, "this looks like a run of LangChain or LangSmith" + tryPreset("langchain")},
	{isConversation, "this looks like conversations that end with the answer: write them apart, e.g. " +
		"jq -c '{messages: .messages[:-1], answer: .messages[-1].content}' FILE > interactions.jsonl"},
	{func(f fields) bool { return f.has("messages") && !f.has("answer") }, "this looks like the messages of an OpenAI request, without the answer" + seeTopics},
	{func(f fields) bool { return f.has("prompt", "completion") || f.has("instruction", "output") }, "this looks like fine-tuning data: name its answer in a map" + seeTopics},
}

// Record says what the JSON object of a line looks like, with the remedy; "" if it has no known foreign shape. The text names
// the file as the given name.
func Record(line []byte, name string) string {
	return strings.ReplaceAll(describeRecord(line), "FILE", name)
}

func describeRecord(line []byte) string {
	if trimmed := strings.TrimSpace(string(line[:min(len(line), 4)])); strings.HasPrefix(trimmed, "{'") {
		return "this looks like a Python dict as text: write it with json.dumps"
	}
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return ""
	}
	if what := describeNested(f); what != "" {
		return what
	}
	for _, s := range shapes {
		if s.looks(f) {
			return s.what
		}
	}
	return ""
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
