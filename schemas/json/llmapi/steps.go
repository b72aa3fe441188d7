package llmapi

import (
	"cmp"
	"slices"

	"confab/schemas"
)

// stepNames are the members of a step in the log of an agent that may say what it is.
//
//nolint:gochecknoglobals // a read-only table
var stepNames = []string{"type", "kind", "event", "event_type", "step", "role", "who", "author", "speaker", "sender", "from", "action"}

// kindOfStep is what a step of an agent is, see [EventKind], by its first word that says more than who did it; what has arguments is a call
// with its result. name is that word.
func kindOfStep(v value) (name, kind string) {
	for _, n := range stepNames {
		word := v.member(n).text()
		said := EventKind(word)
		if n == "action" { // or the tool's name
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

// IsLog reports a list of the steps of an agent, see [Event].
func IsLog(raw []byte) bool {
	v, err := open(raw)
	return err == nil && isLog(v)
}

// isLog reports a list of the steps of an agent, of which one is in a form that no API has: a call, a result, or what someone says.
func isLog(list value) bool {
	found := false
	for item := range list.items() {
		if item.kind() != '{' {
			return false
		}
		_, kind := kindOfStep(item)
		found = found || isTool(kind) && !isWhole(item) || (kind == roleUser || kind == roleAssistant) && roleOf(item) == ""
	}
	return found
}

// isWhole reports a step of which all is read in the form of an API.
func isWhole(step value) bool {
	t, said := readTurn(step, true), ""
	for _, name := range toolNames {
		said = cmp.Or(said, step.member(name).text())
	}
	return slices.ContainsFunc(t.calls, func(c schemas.ToolCall) bool { return c.Arguments != "" && (said == "" || said == c.Name) }) ||
		slices.ContainsFunc(t.results, func(c schemas.ToolCall) bool { return c.Result+c.Error != "" })
}

// step adds a step of an agent. One of which is not known what it is says nothing.
func (r *requestReader) step(v value) {
	name, kind := kindOfStep(v)
	t := readTurn(v, true)
	if t.role = cmp.Or(Role(t.role), kind); kind != "" && kind != EventIdle && (isWhole(v) || !isTool(kind) && len(t.texts)+len(t.calls) > 0) {
		r.addTurn(&t)
		return
	}
	for _, message := range Event([]byte(v.raw()), name, cmp.Or(kind, EventIdle), "", nil) {
		if m, err := open(message); err == nil {
			t := readTurn(m, true)
			r.addTurn(&t)
		}
	}
}
