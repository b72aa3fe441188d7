package llmapi

import (
	"slices"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
)

// form is a response with one answer: its API, the path of the answer, and the paths that show it, of which one may name its text.
type form struct{ name, answer, shownBy string }

// forms are the responses with one answer, the more particular ones first. A list on a path stands for its first item.
//
//nolint:gochecknoglobals // a read-only table
var forms = []form{
	{"gemini", "content", "content.parts"},
	{"bedrock.converse", "output.message", ""},
	{"bedrock.rag", "output.text", ""},
	{"langchain", "generations.message", ""},
	{"langchain", "generations.text", ""},
	{"openai.assistants", "content", "object=thread.message"},
	{"anthropic", "content", "type=message role=assistant"},
	{"anthropic", "content", "stop_reason"},
	{"bedrock.invoke", "generation", ""},
	{"bedrock.invoke", "generated_text", ""},
	{"bedrock.invoke", "results.output_text", ""},
	{"bedrock.invoke", "results.generated_text", ""},
	{"bedrock.invoke", "outputs.text", "outputs.stop_reason"},
	{"bedrock.invoke", "completions.data.text", ""},
	{"bedrock.invoke", "completion", "stop_reason"},
	{"bedrock.invoke", "output_text", "completion_reason"},
	{"haystack", "replies.0", ""},
	{"haystack", "answers.data", ""},
	{"llamaindex", "response", "source_nodes"},
	{"llamaindex", "message", "message.blocks"},
	{"springai", "result.output", "result.output.message_type"},
	{"ollama", "message", "done"},
	{"ollama", "response", "done"},
	{"cohere", "message", "finish_reason"},
	{"cohere", "text", "generation_id"},
	{"vercel", "text", "steps"},
	{"vercel", "text", "finish_reason response"},
	{"vercel", "content", "finish_reason"},
	{"cohere", "text", "finish_reason"},
}

// fits reports whether the object is a response of the form.
func (f *form) fits(v value) bool {
	for shown := range strings.FieldsSeq(f.shownBy) {
		path, want, _ := strings.Cut(shown, "=")
		if at := v.path(path); at.kind() == 0 || want != "" && at.text() != want {
			return false
		}
	}
	return v.path(f.answer).kind() != 0
}

// readText reads an answer that is a text, or JSON in a text if that is a response.
func (a *Answers) readText(v value, depth int) {
	if inner := v.unwrapped(); inner != v {
		if inner.kind() == '"' {
			v = inner
		} else if len(inner.raw()) <= len("{}") || a.known(inner, depth) {
			return
		}
	}
	if isPage(v.text()) {
		a.form = FormError
		return
	}
	a.form = FormText
	a.one(value{}, v)
}

// isPage reports a page of HTML, which a gateway answers in place of an API.
func isPage(text string) bool {
	text = strings.TrimSpace(text)
	text = strings.ToLower(text[:min(len(text), len("<!doctype html"))])
	return text == "<!doctype html" || strings.HasPrefix(text, "<html")
}

// read reads a response of any form: a known one, or an object around one or around an answer.
func (a *Answers) read(v value, depth int) bool {
	if v.kind() == '"' {
		a.readText(v, depth)
		return a.form != ""
	}
	return a.known(v, depth) || depth < 5 && a.around(v, depth)
}

// known reads a response of a form that its structure shows.
func (a *Answers) known(v value, depth int) bool {
	if v.kind() == '[' {
		return a.knownList(v, depth)
	}
	if v.kind() != '{' {
		return false
	}
	for _, special := range []struct {
		name string
		read func(*Answers, value) bool
	}{
		{FormError, func(_ *Answers, v value) bool { e := v.get("error"); return e.kind() == '{' || e.text() != "" }},
		{"openai.chat", (*Answers).chat},
		{"vercel", (*Answers).steps},
		{"gemini", (*Answers).gemini},
		{"openai.responses", (*Answers).items},
		{"", (*Answers).simple},
		{"messages", (*Answers).conversation},
		{"message", (*Answers).message},
	} {
		if special.read(a, v) {
			if special.name != "" {
				a.form = special.name
			}
			a.head(v)
			return true
		}
	}
	return false
}

