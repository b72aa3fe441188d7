package llmapi

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
)

// Roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
	roleTool      = "tool"
)

// What LiteLLM and OpenInference write in place of texts.
const (
	redacted = "redacted-by-litellm"
	hidden   = "__REDACTED__"
)

// roleOf is the role of a message, "" where it says none.
func roleOf(v value) string {
	role := v.get("role")
	if role.kind() == '{' { // Semantic Kernel
		role = role.get("label", "value")
	}
	if role.kind() != 0 {
		return cmp.Or(Role(role.text()), role.text())
	}
	kind, name := v.get("message_type", "type").text(), v.get("sender", "author", "from", "source").text()
	said := cmp.Or(Role(kind), Role(v.get("kind").text()), Role(v.get("id").last().text()), Role(name))
	if said == "" && name != "" && strings.HasSuffix(kind, "Message") { // of an agent, by its name
		return roleAssistant
	}
	return said
}

// Role is the role that a word names, "" for none.
func Role(word string) string {
	switch word = strings.ToLower(word); strings.TrimSuffix(strings.TrimSuffix(word, "chunk"), "message") {
	case "user", "human", "customer", "client", "caller", "visitor", "request", "user_input", "incoming", "inbound", "kunde", "kundin", "nutzer", "benutzer", "anrufer":
		return roleUser
	case "assistant", "ai", "agent", "model", "chatbot", "bot", "gpt", "api", "outgoing", "outbound", "assistent", "assistentin", "response", "message.output", "model_output":
		return roleAssistant
	case "system":
		return roleSystem
	case "tool", "function", "tool_execution_result", "toolcallexecutionevent", "memoryqueryevent": // LangChain4j, AutoGen
		return roleTool
	}
	return ""
}

// turn is a message that was read.
type turn struct {
	role    string
	texts   []string // that the user saw, with what stands between them
	calls   []schemas.ToolCall
	results []schemas.ToolCall // of calls, without what was called
	docs    []schemas.Source   // passages in its content
	cited   []value            // citations and annotations
	tools   []value
	unread  []string
	bad     bool // there may be a text that cannot be read

	prompt bool // parts are joined by line breaks; those of an answer are parts of a sentence
	gap    bool // something else came after the last text
}

// readTurn reads a message: an object, a text or a list of parts.
func readTurn(v value, prompt bool) turn {
	t := turn{prompt: prompt}
	t.read(v)
	return t
}

func (t *turn) text() string { return strings.Join(t.texts, "") }

func (t *turn) read(v value) {
	if v.kind() != '{' {
		t.content(v)
		return
	}
	t.role = cmp.Or(roleOf(v), t.role)
	content := v.get("content", "parts", "text", "contents", "blocks", "items", "value", "message", "delta", "messages")
	switch inner := v.get("kwargs", "data", "msg", "payload"); {
	case isPlain(v):
		t.content(content)
	case inner.get("content", "kwargs").kind() != 0: // LangChain
		t.read(inner)
		return
	case content.kind() == '{' && content == v.get("message", "delta"):
		t.read(content)
		return
	default:
		t.message(v, content)
	}
	if t.role == roleTool && len(t.results) == 0 {
		said := v.get("content", "parts", "text", "outputs")
		if r := resultIn(v, said); r.Result+r.Error != "" && (said.member("id").kind() == 0 || len(maps.Collect(said.members())) > 1) { // not its id alone
			t.results, t.texts, t.docs = []schemas.ToolCall{r}, nil, nil
		}
	}
}

// message reads a message with more than a content.
func (t *turn) message(v, content value) {
	if kind := kindOf(v.get("type").text()); kind > partText && v.get("role").kind() == 0 {
		t.part(v)
	} else {
		t.content(content)
	}
	t.beside(v)
}

// isPlain reports a message with a content and nothing else that is read.
func isPlain(v value) bool {
	for name := range v.members() {
		switch name {
		case "role", "content", "parts", "name", "id", "finish_reason":
		default:
			return false
		}
	}
	return true
}

