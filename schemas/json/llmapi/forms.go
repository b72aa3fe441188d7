package llmapi

import (
	"slices"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
)

// form is an API's response. Its read reports whether the object is one, and adds the answers.
type form struct {
	name string
	read func(a *Answers, v value) bool
}

// forms are the responses that are objects, the more particular ones first.
func forms() []form {
	return []form{
		{"openai.chat", (*Answers).chat},
		{"gemini", (*Answers).gemini},
		{"openai.responses", (*Answers).items},
		{"bedrock.converse", func(a *Answers, v value) bool { return a.one(v, v.path("output", "message")) }},
		{"bedrock.rag", (*Answers).retrieved},
		{"langchain", (*Answers).generations},
		{"openai.assistants", func(a *Answers, v value) bool { return v.get("object").text() == "thread.message" && a.one(v, v) }},
		{"anthropic", (*Answers).anthropic},
		{"bedrock.invoke", (*Answers).invoked},
		{"haystack", (*Answers).haystack},
		{"llamaindex", (*Answers).llamaIndex},
		{"vercel", (*Answers).vercel},
		{"ollama", func(a *Answers, v value) bool {
			return v.get("done").kind() != 0 && a.one(v, v.get("message", "response"))
		}},
		{"cohere", (*Answers).cohere},
		{"messages", (*Answers).conversation},
		{"message", (*Answers).message},
	}
}

// readText reads an answer that is a text, or JSON in a text if that is a response.
func (a *Answers) readText(v value) {
	if inner := v.unwrapped(); inner.doc != v.doc {
		v = inner
	}
	if v.isText() || !a.known(v, 0) {
		text := v.text()
		if !v.isText() {
			text = v.raw()
		}
		a.form = FormText
		a.choices = append(a.choices, choice{turn: turn{text: text}})
	}
}

// read reads a response of any form: a known one, or an object around one or around an answer.
func (a *Answers) read(v value, depth int) bool {
	if v.isText() && depth > 0 {
		a.readText(v)
		return true
	}
	return v.kind() != 0 && (a.known(v, depth) || a.around(v, depth))
}

// known reads a response of a form that its structure shows.
func (a *Answers) known(v value, depth int) bool {
	if v.kind() == '[' {
		return a.list(v, depth)
	}
	if v.kind() != '{' {
		return false
	}
	if e := v.get("error"); e.kind() == '{' || e.text() != "" {
		a.form, a.choices = FormError, nil
		return true
	}
	for _, f := range forms() {
		if f.read(a, v) {
			a.form = f.name
			inner := a.heads
			a.heads = nil
			a.head(v)
			a.heads = append(a.heads, inner...)
			return true
		}
	}
	return false
}

// head takes what stands next to an answer: its sources, and what is said about it.
func (a *Answers) head(v value) {
	a.heads = append(a.heads, v)
	for _, name := range []string{
		"sources", "source_nodes", "source_documents", "documents", "context", "contexts", "search_results", "retrieved_contexts",
		"references", "retriever_resources", "retrieval_context",
	} {
		for _, at := range []value{v, v.get("metadata")} {
			if list := at.get(name); list.kind() == '[' || list.isText() {
				a.sources = sourcesOf(a.sources, list)
			}
		}
	}
	if cited := v.get("citations"); cited.kind() == '[' {
		a.cited = append(a.cited, cited)
	}
}

// one adds one answer, if there is a value with it.
func (a *Answers) one(head, v value) bool {
	if v.kind() == 0 {
		return false
	}
	a.choices = append(a.choices, choice{readTurn(v, false), head})
	return true
}

// list reads a list: messages, items or parts, or wholes of which the first counts.
func (a *Answers) list(v value, depth int) bool {
	first := v.first()
	switch {
	case depth > 4:
	case first.kind() == '[':
		return a.list(first, depth+1)
	case first.kind() != '{':
	case roleOf(first) != "" || kindOf(first.get("type").text()) != partUnknown:
		a.form = "messages"
		return a.turns(v, v)
	default:
		return a.known(first, depth+1)
	}
	return false
}

