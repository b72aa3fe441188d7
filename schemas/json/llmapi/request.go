package llmapi

import (
	"cmp"
	"slices"
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas"
)

// requestReader collects what a request holds.
type requestReader struct {
	in       *schemas.Interaction
	messages []schemas.Message
	sources  []schemas.Source
	calls    toolLog
	tools    []schemas.Tool
	bad      []string // fields that cannot be read
}

// read reads a request and reports whether it found messages.
func (r *requestReader) read(v value, depth int) bool {
	inner := v.unwrapped()
	if in, _ := callOf(inner); in.kind() != 0 {
		return depth < 5 && r.read(in, depth+1)
	}
	if inner.kind() == '{' && inner.get("role", "lc", "parts").kind() == 0 {
		r.object(inner, depth)
	} else {
		r.add(inner)
	}
	if len(r.messages) == 0 && inner != v && len(inner.raw()) > len("{}") { // JSON of another kind
		r.add(v)
	}
	return len(r.messages) > 0
}

func (r *requestReader) object(v value, depth int) {
	for _, system := range []value{v.get("system", "instructions", "system_instruction", "system_prompt", "preamble"), v.path("config.system_instruction")} {
		t := readTurn(system, true)
		t.role = roleSystem
		r.addTurn(&t)
	}
	if history := v.get("chat_history", "history"); history.kind() == '[' {
		r.add(history)
	}
	for _, name := range []string{
		"messages", "input", "contents", "prompt", "message", "inputs", "input_text", "user_input", "query", "question", "user_query", "text",
	} {
		if r.prompt(name, v.get(name), depth) {
			break
		}
	}
	t := turn{prompt: true}
	for item := range v.get("tool_results").items() { // Cohere
		t.result(item)
	}
	r.addTurn(&t)
	for _, name := range []string{"documents", "context", "contexts", "retrieved_contexts", "source_documents"} {
		r.sources = sourcesOf(r.sources, v.get(name))
	}
	r.sources = sourcesOf(r.sources, v.get("metadata").get("grounding.sources").unwrapped()) // metadata holds texts
	r.settings(v)
	for _, name := range []string{"config", "generation_config", "inference_config", "options", "parameters", "model_kwargs", "text_generation_config"} {
		r.settings(v.get(name))
	}
	if len(r.messages) == 0 && depth < 4 {
		r.within(v, depth)
	}
}

// prompt reads a member with the messages or the prompt, and reports whether there was one.
func (r *requestReader) prompt(name string, p value, depth int) bool {
	isList := slices.Contains([]string{"messages", "input", "contents"}, name)
	before := len(r.messages)
	switch c := p.kind(); {
	case c == 0 || c == '{' && (name == "text" || depth > 3): // text has the format of the Responses API
	case c == '{' || c == '"' && isList:
		r.read(p, depth+1)
	case c == '[' || c == '"':
		r.add(p)
	default:
		r.bad = append(r.bad, schemas.FieldMessages)
	}
	return len(r.messages) > before
}

// within reads a request in an object around it.
func (r *requestReader) within(v value, depth int) {
	for _, name := range []string{"body", "request", "inputs", "kwargs", "payload", "data"} {
		if inner := v.get(name).unwrapped(); (inner.kind() == '{' || inner.kind() == '[') && r.read(inner, depth+1) {
			return
		}
	}
	for name, inner := range v.steps() {
		if !slices.Contains([]string{"output", "outputs", "response", "result", "answer"}, name) {
			r.read(inner, depth+1)
		}
	}
}

// add reads a text, a message, or a list of messages or of steps of an agent, which may hold lists of messages.
func (r *requestReader) add(v value) {
	for item := range messagesOf(v).items() {
		t := turn{}
		switch item.kind() {
		case '[':
			r.add(item)
			continue
		case '"':
			t = turn{role: roleUser, texts: []string{item.text()}}
		case '{':
			t = readTurn(item, true)
		default:
			t.bad = true
		}
		r.addTurn(&t)
	}
}

func (r *requestReader) addTurn(t *turn) {
	if t.bad {
		r.bad = append(r.bad, schemas.FieldMessages+".content")
	}
	r.sources = append(r.sources, t.docs...)
	message := schemas.Message{Role: t.role, Content: t.text()}
	if message.Role == "" && slices.Contains(t.unread, UnreadTools) { // a call of a tool in a list of items
		message.Role = roleAssistant
	}
	if message.Content != "" || len(t.results) == 0 && message.Role != "" && message.Role != roleSystem {
		message.Role = cmp.Or(message.Role, roleUser)
		r.messages = append(r.messages, message)
	}
	for i := range t.results {
		if text := cmp.Or(t.results[i].Result, t.results[i].Error); text != "" {
			r.messages = append(r.messages, schemas.Message{Role: roleTool, Content: text})
		}
	}
	r.calls.addTurn(t)
	for _, list := range t.tools {
		r.tools = toolsOf(r.tools, list)
	}
	r.messages = r.messages[:min(len(r.messages), recordformat.MaxMessages)]
}

// settings reads the members of a request that say how the model is to answer.
func (r *requestReader) settings(v value) {
	for _, list := range []value{v.get("tools", "functions"), v.path("tool_config.tools")} {
		r.tools = toolsOf(r.tools, list)
	}
	conversation := v.get("conversation", "conversation_id", "session_id", "thread_id", "previous_response_id")
	r.in.Model = cmp.Or(r.in.Model, v.get("model", "model_id", "model_name").text())
	r.in.ConversationID = cmp.Or(r.in.ConversationID, conversation.text(), conversation.get("id").text(), v.path("metadata.conversation_id").text())
	r.in.Operation = cmp.Or(r.in.Operation, v.path("metadata.operation").text())
	r.in.Streamed = r.in.Streamed || v.get("stream").kind() == 't'
	for _, path := range []string{
		"response_format.json_schema.schema", "response_format.schema", "response_format.json_schema", "text.format.schema", "output_config.format.schema",
		"output_format.schema", "response_json_schema", "guided_json", "format",
	} {
		if schema := v.path(path); schema.kind() == '{' {
			r.in.ResponseSchema = cmp.Or(r.in.ResponseSchema, schema.raw())
		}
	}
	temperature := v.get("temperature")
	if r.in.Temperature != schemas.UnknownTemperature || temperature.kind() == 0 {
		return
	}
	if t, err := strconv.ParseFloat(temperature.text(), 64); err == nil && recordformat.IsFinite(t) && t >= 0 {
		r.in.Temperature = t
	} else {
		r.bad = append(r.bad, schemas.FieldTemperature)
	}
}

// fill sets the fields that are empty.
func (r *requestReader) fill() {
	if len(r.in.Messages) == 0 {
		r.in.Messages = append(r.in.Messages, r.messages...)
	}
	setSources(r.in, r.sources[:min(len(r.sources), recordformat.MaxSources)])
	setTools(r.in, r.tools)
	AddCalls(r.in, r.calls)
	for _, field := range r.bad {
		r.in.AddMalformed(field)
	}
}
