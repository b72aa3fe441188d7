package llmapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"confab/schemas"
)

// stepNames are the members of a step in the log of an agent that may say what it is.
//
//nolint:gochecknoglobals // a read-only table
var stepNames = []string{"type", "kind", "event", "event_type", "step", "role", "author", "sender", "from", "action"}

// kindOfStep is what a step of an agent is, see [EventKind], by its first word that says more than who did it; what has arguments is a call
// with its result. name is that word.
func kindOfStep(v value) (name, kind string) {
	for _, n := range stepNames {
		word := v.member(n).text()
		said := EventKind(word)
		if n == "action" && said == roleTool { // or the tool's name
			word = ""
		}
		if kind == "" || isTool(said) && !isTool(kind) {
			name, kind = word, said
		}
	}
	if kind == "" && v.get(toolNames...).text() != "" && v.get(argumentNames...).kind() != 0 {
		return "", roleTool
	}
	return name, kind
}

func isTool(kind string) bool { return kind == EventCall || kind == EventResult || kind == roleTool }

// IsLog reports a list of the steps of an agent, with calls of tools or in a form that no API has.
func IsLog(raw []byte) bool {
	in := schemas.Interaction{Temperature: schemas.UnknownTemperature}
	v, err := open(raw)
	return err == nil && (isLog(v) || Request(raw, &in) == nil && len(in.Calls) > 0)
}

// isLog reports a list of the steps of an agent, of which one is in a form that no API has: a call, a result, or what someone says; or
// of turns with such lists.
func isLog(list value) bool {
	found := false
	for item := range list.items() {
		if item.kind() != '{' {
			return false
		}
		_, kind := kindOfStep(item)
		found = found || isOwnStep(item, kind)
		for _, member := range item.members() {
			found = found || kind == "" && member.kind() == '[' && isLog(member)
		}
	}
	return found
}

// isOwnStep reports a step of a kind in a form that no API has.
func isOwnStep(item value, kind string) bool {
	return item.member(stepMember).kind() != 0 || isTool(kind) && !isWhole(item) || (kind == roleUser || kind == roleAssistant) && roleOf(item) == ""
}

// isWhole reports a step of which all is read in the form of an API.
func isWhole(step value) bool {
	t, said := readTurn(step, true), ""
	for _, name := range toolNames {
		said = cmp.Or(said, step.member(name).text())
	}
	more := step.get(argumentNames...).kind() != 0 || len(step.payloads(nil)) > 0
	return kindOf(step.get("type").text()) > partResult || Role(step.get("role").text()) != "" && step.get("content").kind() != 0 ||
		slices.ContainsFunc(t.calls, func(c schemas.ToolCall) bool { return (c.Arguments != "" || !more) && strings.HasSuffix(c.Name, said) }) ||
		slices.ContainsFunc(t.results, func(c schemas.ToolCall) bool { return c.Result+c.Error != "" })
}

// messagesOf is a list of messages as it is, and one of the steps of an agent as messages in the form of the APIs.
func messagesOf(list value) value {
	if list.kind() != '[' || !isLog(list) {
		return list
	}
	raw, _ := json.Marshal(steps(nil, list))
	v, _ := open(raw) // of valid parts
	return v
}

// steps appends the messages of steps.
func steps(messages []json.RawMessage, list value) []json.RawMessage {
	for item := range list.items() {
		name, kind := kindOfStep(item)
		if told := item.member(stepMember); told.kind() != 0 {
			for message := range told.items() {
				messages = append(messages, json.RawMessage(message.raw()))
			}
			continue
		}
		switch t := readTurn(item, true); {
		case isWhole(item), kind != "" && Role(t.role) == kind && !isTool(kind) && len(t.texts)+len(t.calls) > 0:
			messages = append(messages, json.RawMessage(item.raw()))
		case kind != "":
			messages = append(messages, Event([]byte(item.raw()), name, kind, "", nil)...)
		}
		if kind == "" {
			messages = unnamedStep(messages, item)
		}
	}
	return messages
}

// unnamedStep appends what the members of a step say that are named as roles, and the steps within it.
func unnamedStep(messages []json.RawMessage, item value) []json.RawMessage {
	for name, member := range item.members() {
		switch {
		case member.kind() == '[' && isLog(member):
			messages = steps(messages, member)
		case Role(name) != "" && strings.Contains(member.text(), " "):
			messages = appendMessage(messages, map[string]any{"role": Role(name), "content": member.text()})
		}
	}
	return messages
}
