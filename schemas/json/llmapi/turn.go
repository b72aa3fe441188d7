package llmapi

import (
	"slices"
	"strings"

	"confab/schemas"
)

// turn is a message that was read.
type turn struct {
	role    string
	text    string           // that the user saw
	results []string         // of tools
	docs    []schemas.Source // passages in its content
	cited   []value          // citations and annotations
	unread  []string
	bad     bool // there may be a text that cannot be read

	prompt bool // parts are joined by line breaks; those of an answer are parts of a sentence
	gap    bool // something else came after the last text
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
	partIgnored
)

// kinds are the words for parts, folded: values of the member type and its like, or names of the member that holds the part.
//
//nolint:gochecknoglobals // a read-only table
var kinds = map[string]partKind{
	"text": partText, "outputtext": partText, "inputtext": partText, "refusal": partText, "textcontent": partText, "message": partText,
	"userprompt": partText, "systemprompt": partText, "messageoutput": partText, "guardcontent": partText, "markdown": partText,

	"thinking": partReasoning, "redactedthinking": partReasoning, "reasoning": partReasoning, "reasoningcontent": partReasoning,
	"thought": partReasoning, "summarytext": partReasoning, "reasoningtext": partReasoning, "textreasoning": partReasoning,

	"tooluse": partCall, "executablecode": partCall, "toolrequest": partCall, "functioncallcontent": partCall,

	"toolresult": partResult, "functioncalloutput": partResult, "toolcallresponse": partResult, "toolreturn": partResult,
	"functionresponse": partResult, "functionresult": partResult, "toolcallresult": partResult, "codeexecutionresult": partResult,

	"document": partDocument, "searchresult": partDocument, "retrieveddocument": partDocument,

	"reference": partIgnored, "toolreference": partIgnored, "source": partIgnored, "sourceurl": partIgnored, "sourcedocument": partIgnored,
	"citationscontent": partText, "itemreference": partIgnored, "stepstart": partIgnored, "cachepoint": partIgnored,
}

// kindOf is the kind that a word names.
func kindOf(word string) partKind {
	word = fold(word)
	if kind := kinds[word]; kind != partUnknown {
		return kind
	}
	for _, end := range []struct {
		word string
		kind partKind
	}{{"call", partCall}, {"tooluse", partCall}, {"calloutput", partResult}, {"toolresult", partResult}, {"callresponse", partResult}} {
		if strings.HasSuffix(word, end.word) {
			return end.kind
		}
	}
	return partUnknown
}

// Roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
	roleTool      = "tool"
)

// redacted is what LiteLLM writes in place of texts.
const redacted = "redacted-by-litellm"

// roles are the words for roles, folded.
//
//nolint:gochecknoglobals // a read-only table
var roles = map[string]string{
	"human": roleUser, "humanmessage": roleUser, "usermessage": roleUser, "ai": roleAssistant, "aimessage": roleAssistant, "model": roleAssistant,
	"aimessagechunk": roleAssistant, "assistantmessage": roleAssistant, "chatbot": roleAssistant, "bot": roleAssistant, "messageoutput": roleAssistant,
	"systemmessage": roleSystem, "toolmessage": roleTool, "function": roleTool, "functionmessage": roleTool,
	"user": roleUser, "assistant": roleAssistant, "system": roleSystem, "tool": roleTool, "developer": "developer",
}

// roleOf is the role of a message, "" where it says none.
func roleOf(v value) string {
	role := v.get("role")
	if label := role.get("label", "value"); label.isText() { // Semantic Kernel
		role = label
	}
	word := role.text()
	if word != "" {
		if usual, known := roles[fold(word)]; known {
			return usual
		}
		return word
	}
	switch kind := v.get("kind").text(); kind { // Pydantic AI
	case "request":
		return roleUser
	case "response":
		return roleAssistant
	}
	for _, word := range []string{v.get("type").text(), v.get("id").last().text(), v.get("sender", "author", "from").text()} {
		if usual, known := roles[fold(word)]; known {
			return usual
		}
	}
	return ""
}

// readTurn reads a message: an object, a text or a list of parts.
func readTurn(v value, prompt bool) turn {
	t := turn{prompt: prompt}
	t.read(v, 0)
	return t
}

func (t *turn) read(v value, depth int) {
	if v.kind() != '{' || depth > maxDepth {
		t.content(v, depth)
		return
	}
	if role := roleOf(v); role != "" {
		t.role = role
	}
	if inner := v.get("kwargs", "data"); inner.get("content", "kwargs").kind() != 0 { // LangChain
		t.read(inner, depth+1)
		return
	}
	if inner := v.get("message", "delta"); inner.kind() == '{' && v.get("content").kind() == 0 {
		t.read(inner, depth+1)
		return
	}
	t.members(v, depth)
	if t.role == roleTool && len(t.results) == 0 && (t.text != "" || len(t.docs) > 0) {
		t.results, t.text, t.docs = []string{flat(v.get("content", "parts", "text", "outputs"))}, "", nil
	}
}