// beside reads what a message holds next to its content.
func (t *turn) beside(v value) {
	audio, more, other := v.get("audio"), v.get("additional_kwargs"), v.get("provider_specific_fields") // LangChain, LiteLLM
	for _, extra := range []value{v.get("refusal"), more.get("refusal"), other.get("refusal"), audio.get("transcript")} {
		if text := extra.text(); text != "" && text != t.text() {
			t.gap = true
			t.add(text)
		}
		t.bad = t.bad || extra.kind() == '{' || extra.kind() == '['
	}
	if audio.get("data").kind() != 0 && audio.get("transcript").kind() == 0 {
		t.skip(UnreadParts)
	}
	for _, in := range []value{v, more, other} {
		for _, name := range []string{"tool_calls", "function_call"} {
			calls := in.get(name)
			t.skipFull(UnreadTools, calls)
			t.addCalls(calls)
		}
		for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"} {
			t.skipFull(UnreadReasoning, in.get(name))
		}
		t.cite(in)
		t.docs = sourcesOf(t.docs, in.get("executed_tools")) // Groq
	}
}

func (t *turn) cite(v value) {
	if cited := v.get("citations", "annotations"); cited.kind() == '[' {
		t.cited = append(t.cited, cited)
	}
}

// skip notes what is not read.
func (t *turn) skip(what string) {
	if t.gap = true; !slices.Contains(t.unread, what) {
		t.unread = append(t.unread, what)
	}
}

// skipFull notes a value that is not read, unless it is false, "", [] or {}.
func (t *turn) skipFull(what string, v value) {
	if c := v.kind(); c != 0 && c != 'f' && len(v.raw()) > 2 {
		t.skip(what)
	}
}

// add adds the text of a part.
func (t *turn) add(text string) {
	if text == "" || text == redacted || text == hidden {
		return
	}
	if last := len(t.texts) - 1; last >= 0 {
		between := ""
		switch end := t.texts[last][len(t.texts[last])-1]; {
		case t.prompt:
			between = "\n"
		case t.gap:
			between = "\n\n"
		case strings.IndexByte(".!?:", end) >= 0 && (lower(text[0]) > '9'):
			between = "\n"
		}
		if between != "" {
			t.texts = append(t.texts, between)
		}
	}
	t.texts, t.gap = append(t.texts, text), false
}

// content reads a text, a part or a list of these.
func (t *turn) content(v value) {
	switch v.kind() {
	case 0:
	case '"':
		t.add(v.text())
	case '{':
		t.part(v)
	case '[':
		for item := range v.items() {
			t.content(item)
		}
	default:
		t.bad = true
	}
}

// partKind is what a part of a content is.
type partKind int

const (
	partUnknown partKind = iota
	partText
	partReasoning
	partCall
	partResult
	partDocument
	partTools // that a server has
	partIgnored
)

// partKinds are the kinds of words, folded.
//
//nolint:gochecknoglobals // a read-only table
var partKinds = map[string]partKind{
	"text": partText, "outputtext": partText, "inputtext": partText, "refusal": partText, "message": partText,
	"thinking": partReasoning, "redactedthinking": partReasoning, "reasoning": partReasoning,
	"summarytext": partReasoning, "thought": partReasoning, "executablecode": partCall, "toolreturn": partResult, "functionresponse": partResult,
	"mcplisttools": partTools,
	"document":     partDocument, "searchresult": partDocument, "reference": partIgnored, "toolreference": partIgnored, "source": partIgnored, "sourcedocument": partIgnored, "sourceurl": partIgnored,
	"itemreference": partIgnored, "cachepoint": partIgnored, "stepstart": partIgnored,
}

