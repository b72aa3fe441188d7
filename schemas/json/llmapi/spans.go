package llmapi

import (
	"slices"
	"strings"
)

// spanOf returns the kind, the input and the output of an item of a trace, which may lie in a member of it.
func spanOf(item value) (kind string, in, out value) {
	for _, v := range []value{item.get("span_data"), item.get("attributes"), item} {
		kind = strings.ToLower(v.get("type", "span_type", "run_type", "mlflow.spanType").unwrapped().text())
		in, out = v.get("input", "inputs", "mlflow.spanInputs"), v.get("output", "outputs", "mlflow.spanOutputs")
		if kind != "" && out.kind() != 0 {
			return kind, in, out
		}
	}
	return "", value{}, value{}
}

// callOf returns the last call of a model in a list of spans.
func callOf(list value) (in, out value) {
	if list.kind() != '[' || list.first().get("span_id", "span_data", "object", "type").kind() == 0 {
		return value{}, value{}
	}
	for item := range list.items() {
		kind, asked, answered := spanOf(item)
		if slices.Contains([]string{"generation", "llm", "chat_model", "completion"}, kind) && asked.kind() != 0 {
			in, out = asked, answered
		}
	}
	return in, out
}

// spans reads a trace: the last call of a model in it, with what retrievers and tools returned.
func (a *Answers) spans(list value, depth int) bool {
	_, out := callOf(list)
	if out.kind() == 0 || !a.read(out.unwrapped(), depth+1) {
		return false
	}
	a.form = "trace"
	for item := range list.items() {
		a.tools = toolsOf(a.tools, item.get("span_data").get("tools"))
		if kind, _, result := spanOf(item); slices.Contains([]string{"retriever", "retrieval", "tool", "function"}, kind) {
			a.sources = sourcesOf(a.sources, result.unwrapped())
		}
	}
	return true
}