// around reads an object around a response or around an answer, whose name tells it.
func (a *Answers) around(v value, depth int) bool {
	if depth > 4 {
		return false
	}
	if v.kind() == '[' { // of texts
		a.form = FormText
		return v.first().isText() && a.one(value{}, v)
	}
	for _, name := range []string{
		"answer", "output_text", "response", "result", "output", "outputs", "completion", "final_output", "generated_text", "body", "message",
		"reply", "prediction", "predictions", "data", "text", "content", "value", "raw",
	} {
		if inner := v.get(name); inner.kind() != 0 && a.read(inner, depth+1) {
			if a.form == FormText {
				a.form = "object"
			}
			a.head(v)
			return true
		}
	}
	found := false
	for _, inner := range v.members() { // steps of a pipeline, by their names
		if inner.kind() != '{' {
			continue
		}
		if !found && a.known(inner, depth+1) {
			found = true
		} else if documents := inner.get("documents"); documents.kind() == '[' {
			a.sources = sourcesOf(a.sources, documents)
		}
	}
	return found
}

func (a *Answers) chat(v value) bool {
	list := v.get("choices")
	if first := list.first(); list.kind() != '[' || first.kind() != 0 && first.kind() != '{' {
		return false
	}
	for c := range list.items() {
		a.one(c, c)
		message := c.get("message", "delta")
		if cited := message.path("context", "citations"); cited.kind() == '[' { // Azure
			a.cited = append(a.cited, cited)
		}
	}
	return true
}

func (a *Answers) gemini(v value) bool {
	list := v.get("candidates")
	for c := range list.items() {
		if !a.one(c, c.get("content")) {
			a.choices = append(a.choices, choice{head: c})
		}
		a.sources = sourcesOf(a.sources, c.path("grounding_metadata", "grounding_chunks"))
	}
	blocked := v.get("prompt_feedback").kind() != 0
	if blocked && list.kind() == 0 {
		a.choices = append(a.choices, choice{head: v})
	}
	return list.kind() == '[' || blocked
}

// items reads the output items of the Responses API, or of agents of Mistral.
func (a *Answers) items(v value) bool {
	list := v.get("output")
	if list.kind() != '[' {
		list = v.get("outputs")
	}
	if first := list.first(); list.kind() != '[' || v.get("object").text() != "response" && (first.kind() != '{' || first.get("type").kind() == 0) {
		return false
	}
	return a.turns(v, list)
}

// turns reads a list of messages, items or parts that ends with the answer: the last message of the assistant, or the parts that are in
// no message. What was done before it may have passages.
func (a *Answers) turns(head, list value) bool {
	answer, loose, at := turn{}, turn{}, head
	r := requestReader{in: new(schemas.Interaction)}
	before, found := 0, false
	for item := range list.items() {
		role := roleOf(item)
		switch {
		case role == roleAssistant || role == "" && item.get("type").text() == "message":
			answer, found, at = readTurn(item, false), true, item
			before = len(r.messages)
		case role == "":
			loose.content(item, 0)
			a.sources = sourcesOf(a.sources, item.get("results"))
			if output := flat(item.get("output", "outputs")); output != "" && loose.results == nil { // of a tool of the server
				a.sources = addSource(a.sources, schemas.Source{Title: item.get("name").text(), Text: output})
			}
		}
		if len(r.messages) <= recordformat.MaxMessages && (role != "" || loose.results != nil) {
			r.addTurn(item)
		}
	}
	if !found {
		answer, before = loose, len(r.messages)
	} else {
		answer.unread = append(answer.unread, loose.unread...)
		answer.cited = append(answer.cited, loose.cited...)
	}
	a.messages = r.messages[:before]
	a.choices = append(a.choices, choice{answer, at})
	a.heads = append(a.heads, at, at.get("kwargs"), at.get("response_metadata"))
	return true
}

// retrieved reads RetrieveAndGenerate of Bedrock.
func (a *Answers) retrieved(v value) bool {
	text := v.path("output", "text")
	return text.isText() && a.one(v, text)
}

// generations reads the result of a model of LangChain, or of Cohere's first API: a list, or a list for each prompt.
func (a *Answers) generations(v value) bool {
	g := v.get("generations").first()
	if g.kind() == '[' {
		g = g.first()
	}
	if g.kind() != '{' {
		return false
	}
	head := g.path("generation_info")
	message := g.get("message")
	t := readTurn(message, false)
	if t.text == "" {
		t.add(g.get("text").text())
	}
	a.choices = append(a.choices, choice{t, head})
	a.heads = append(a.heads, v.get("llm_output"), message.path("kwargs", "response_metadata"))
	return true
}

