package otlp

import (
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// maxUnread bounds the names of attributes of one span that are told.
const maxUnread = 8

// minProse is the length from which a text may be a prompt or an answer.
const minProse = 16

// settled are the beginnings of keys whose texts are neither prompts nor answers.
//
//nolint:gochecknoglobals // a read-only table
var settled = []string{
	"gen_ai.system_instructions", "gen_ai.request.", "gen_ai.response.", "gen_ai.agent.", "gen_ai.tool.", "gen_ai.usage.", "gen_ai.evaluation.", "llm.tools", "llm.invocation_parameters",
	"llm.request.functions", "operation.name", "ai.operationId", "ai.settings.", "ai.prompt.tool", "ai.request.", "ai.response.providerMetadata", "metadata", "tag.tags", "error.", "exception.",
	"http.", "url.", "user_agent", "server.", "net.", "network.", "client.", "code.", "thread.", "process.", "db.", "rpc.", "messaging.", "otel.", "telemetry.",
	"service.", "os.", "host.", "container.", "k8s.", "cloud.", "faas.", "logfire.msg", "logfire.json_schema",
}

// unread are the keys of the attributes of a span and of its events that may hold an answer: long texts and JSON.
func unread(e *entry) (keys []string) {
	add := func(list []*commonpb.KeyValue) {
		for _, a := range list {
			key := a.GetKey()
			if len(keys) < maxUnread && isProse(a.GetValue()) && !slices.Contains(keys, key) && !isPrompt(key) &&
				!slices.ContainsFunc(settled, func(head string) bool { return strings.HasPrefix(key, head) }) {
				keys = append(keys, key)
			}
		}
	}
	add(e.attributes)
	for _, event := range e.events {
		add(event.GetAttributes())
	}
	return keys
}

// isToolCall reports the end of an answer that calls a tool and has no text.
func isToolCall(reason string) bool {
	return strings.Contains(reason, "tool") || strings.Contains(reason, "function")
}

// isPrompt reports an attribute with a prompt.
func isPrompt(key string) bool {
	return slices.ContainsFunc(requestPlaces, func(p place) bool {
		return p.at != "" && (key == p.at || p.form == formFlat && strings.HasPrefix(key, p.at))
	})
}

// isProse reports a value that may be a prompt or an answer.
func isProse(v *commonpb.AnyValue) bool {
	if isStructured(v) {
		return true
	}
	text := v.GetStringValue()
	return len(text) >= minProse && strings.ContainsAny(text, " [{")
}
