package llmapi

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"confab/schemas"
)

// Kinds of events in the log of an agent, beside the roles of messages.
const (
	EventCall   = "call" // of a tool
	EventResult = "result"
	EventIdle   = "idle" // it says nothing to anyone
)

// Words in the names of events, in small letters with blanks between them.
var (
	wordBorder   = regexp.MustCompile(`(\p{Ll})(\p{Lu})|[^\pL]+`)
	stepWord     = regexp.MustCompile(`\b(tool|func|retriev|search|mcp|skill|plugin|observ|document|context|(fn|api|op|operation)s?\b|action \pL)`)
	resultWord   = regexp.MustCompile(`result|output|response|return|observ|\b(end|done|reply|finish|complet|succe|error|fail)`)
	callWord     = regexp.MustCompile(`call|\b(use|invo|start|request|input|exec|begin|action)`)
	userWord     = regexp.MustCompile(`\b(user|human|customer|visitor|client|guest|caller|question|query|prompt)`)
	idleWord     = regexp.MustCompile(`\b(feedback|rating|session|log|thought|think|reason|plan|start|begin|end|delta|chunk|token|usage|metric|status|state|handoff|error|fail)`)
	sayWord      = regexp.MustCompile(`\b(say|said|speak|utter|repl(y|ie)|respond|answer|final|finish)`)
	modelRequest = regexp.MustCompile(`\b(llm|model|agent|ai) (request|input|call|prompt)`)
)

// Members of an event, in the order in which they count.
//
//nolint:gochecknoglobals // read-only tables
var (
	saidNames     = []string{"text", "content", "message", "body", "utterance", "answer", "reply", "response", "output", "question", "query", "prompt", "input", "value"}
	toolNames     = []string{"tool_name", "function_name", "tool", "function", "fn", "func", "api", "skill", "op", "operation", "name", "action", "method"}
	argumentNames = append([]string{"params", "kwargs"}, callNames...)
	outcomeNames  = append([]string{"result", "results", "output", "outputs", "observation", "tool_output", "return_value", "response", "documents"}, resultNames...)
	closedNames   = []string{"arguments", "args", "params", "parameters", "input", "result", "results", "output", "outputs", "observation", "response"}
)

// EventKind is what the name of a speaker or of an event says: a role, a call of a tool, its result, or nothing; "" where it is not known.
func EventKind(name string) (kind string) {
	words := strings.ToLower(wordBorder.ReplaceAllString(name, "$1 $2"))
	step := stepWord.MatchString(words)
	switch {
	case step && resultWord.MatchString(words):
		return EventResult
	case step && callWord.MatchString(words), strings.HasSuffix(words, "action") && !userWord.MatchString(words):
		return EventCall
	case step:
		return roleTool
	case Role(name) != "":
		return Role(name)
	case idleWord.MatchString(words), modelRequest.MatchString(words):
		return EventIdle
	case userWord.MatchString(words):
		return roleUser
	case sayWord.MatchString(words):
		return roleAssistant
	}
	for word := range strings.FieldsSeq(words) {
		kind = cmp.Or(kind, Role(word))
	}
	return kind
}

// Event gives the messages, in the form of the APIs, that a record in the log of an agent holds. name is what it is called, and text what
// is known of it; places may hold its text, or the object with all it says. Otherwise that lies in any member.
func Event(record []byte, name, kind, text string, places [][]string) (messages []json.RawMessage) {
	v, err := open(record)
	if err != nil {
		return nil
	}
	parts := append(v.payloads(closedNames), v)
	for _, steps := range places {
		at := v
		for _, step := range steps {
			at = at.unwrapped().member(step)
		}
		if at = at.unwrapped(); at.kind() == '{' {
			parts = append(at.payloads(closedNames), at)
			slices.Reverse(parts)
		} else if text == "" {
			text = flat(at)
		}
	}
	switch kind {
	case EventCall, EventResult, roleTool:
		return eventStep(parts, v, name, kind, text)
	case roleUser, roleAssistant, roleSystem:
		for i := 0; i < len(saidNames)*len(parts) && text == ""; i++ {
			text = flat(parts[i%len(parts)].member(saidNames[i/len(parts)]))
		}
	}
	if text == "" || kind == EventIdle {
		return nil
	}
	return appendMessage(nil, map[string]any{"role": cmp.Or(kind, roleUser), "content": text})
}

// payloads are the objects in an event that may hold what it says, the outer ones first, without closed ones; what a payload calls its
// data is a result.
func (v value) payloads(closed []string) (list []value) {
	var inner []value
	for name, member := range v.members() {
		if member = member.unwrapped(); member.kind() == '{' && !slices.Contains(closed, strings.ToLower(name)) {
			list, inner = append(list, member), append(inner, member.payloads(slices.Concat(closedNames, resultNames))...)
		}
	}
	return append(list, inner...)
}

// eventStep is a call of a tool, its result, or both.
func eventStep(parts []value, record value, name, kind, text string) (messages []json.RawMessage) {
	var c schemas.ToolCall
	for _, p := range parts {
		ids := idNames
		if p == record {
			ids = ids[:3] // it may be that of the event
		}
		c.ID = cmp.Or(c.ID, p.get(ids...).text())
		for _, n := range toolNames {
			if said := p.member(n).text(); said != name {
				c.Name = cmp.Or(c.Name, said)
			}
		}
		if c.Arguments = cmp.Or(c.Arguments, written(p.get(argumentNames...))); kind == EventCall {
			continue
		}
		c.Error = cmp.Or(c.Error, errorOf(p))
		c.Result = cmp.Or(c.Result, text, flat(p.get(outcomeNames...)))
	}
	if kind == EventResult && c.Result+c.Error == "" {
		c.Result = parts[0].raw()
	}
	if c.Name != "" && (c.Arguments != "" || kind == EventCall) {
		call := map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Arguments}}
		messages = appendMessage(messages, map[string]any{"role": roleAssistant, "content": nil, "tool_calls": []any{call}})
	}
	if c.Result+c.Error != "" {
		said := map[bool]string{true: "content", false: "error"}[c.Error == ""]
		messages = appendMessage(messages, map[string]any{"role": roleTool, "tool_call_id": c.ID, "name": c.Name, said: cmp.Or(c.Error, c.Result)})
	}
	return messages
}

func appendMessage(list []json.RawMessage, message map[string]any) []json.RawMessage {
	raw, err := json.Marshal(message)
	if err != nil {
		return list
	}
	return append(list, raw)
}