func (a *Answers) anthropic(v value) bool {
	isMessage := v.get("type").text() == "message" && roleOf(v) == roleAssistant
	if v.get("content").kind() != '[' || !isMessage && v.get("stop_reason").kind() == 0 {
		return false
	}
	t := turn{}
	t.content(v.get("content"), 0)
	a.choices = append(a.choices, choice{t, v})
	return true
}

// invoked reads what models return whose own APIs have a text in a member: Llama, Titan, Mistral, AI21, TGI, watsonx.
func (a *Answers) invoked(v value) bool {
	for _, list := range []value{v, v.get("results").first(), v.get("outputs").first(), v.path("completions").first()} {
		text := list.get("generation", "generated_text", "output_text")
		if list.at > v.at && text.kind() == 0 {
			text = list.get("text", "data")
		}
		if text.kind() != 0 && (text.isText() || text.kind() == '{') && list.get("type").kind() == 0 {
			return a.one(list, text)
		}
	}
	completion := v.get("completion")
	return completion.isText() && v.get("stop_reason").kind() != 0 && a.one(v, completion)
}

func (a *Answers) haystack(v value) bool {
	if replies := v.get("replies"); replies.kind() == '[' {
		meta := v.get("meta").first()
		a.heads = append(a.heads, meta)
		return a.one(meta, replies.first())
	}
	answer := v.get("answers").first()
	if answer.kind() != '{' || answer.get("data", "answer").kind() == 0 {
		return false
	}
	a.sources = sourcesOf(a.sources, answer.get("documents"))
	return a.one(answer, answer.get("data", "answer"))
}

func (a *Answers) llamaIndex(v value) bool {
	if v.get("source_nodes").kind() == '[' {
		return a.one(v, v.get("response"))
	}
	return v.path("message", "blocks").kind() == '[' && a.one(v, v.get("message"))
}

// vercel reads results of the AI SDK: of generateText, with its steps, and of a model.
func (a *Answers) vercel(v value) bool {
	steps := v.get("steps")
	switch {
	case v.get("finish_reason").kind() == 0 && steps.kind() != '[' || v.get("message").kind() != 0 || v.get("generation_id").kind() != 0:
		return false
	case v.get("text").isText() && (steps.kind() == '[' || v.get("tool_calls", "response", "warnings", "sources", "response_messages").kind() != 0):
		a.one(v, v.get("text"))
	case v.get("content").kind() == '[':
		a.one(v, v.get("content"))
	case steps.kind() == '[':
		a.one(steps.last(), steps.last().get("text", "content"))
	default:
		return false
	}
	for step := range steps.items() {
		for result := range step.get("tool_results").items() {
			if text := flat(result.get("output", "result")); text != "" {
				a.sources = append(a.sources, schemas.Source{Title: result.get("tool_name").text(), Text: text})
			}
		}
	}
	a.heads = append(a.heads, v.get("response"))
	return true
}

func (a *Answers) cohere(v value) bool {
	if v.get("message").kind() == '{' && v.get("finish_reason").kind() != 0 {
		return a.one(v, v.get("message"))
	}
	return v.get("text").isText() && v.get("generation_id", "finish_reason", "chat_history", "is_finished").kind() != 0 && a.one(v, v.get("text"))
}

// conversation reads messages that end with the answer.
func (a *Answers) conversation(v value) bool {
	list := v.get("messages", "user_input", "output_messages")
	if list.first().kind() == '[' {
		list = list.first()
	}
	isAnswer := func(item value) bool {
		return roleOf(item) == roleAssistant || roleOf(item.get("kwargs")) == roleAssistant
	}
	if list.kind() != '[' || !slices.ContainsFunc(slices.Collect(list.items()), isAnswer) {
		return false
	}
	return a.turns(list.last(), list)
}

// message reads a message alone.
func (a *Answers) message(v value) bool {
	content := v.get("content", "parts", "contents", "blocks", "items", "kwargs", "data")
	role := roleOf(v)
	if v.get("content").kind() == '{' && v.path("content", "parts").kind() == '[' { // of Gemini
		return a.one(v, v.get("content"))
	}
	isMessage := content.kind() != 0 || v.get("tool_calls", "refusal", "audio").kind() != 0
	return role != "" && isMessage && (role == roleAssistant || strings.Contains(role, "model")) && a.one(v, v)
}