// knownList reads a list: a trace, the events of a stream, messages, or a list around a response.
func (a *Answers) knownList(v value, depth int) bool {
	first := v.first()
	switch {
	case depth < 5 && a.spans(v, depth):
		return true
	case first.kind() == '{' && IsTranscript([]byte(v.raw())):
		return depth < 5 && a.events([]byte(v.raw()), depth)
	case first.kind() == '[', first.kind() == '{' && roleOf(first) == "" && kindOf(first.get("type").text()) == partUnknown:
		return depth < 5 && a.known(first, depth+1)
	case first.kind() == '{':
		a.form = "messages"
		return a.turns(v, v)
	}
	return false
}

// events reads a list of events of a stream.
func (a *Answers) events(raw []byte, depth int) bool {
	whole, err := Assemble(raw)
	if err != nil {
		return false
	}
	v, err := open(whole)
	a.streamed = true
	return err == nil && a.known(v, depth+1)
}

// simple reads a response with one answer.
func (a *Answers) simple(v value) bool {
	for i := range forms {
		f := &forms[i]
		if !f.fits(v) {
			continue
		}
		holder := v
		if i := strings.LastIndex(f.answer, "."); i >= 0 {
			holder = v.path(f.answer[:i])
		}
		a.form = f.name
		a.one(holder, v.path(f.answer))
		if last := &a.choices[len(a.choices)-1]; f.answer == "generations.message" && len(last.texts) == 0 {
			last.content(v.path("generations.text"))
		}
		a.head(holder)
		for _, path := range []string{"generations.generation_info", "llm_output", "meta", "response", "generations.message.kwargs.response_metadata"} {
			a.heads = append(a.heads, v.path(path))
		}
		return true
	}
	return false
}

// one adds one answer, if there is a value with it. One beyond the limit is kept, to see that there are too many.
func (a *Answers) one(head, v value) bool {
	if v.kind() != 0 && len(a.choices) <= MaxChoices {
		a.choices = append(a.choices, choice{readTurn(v, false), head})
	}
	return v.kind() != 0
}

// head takes what stands next to an answer: its sources, and what is said about it.
func (a *Answers) head(v value) {
	if slices.Contains(a.heads, v) {
		return
	}
	a.heads = append(a.heads, v)
	for _, at := range []value{v, v.get("metadata"), v.get("grounding_metadata")} {
		for _, name := range []string{
			"sources", "source_nodes", "source_documents", "documents", "context", "contexts", "search_results", "retrieved_contexts", "references",
			"retriever_resources", "retrieval_context", "grounding_chunks",
		} {
			a.sources = sourcesOf(a.sources, at.get(name))
		}
	}
	a.tools = toolsOf(a.tools, v.get("tools"))
	for step := range v.get("steps").items() { // Vercel
		t := readTurn(step.get("content"), true)
		t.addCalls(step.get("tool_calls"))
		for result := range step.get("tool_results").items() {
			t.result(result)
		}
		a.calls.addTurn(&t)
		for i := range t.results {
			a.sources = addSource(a.sources, schemas.Source{Title: t.results[i].Name, Text: t.results[i].Result})
		}
	}
	a.cited = append(a.cited, v.get("citations"))
}