// kindOf is the kind that a word names: the type of a part, or the name of the member that holds it.
func kindOf(word string) partKind {
	if kind := partKinds[word]; kind != partUnknown {
		return kind
	}
	tool := strings.HasPrefix(word, "tool-") // of Vercel
	word = strings.TrimSuffix(fold(word), "content")
	if kind := partKinds[word]; kind != partUnknown {
		return kind
	}
	for _, end := range []string{"tooluse", "call"} {
		if strings.HasSuffix(word, end) {
			return partCall
		}
	}
	for _, end := range []string{"result", "calloutput", "callresponse"} {
		if strings.HasSuffix(word, end) {
			return partResult
		}
	}
	if tool {
		return partCall
	}
	return partUnknown
}

// kindOfPart is the kind of an object in a content, and the object with its members.
func kindOfPart(v value) (kind partKind, inner value) {
	if v.get("thought").kind() == 't' {
		return partReasoning, v
	}
	if kind = kindOf(v.get("type", "block_type", "part_kind").text()); kind > partText {
		return kind, v
	}
	if kind == partUnknown && v.get("name").kind() != 0 { // AutoGen
		switch {
		case v.get("call_id").kind() != 0:
			return partResult, v
		case v.get("arguments").kind() != 0:
			return partCall, v
		}
	}
	for name, member := range v.members() { // {"toolUse": {…}}
		if k := kindOf(name); k > partText && member.kind() == '{' {
			return k, member
		}
	}
	return kind, v
}

// part reads an object in a content.
func (t *turn) part(v value) {
	kind, inner := kindOfPart(v)
	switch kind {
	case partReasoning:
		t.skip(UnreadReasoning)
	case partCall: // of a tool of the server with its results
		t.skip(UnreadTools)
		t.addCalls(inner)
		t.docs = addSource(sourcesOf(t.docs, inner.get("results")), schemas.Source{Text: flat(inner.get("output", "outputs"))})
	case partResult:
		t.gap = true
		t.result(inner)
	case partTools:
		t.tools = append(t.tools, inner.get("tools"))
	case partDocument:
		s := sourceOf(inner)
		if t.docs = addSource(t.docs, s); s.Text == "" {
			t.skip(UnreadParts)
		}
	case partIgnored:
	default:
		t.textPart(v)
	}
}

// addCalls reads calls of tools.
func (t *turn) addCalls(v value) {
	for item := range v.items() {
		t.calls = append(t.calls, callIn(item))
	}
}

// result reads the result of a tool: of the application in a prompt, of the server in an answer.
func (t *turn) result(v value) {
	content := v.get(resultNames...)
	if r := resultIn(v, content); r.Result+r.Error != "" || t.prompt {
		t.results = append(t.results, r)
	}
	if !t.prompt {
		t.docs = sourcesOf(t.docs, content)
	}
}

// textPart reads a part that has a text, or is of an unknown kind.
func (t *turn) textPart(v value) {
	t.cite(v)
	if text := v.get("text", "refusal", "content", "parts", "value", "guard_content", "citations_content", "message_content"); text.kind() != 0 {
		t.content(text)
	} else {
		t.skipFull(UnreadParts, v)
	}
}

// flat is the text of a result of a tool: its texts, or else its JSON.
func flat(v value) string {
	switch v.kind() {
	case 0:
		return ""
	case '"':
		return v.text()
	case '[':
		texts := []string{}
		for item := range v.items() {
			text := item.get("text", "content", "document", "search_result", "json")
			if item.kind() == '"' {
				text = item
			}
			if text.kind() == 0 {
				return v.raw()
			}
			texts = append(texts, flat(text))
		}
		return strings.Join(texts, "\n")
	}
	first, end := v.doc.Within(v.at, '{')
	if inner := v.get("value"); inner.kind() != 0 && strings.HasSuffix(v.get("type").text(), "json") { // Vercel
		return inner.raw()
	}
	text := v.get("text", "content", "result", "output", "value", "data")
	if c := text.kind(); c == '"' || c == '[' && end == v.doc.After(first+1) { // nothing else
		return flat(text)
	}
	return v.raw()
}