// members reads what a message holds.
func (t *turn) members(v value, depth int) {
	content := v.get("content", "parts", "text", "contents", "blocks", "items", "value", "message")
	if alone := kindOf(v.get("type").text()); alone > partText && v.get("role").kind() == 0 || content.kind() == 0 && alone == partText {
		t.part(v, depth)
	} else {
		t.content(content, depth+1)
	}
	for _, extra := range []value{v.get("refusal"), v.path("additional_kwargs", "refusal"), v.path("audio", "transcript")} {
		switch {
		case extra.isText():
			t.addOther(extra.text())
		case extra.kind() != 0 && extra.kind() != 'f':
			t.bad = true
		}
	}
	if audio := v.get("audio"); audio.get("transcript").text() == "" && audio.get("data").text() != "" {
		t.addUnread(UnreadParts)
	}
	for what, names := range map[string][]string{
		UnreadTools:     {"tool_calls", "function_call"},
		UnreadReasoning: {"reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"},
	} {
		for _, name := range names {
			if saysSomething(v.get(name)) || saysSomething(v.path("additional_kwargs", name)) {
				t.addUnread(what)
			}
		}
	}
	if cited := v.get("citations", "annotations"); cited.kind() == '[' {
		t.cited = append(t.cited, cited)
	}
}

// saysSomething reports a value that is not false, "", [] or {}.
func saysSomething(v value) bool {
	switch v.kind() {
	case 0, 'f':
		return false
	case '"', '[', '{':
		return len(v.raw()) > 2
	}
	return true
}

func (t *turn) addUnread(what string) {
	if !slices.Contains(t.unread, what) {
		t.unread = append(t.unread, what)
	}
	t.gap = true
}

// add adds the text of a part.
func (t *turn) add(text string) {
	if text == "" || text == redacted {
		return
	}
	between := ""
	switch last := len(t.text) - 1; {
	case last < 0:
	case t.prompt:
		between = "\n"
	case t.gap:
		between = "\n\n"
	case strings.IndexByte(".!?:", t.text[last]) >= 0 && lower(text[0]) != 0 && (text[0] < '0' || text[0] > '9'):
		between = "\n"
	}
	t.text, t.gap = t.text+between+text, false
}

// addOther adds a text beside the content, unless it is the same.
func (t *turn) addOther(text string) {
	if text != t.text {
		t.gap = true
		t.add(text)
	}
}

// content reads a text, a part or a list of these.
func (t *turn) content(v value, depth int) {
	switch v.kind() {
	case 0:
	case '"':
		t.add(v.text())
	case '{', '[':
		if depth > maxDepth {
			t.bad = true
			return
		}
		if v.kind() == '{' {
			t.part(v, depth+1)
			return
		}
		for item := range v.items() {
			t.content(item, depth+1)
		}
	default:
		t.bad = true
	}
}

// part reads an object in a content.
func (t *turn) part(v value, depth int) {
	kind := kindOf(v.get("type", "block_type", "part_kind").text())
	inner := v
	if kind == partUnknown || kind == partText {
		for name, member := range v.members() { // {"toolUse": {…}}
			if k := kindOf(name); k > partText && member.kind() == '{' {
				kind, inner = k, member
			}
		}
	}
	if v.get("thought").kind() == 't' {
		kind = partReasoning
	}
	switch kind {
	case partReasoning:
		t.addUnread(UnreadReasoning)
	case partCall:
		t.addUnread(UnreadTools)
	case partResult:
		if t.gap = true; !t.prompt {
			t.cited = append(t.cited, inner) // of a tool of the server
			return
		}
		if text := flat(inner.get("output", "result", "response", "content", "outputs", "text", "value")); text != "" {
			t.results = append(t.results, text)
		}
	case partDocument:
		t.document(inner)
	case partIgnored:
	default:
		t.textPart(v, depth)
	}
}

// textPart reads a part that has a text, or is of an unknown kind.
func (t *turn) textPart(v value, depth int) {
	text := v.get("text", "refusal", "content", "parts", "value", "guard_content", "citations_content")
	if cited := v.get("citations", "annotations"); cited.kind() == '[' {
		t.cited = append(t.cited, cited)
	}
	switch text.kind() {
	case 0:
		if len(v.raw()) > 2 {
			t.addUnread(UnreadParts)
		}
	case '{', '[':
		t.content(text, depth+1)
	default:
		t.content(text, depth)
	}
}

// document reads a document in a content.
func (t *turn) document(v value) {
	if s := sourceOf(v, 0); s.Text != "" {
		t.docs = append(t.docs, s)
	} else {
		t.addUnread(UnreadParts)
	}
}

// flat is the text of a result of a tool: its texts, or else its JSON.
func flat(v value) string {
	switch v.kind() {
	case 0:
		return ""
	case '[':
		texts := make([]string, 0, 4)
		for item := range v.items() {
			text := item.get("text", "content", "document", "search_result", "json")
			if item.isText() {
				text = item
			}
			if text.kind() == 0 {
				return v.raw()
			}
			texts = append(texts, flat(text))
		}
		return strings.Join(texts, "\n")
	case '{':
		for _, name := range []string{"text", "content", "result", "output", "value", "data"} {
			if inner := v.get(name); inner.isText() {
				return inner.text()
			}
		}
		return v.raw()
	case '"':
		return v.text()
	}
	return v.raw()
}