// around reads an object around a response or around an answer, whose name tells it.
func (a *Answers) around(v value, depth int) bool {
	if v.kind() == '[' { // of texts
		if v.first().kind() != '"' {
			return false
		}
		a.form = FormText
		return a.one(value{}, v)
	}
	for _, name := range []string{
		"answer", "output_text", "response", "result", "output", "outputs", "completion", "final_output", "body", "message", "reply", "prediction",
		"predictions", "data", "text", "content", "value", "raw",
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
	for _, inner := range v.steps() {
		if found || !a.known(inner, depth+1) || a.form == FormError {
			a.sources = sourcesOf(a.sources, inner.get("documents"))
		} else {
			found = true
		}
	}
	return found
}

func (a *Answers) chat(v value) bool {
	list := v.get("choices")
	if first := list.first(); list.kind() != '[' || first.kind() == '"' {
		return false
	}
	for c := range list.items() {
		if a.one(c, c); len(a.choices) > MaxChoices {
			break
		}
		a.cited = append(a.cited, c.get("message", "delta").path("context.citations")) // Azure
	}
	return true
}

// steps reads a result of Vercel's SDK whose text is that of its last step.
func (a *Answers) steps(v value) bool {
	last := v.get("steps").last()
	if content := last.get("content"); v.get("text").kind() != 0 || last.get("finish_reason").kind() == 0 || !a.one(last, content) {
		return false
	}
	a.heads = append(a.heads, last.get("response"))
	return true
}

func (a *Answers) gemini(v value) bool {
	list, feedback := v.get("candidates"), v.get("prompt_feedback")
	if list.kind() != '[' && (list.kind() != 0 || feedback.kind() == 0) {
		return false
	}
	for c := range list.items() {
		if !a.one(c, c.get("content")) {
			a.choices = append(a.choices, choice{head: c})
		}
		if a.head(c); len(a.choices) > MaxChoices {
			break
		}
	}
	if list.kind() == 0 && feedback.kind() != 0 { // blocked
		a.choices = append(a.choices, choice{head: feedback})
	}
	return true
}

// items reads the output items of the Responses API, or of agents of Mistral.
func (a *Answers) items(v value) bool {
	list := v.get("output", "outputs", "steps")
	return list.kind() == '[' && (v.get("object").text() == "response" || list.get("type").kind() != 0 && (list != v.get("steps") || !isLog(list))) && a.turns(v, list)
}

// turns reads a list of messages, items or parts that ends with the answer: the last message of the assistant, in a response all that
// follow each other, or the parts that are in no message. What was done before may have passages.
func (a *Answers) turns(head, list value) bool {
	said, at := lastSaid(list, head.get("object").text() == "response"), value{}
	if len(said) > 0 {
		at = said[len(said)-1]
	}
	a.before(list, said)
	answer, loose := turn{}, turn{}
	for item := range list.items() {
		if roleOf(item) == "" && !slices.Contains(said, item) {
			loose.content(item)
		}
	}
	if at.kind() == 0 && loose.text() == "" {
		loose.content(head.get("output_text")) // the SDKs of Responses put it together
	}
	if answer = loose; at.kind() != 0 {
		answer = turn{}
		for _, item := range said {
			answer.gap = len(answer.texts) > 0
			answer.read(item)
		}
		answer.unread, answer.docs = append(answer.unread, loose.unread...), append(loose.docs, answer.docs...)
		answer.calls, answer.results = append(loose.calls, answer.calls...), append(loose.results, answer.results...)
	}
	a.choices = append(a.choices, choice{answer, at})
	if head != list {
		a.head(head)
	}
	a.head(at)
	a.heads = append(a.heads, at.get("kwargs"), at.get("response_metadata"))
	return true
}

// lastSaid is the last message of the assistant, of a response with those directly before it.
func lastSaid(list value, isResponse bool) (said []value) {
	follows := false
	for item := range list.items() {
		is := isAnswer(item)
		if is && (!follows || !isResponse) {
			said = said[:0]
		}
		if follows = is; is {
			said = append(said, item)
		}
	}
	return said
}

// isAnswer reports a message of the assistant, or an item with a content that names no role.
func isAnswer(item value) bool {
	role := roleOf(item)
	return role == roleAssistant || role == "" && (item.get("type").text() == "message" || item.get("type", "text").kind() == 0)
}

// before reads the messages in a list before the first that was said.
func (a *Answers) before(list value, said []value) {
	r := requestReader{in: new(schemas.Interaction)}
	for item := range list.items() {
		if len(said) > 0 && item == said[0] || len(r.messages) >= recordformat.MaxMessages {
			break
		}
		t := readTurn(item, true)
		if len(said) == 0 && roleOf(item) == "" {
			t.texts = nil // a part of the answer
		}
		r.addTurn(&t)
	}
	a.messages, a.calls, a.tools = r.messages, r.calls, r.tools
}

// conversation reads messages that end with the answer.
func (a *Answers) conversation(v value) bool {
	list := v.get("messages", "user_input", "output_messages")
	if list.first().kind() == '[' {
		list = list.first()
	}
	list = messagesOf(list)
	return list.kind() == '[' && slices.ContainsFunc(slices.Collect(list.items()), func(item value) bool { return roleOf(item) == roleAssistant }) && a.turns(v, list)
}

// message reads a message alone. One whose content is null is empty.
func (a *Answers) message(v value) bool {
	inner := v.get("content", "parts", "contents", "blocks", "items", "kwargs", "data", "tool_calls", "refusal", "audio")
	return roleOf(v) == roleAssistant && (inner.kind() != 0 || v.member("content").doc != nil) && a.one(v, v)
}
