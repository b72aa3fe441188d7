package llmapi

import (
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

// Names of members of requests.
//
//nolint:gochecknoglobals // read-only tables
var (
	systemNames  = []string{"system", "instructions", "system_instruction", "system_prompt", "preamble"}
	historyNames = []string{"chat_history", "history"}
	promptNames  = []string{
		"messages", "input", "contents", "prompt", "message", "inputs", "input_text", "user_input", "query", "question", "user_query", "text",
	}
	// Objects around a request, or around its settings.
	wrapperNames  = []string{"body", "request", "inputs", "kwargs", "payload", "data", "json", "params"}
	settingsNames = []string{"config", "generation_config", "inference_config", "options", "parameters", "model_parameters", "model_kwargs", "text_generation_config"}
)

// read reads a request and reports whether it found messages.
func (r *requestReader) read(v value, depth int) bool {
	v = v.unwrapped()
	switch v.kind() {
	case '"':
		r.add(roleUser, v.text())
	case '[':
		r.addMessages(v, 0)
	case '{':
		r.object(v, depth)
	}
	return len(r.messages) > 0
}

func (r *requestReader) object(v value, depth int) {
	if v.get("role", "lc", "parts").kind() != 0 {
		r.addMessages(v, 0)
		return
	}
	r.system(v.get(systemNames...))
	r.system(v.path("config", "system_instruction"))
	if history := v.get(historyNames...); history.kind() == '[' {
		r.addMessages(history, 0)
	}
	r.prompt(v, depth)
	r.results(v.get("tool_results"))
	for _, name := range []string{"documents", "context", "contexts", "retrieved_contexts", "source_documents"} {
		if documents := v.get(name); documents.kind() == '[' || documents.isText() {
			r.sources = sourcesOf(r.sources, documents)
		}
	}
	r.settings(v)
	for _, name := range settingsNames {
		r.settings(v.get(name))
	}
	if len(r.messages) > 0 || depth > 3 {
		return
	}
	for _, name := range wrapperNames {
		if inner := v.get(name).unwrapped(); (inner.kind() == '{' || inner.kind() == '[') && r.read(inner, depth+1) {
			return
		}
	}
	for _, inner := range v.members() { // steps of a pipeline, by their names
		if inner.kind() == '{' {
			r.read(inner, depth+1)
		}
	}
}

// prompt reads the member with the messages or the prompt.
func (r *requestReader) prompt(v value, depth int) {
	for _, name := range promptNames {
		p := v.get(name)
		if name == "text" && !p.isText() { // settings of the Responses API
			continue
		}
		if p.isText() && (name == "messages" || name == "input" || name == "contents") {
			p = p.unwrapped()
		}
		switch p.kind() {
		case '"':
			r.add(roleUser, p.text())
			return
		case '[':
			r.addMessages(p, 0)
			return
		case '{':
			if r.read(p, depth+1) || depth > 3 {
				return
			}
		case 0:
		default:
			r.bad = append(r.bad, schemas.FieldMessages)
		}
	}
}

// system reads instructions in front of the messages.
func (r *requestReader) system(v value) {
	t := readTurn(v, true)
	if r.sources = append(r.sources, t.docs...); t.text != "" {
		r.add(roleSystem, t.text)
	}
}

// results reads results of tools next to the messages, as Cohere has them.
func (r *requestReader) results(v value) {
	for item := range v.items() {
		if text := flat(item.get("outputs", "output")); text != "" {
			r.add(roleTool, text)
		}
	}
}

func (r *requestReader) add(role, text string) {
	r.messages = append(r.messages, schemas.Message{Role: role, Content: text})
}

// addMessages reads a list of messages, which may hold lists of messages. A list of parts is one message.
func (r *requestReader) addMessages(v value, depth int) {
	for item := range v.items() {
		switch {
		case len(r.messages) > recordformat.MaxMessages:
			return
		case item.kind() == '[' && depth < 4:
			r.addMessages(item, depth+1)
		case item.kind() == '{':
			r.addTurn(item)
		case item.isText():
			r.add(roleUser, item.text())
		default:
			r.bad = append(r.bad, schemas.FieldMessages+".content")
		}
	}
}

func (r *requestReader) addTurn(v value) {
	t := readTurn(v, true)
	if t.bad {
		r.bad = append(r.bad, schemas.FieldMessages+".content")
	}
	r.sources = append(r.sources, t.docs...)
	isCall := len(t.unread) > 0 && t.unread[0] == UnreadTools
	switch {
	case t.role == "" && isCall: // a call of a tool in a list of items
		r.add(roleAssistant, "")
	case t.role == "" && t.text != "":
		r.add(roleUser, t.text)
	case t.role != "" && (t.text != "" || len(t.results) == 0):
		r.add(t.role, t.text)
	}
	for _, result := range t.results {
		r.add(roleTool, result)
	}
}

// settings reads the members of a request that say how the model is to answer.
func (r *requestReader) settings(v value) {
	set := func(field *string, found string) {
		if *field == "" {
			*field = found
		}
	}
	set(&r.in.Model, v.get("model", "model_id", "model_name").text())
	conversation := v.get("conversation", "conversation_id", "session_id", "thread_id", "previous_response_id")
	set(&r.in.ConversationID, conversation.text()+conversation.get("id").text()+v.path("metadata", "conversation_id").text())
	for _, schema := range []value{
		v.path("response_format", "json_schema", "schema"), v.path("response_format", "schema"), v.path("response_format", "json_schema"),
		v.path("text", "format", "schema"), v.path("output_config", "format", "schema"), v.path("output_format", "schema"),
		v.get("response_json_schema"), v.get("guided_json"), v.get("format"),
	} {
		if schema.kind() == '{' {
			set(&r.in.ResponseSchema, schema.raw())
		}
	}
	if v.get("stream").kind() == 't' {
		r.in.Streamed = true
	}
	temperature := v.get("temperature")
	if r.in.Temperature != schemas.UnknownTemperature || temperature.kind() == 0 {
		return
	}
	t, err := strconv.ParseFloat(temperature.text(), 64)
	if err != nil || !recordformat.IsFinite(t) || t < 0 {
		r.bad = append(r.bad, schemas.FieldTemperature)
		return
	}
	r.in.Temperature = t
}

// fill sets the fields that are empty.
func (r *requestReader) fill() {
	if len(r.in.Messages) == 0 {
		r.in.Messages = append(r.in.Messages, r.messages[:min(len(r.messages), recordformat.MaxMessages)]...)
	}
	addSources(r.in, r.sources[:min(len(r.sources), recordformat.MaxSources)])
	for _, field := range r.bad {
		addMalformed(r.in, field)
	}
}
