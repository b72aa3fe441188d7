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
	EventError  = "error" // a result that is one
	EventIdle   = "idle"  // it says nothing to anyone
)

// Words in the names of events, in small letters with blanks between them.
var (
	wordBorder   = regexp.MustCompile(`(\p{Ll})(\p{Lu})|[^\pL]+`)
	stepWord     = regexp.MustCompile(`^(call|result|return)$|\b(tool|func|funktion|werkzeug|retriev|search|mcp|skill|plugin|observ|document|context|(fn|api|op|operation)s?\b|action \pL)`)
	resultWord   = regexp.MustCompile(`result|output|ergebnis|ausgabe|response|return|observ|\b(end|done|reply|finish|complet|succe|error|fail)`)
	callWord     = regexp.MustCompile(`call|aufruf|\b(use|invo|start|request|input|exec|begin|action)`)
	userWord     = regexp.MustCompile(`\b(user|human|customer|visitor|client|guest|caller|question|query|prompt|kunde|kundin|nutzer|benutzer|frage)`)
	idleWord     = regexp.MustCompile(`approv|(candidate|proposed) (answer|reply|response)|\b(draft|critique|critic|feedback|rating|session|log|thought|think|reason|plan|start|begin|end|delta|chunk|token|usage|metric|status|state|handoff|error|fail)`)
	sayWord      = regexp.MustCompile(`\b(say|said|speak|utter|repl(y|ie)|respond|answer|final|finish)`)
	modelRequest = regexp.MustCompile(`\b(llm|model|agent|ai) (request|input|call|prompt)`)
)

// FailWord is what names of events and members say that hold the error of a call.
var FailWord = regexp.MustCompile(`(?i)error|erreur|(^|_)err(_|$)|fail|fault|fehler|exception|problem|trouble|broke|oops|crash|time_?d?_?out|reject|refus|denied|declin|unavail|abort|bounced`)

// Members of an event, in the order in which they count.
//
//nolint:gochecknoglobals // read-only tables
var (
	saidNames     = []string{"text", "content", "message", "body", "said", "msg", "utterance", "answer", "reply", "response", "output", "question", "query", "prompt", "input", "value", "nachricht", "inhalt", "frage"}
	toolNames     = []string{"tool_name", "function_name", "tool", "function", "fn", "func", "werkzeug", "funktion", "api", "skill", "op", "operation", "name", "action", "method"}
	argumentNames = append([]string{"params", "kwargs", "action_input"}, callNames...)
	outcomeNames  = slices.Concat([]string{"result", "results", "output", "outputs", "observation", "tool_output", "return_value", "response", "documents", "passages", "chunks", "hits", "rows", "ergebnis", "ausgabe", "return", "payload"}, resultNames, []string{"message", "body", "utterance", "nachricht", "inhalt"})
	refNames      = append(slices.Clone(idNames[:len(idNames)-1]), "cid", "ref", "invocation_id", "call")
	closedNames   = []string{"arguments", "args", "argumente", "params", "parameters", "input", "result", "results", "output", "outputs", "observation", "response", "ergebnis", "ausgabe"}
)

