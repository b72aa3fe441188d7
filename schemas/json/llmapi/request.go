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
	bad      []string // fields that cannot be read
}

// read reads a request and reports whether it found messages.
func (r *requestReader) read(v value, depth int) bool {
	inner := v.unwrapped()
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
	r.prompt(v, depth)
	for item := range v.get("tool_results").items() { // Cohere
		if text := flat(item.get("outputs", "output")); text != "" {
			r.messages = append(r.messages, schemas.Message{Role: roleTool, Content: text})
		}
	}
	for _, name := range []string{"documents", "context", "contexts", "retrieved_contexts", "source_documents"} {
		r.sources = sourcesOf(r.sources, v.get(name))
	}
	r.settings(v)
	for _, name := range []string{"config", "generation_config", "inference_config", "options", "parameters", "model_kwargs", "text_generation_config"} {
		r.settings(v.get(name))
	}
	if len(r.messages) > 0 || depth > 3 {
		return
	}
	for _, name := range []string{"body", "request", "inputs", "kwargs", "payload", "data"} {
		if inner := v.get(name).unwrapped(); (inner.kind() == '{' || inner.kind() == '[') && r.read(inner, depth+1) {
			return
		}
	}
	for name, inner := range v.members() { // steps of a pipeline, by their names
		if inner.kind() == '{' && !slices.Contains([]string{"output", "outputs", "response", "result", "answer"}, name) {
			r.read(inner, depth+1)
		}
	}
}

// prompt reads the member with the messages or the prompt.
func (r *requestReader) prompt(v value, depth int) {
	for _, name := range []string{
		"messages", "input", "contents", "prompt", "message", "inputs", "input_text", "user_input", "query", "question", "user_query", "text",
	} {
		p := v.get(name)
		switch c := p.kind(); {
		case c == 0 || c == '{' && name == "text": // the format of the Responses API
			continue
		case c != '{' && c != '[' && c != '"':
			r.bad = append(r.bad, schemas.FieldMessages)
			continue
		case depth > 3:
			return
		case c == '"' && name != "messages" && name != "input" && name != "contents":
			r.add(p)
		default:
			r.read(p, depth+1)
		}
		if len(r.messages) > 0 {
			return
		}
	}
}

// add reads a text, a message, or a list of messages, which may hold lists of messages.
func (r *requestReader) add(v value) {
	for item := range v.items() {
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
	text, isCall := t.text(), slices.Contains(t.unread, UnreadTools)
	switch {
	case t.role == "" && isCall: // a call of a tool in a list of items
		t.role = roleAssistant
	case t.role == "" && text == "", text == "" && len(t.results) > 0, text == "" && t.role == roleSystem:
		t.role = ""
	default:
		t.role = cmp.Or(t.role, roleUser)
	}
	if t.role != "" && len(r.messages) < recordformat.MaxMessages {
		r.messages = append(r.messages, schemas.Message{Role: t.role, Content: text})
	}
	for _, result := range t.results {
		if len(r.messages) < recordformat.MaxMessages {
			r.messages = append(r.messages, schemas.Message{Role: roleTool, Content: result})
		}
	}
}

// settings reads the members of a request that say how the model is to answer.
func (r *requestReader) settings(v value) {
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
	for _, field := range r.bad {
		addMalformed(r.in, field)
	}
}