// EventKind is what the name of a speaker or of an event says: a role, a call of a tool, its result, or nothing; "" where it is not known.
func EventKind(name string) (kind string) {
	if name == "" || name == roleUser || name == roleAssistant {
		return name
	}
	words := strings.ToLower(wordBorder.ReplaceAllString(name, "$1 $2"))
	if kind = cmp.Or(kindOfTool(words), Role(name)); kind != "" {
		return kind
	}
	switch {
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

// kindOfTool is what the words of an event of a tool say, "" for another event.
func kindOfTool(words string) string {
	step := stepWord.MatchString(words)
	switch {
	case step && resultWord.MatchString(words):
		return EventResult
	case step && callWord.MatchString(words), strings.HasSuffix(words, "action") && !userWord.MatchString(words):
		return EventCall
	case step:
		return roleTool
	}
	return ""
}

// maxParts bounds the objects in an event that are looked at.
const maxParts = 64

// Event gives the messages, in the form of the APIs, that a record in the log of an agent holds. name is what it is called, and text what
// is known of it; places may hold its text, or the object with all it says. Otherwise that lies in any member.
func Event(record []byte, name, kind, text string, places [][]string) (messages []json.RawMessage) {
	v, err := open(record)
	if err != nil {
		return nil
	}
	if said := EventKind(v.get("event", "event_type", "type", "kind").text()); said == EventCall || said == EventResult {
		kind = said // the other name says who did it
	}
	return v.event(name, kind, text, places)
}

func (v value) event(name, kind, text string, places [][]string) (messages []json.RawMessage) {
	parts := v.payloads(closedNames)
	parts = append(parts[:min(len(parts), maxParts)], v)
	for _, steps := range places {
		if at := v.under(steps).unwrapped(); at.kind() == '{' {
			parts = append(at.payloads(closedNames), at)
			slices.Reverse(parts)
		} else if text == "" {
			text = flat(at)
		}
	}
	switch kind {
	case EventCall, EventResult, EventError, roleTool:
		return eventStep(parts, v, name, kind, text)
	case EventIdle:
		return nil
	case "":
		parts = nil // which nobody knows who says
	}
	return eventMessage(outside(parts, text), v, cmp.Or(kind, roleUser), text)
}

// eventMessage is what someone says, and the calls beside what a model does.
func eventMessage(parts []value, record value, kind, text string) []json.RawMessage {
	message := map[string]any{"role": kind}
	if calls := callsBeside(parts, record); kind == roleAssistant && calls != nil {
		message["tool_calls"] = calls
	} else if text = cmp.Or(text, textAt(parts, saidNames)); text == "" {
		return nil
	}
	message["content"] = text
	return appendMessage(nil, message)
}

// textAt is the first text that parts of an event have under one of these names.
func textAt(parts []value, names []string) (text string) {
	for i := 0; i < len(names)*len(parts) && text == ""; i++ {
		text = flat(parts[i%len(parts)].member(names[i/len(parts)]))
	}
	return text
}

// callsBeside are the calls in an event: itself, and what its members that say so, or that are steps with arguments, hold.
func callsBeside(parts []value, record value) (calls []json.RawMessage) {
	add := func(v value, named bool) {
		if c := callIn(v); c.Name != "" && (named || isStep(v) && strings.HasPrefix(c.Arguments, "{")) {
			calls = append(calls, json.RawMessage(v.raw()))
		}
	}
	add(record, false)
	for _, p := range parts {
		for name, member := range p.members() {
			for item := range member.unwrapped().items() {
				add(item, kindOf(strings.TrimSuffix(fold(name), "s")) == partCall)
			}
		}
	}
	return calls
}

// outside are the parts of an event that do not lie in a text of it. The text itself may be a step.
func outside(parts []value, text string) []value {
	return slices.DeleteFunc(parts, func(p value) bool {
		return strings.Contains(text, p.raw()) && (strings.TrimSpace(text) != p.raw() || !isStep(p))
	})
}

// isStep reports an object that names a call, its arguments or a tool; others may be what a tool was given or gave.
func isStep(v value) bool {
	return v.get(slices.Concat(idNames[:len(idNames)-1], toolNames[:8], callNames[:3])...).kind() != 0
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
func eventStep(parts []value, record value, name, kind, text string) []json.RawMessage {
	isError := kind == EventError || kind == EventResult && FailWord.MatchString(name)
	if isError {
		kind = EventResult
	}
	sure := isStep(record) || record.get(refNames...).kind() != 0
	parts, data := withoutData(parts, record, sure && kind == EventResult)
	if kind != EventCall {
		text = cmp.Or(text, outcomeIn(parts))
		parts = outside(parts, text)
	}
	if sure {
		parts = slices.Insert(parts, 0, record)
	}
	c := stepOf(parts, record, name)
	switch {
	case kind == EventCall:
		c.Arguments = cmp.Or(c.Arguments, written(data))
	case kind == EventResult && text+c.Error == "":
		text = cmp.Or(data, append(parts, record)[0]).raw()
	}
	if isError {
		c.Error = cmp.Or(c.Error, text)
	}
	return stepMessages(&c, kind, text)
}

// stepMessages are the messages of a call, of its result, or of both.
func stepMessages(c *schemas.ToolCall, kind, text string) (messages []json.RawMessage) {
	if c.Name != "" && (c.Arguments != "" || kind == EventCall) {
		call := map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Arguments}}
		messages = appendMessage(messages, map[string]any{"role": roleAssistant, "content": nil, "tool_calls": []any{call}})
	}
	if kind != EventCall && text+c.Error != "" {
		said := map[bool]string{true: "content", false: "error"}[c.Error == ""]
		messages = appendMessage(messages, map[string]any{"role": roleTool, "tool_call_id": c.ID, "name": c.Name, said: cmp.Or(c.Error, text)})
	}
	return messages
}

// withoutData are the parts of an event that say which step it is, and the first that is what a tool was given or gave: sure says that the
// record itself names the step.
func withoutData(parts []value, record value, sure bool) (rest []value, data value) {
	for _, p := range parts {
		if p == record || isStep(p) || !sure && p.get(closedNames...).kind() != 0 {
			rest = append(rest, p)
		} else {
			data = cmp.Or(data, p)
		}
	}
	return rest, data
}

// outcomeIn is what a tool gave, by the first part of an event that has it: its texts, or objects with more than a text as they are.
func outcomeIn(parts []value) string {
	for _, p := range parts {
		result := p.get(outcomeNames...)
		whole := result.unwrapped()
		if slices.ContainsFunc(parts, func(p value) bool { return whole.kind() == '{' && p.raw() == whole.raw() }) {
			continue
		}
		for item := range result.items() {
			if first, end := item.doc.Within(item.at, '{'); item.kind() == '{' && end != item.doc.After(first+1) && item.get("type").kind() == 0 {
				return result.raw()
			}
		}
		if text := flat(result); text != "" {
			return text
		}
	}
	return ""
}

// stepOf is what the parts of an event of that name say of a call, but for its result.
func stepOf(parts []value, record value, name string) (c schemas.ToolCall) {
	for _, p := range parts {
		if c.ID = cmp.Or(c.ID, p.get(refNames...).text()); p != record { // of which it may be that of the event
			c.ID = cmp.Or(c.ID, p.get("id").text())
		}
		for _, n := range toolNames {
			if said := p.member(n).text(); said != name {
				c.Name = cmp.Or(c.Name, said)
			}
		}
		if given := written(p.get(argumentNames...)); given != name { // of which one may say what the event is
			c.Arguments = cmp.Or(c.Arguments, given)
		}
		c.Error = cmp.Or(c.Error, errorOf(p))
	}
	return c
}

func appendMessage(list []json.RawMessage, message map[string]any) []json.RawMessage {
	raw, err := json.Marshal(message)
	if err != nil {
		return list
	}
	return append(list, raw)
}
