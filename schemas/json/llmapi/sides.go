package llmapi

import (
	"slices"

	"confab/schemas"
)

// Sides reports whether a value is surely a request with messages, the response of an API, or both: a conversation that ends with
// its answer. A text that is no JSON and no transcript is neither, nor is an object around a request or a response.
func Sides(raw []byte) (request, response bool) {
	a := &Answers{}
	v, err := open(raw)
	if err != nil {
		return false, false
	}
	v = v.unwrapped()
	text := []byte(v.text())
	switch {
	case v.kind() == '"' && IsTranscript(text):
		if a, err = Read(text); err != nil {
			return false, false
		}
	case a.spans(v, 0):
		return asks(v), true
	case v.kind() == '"' || v.kind() == '[' && !isCall(v):
		return false, false
	case isRequest(v):
		return asks(v), false
	default:
		a.known(v, 0)
	}
	return a.sides()
}

// sides reports what the answers that were read show.
func (a *Answers) sides() (request, response bool) {
	if len(a.choices) == 0 || a.choices[0].bad || a.choices[0].text() == "" && len(a.choices[0].unread) == 0 || slices.Contains([]string{"", FormText, FormError, "object", "haystack", "bedrock.rag"}, a.form) {
		return false, false
	}
	if a.form != "messages" && a.form != "message" {
		return false, true
	}
	said := a.choices[0].text() != ""
	return said && hasRole(a.messages, roleUser), said
}

// isCall reports a list of messages, of the events of a stream, or around a text that was generated.
func isCall(v value) bool {
	return roleOf(v.first()) != "" || v.first().get("generated_text").kind() != 0 || IsTranscript([]byte(v.raw()))
}

// isRequest reports an object with the members of a request, or messages that do not end with an answer.
func isRequest(v value) bool {
	messages := v.get("messages", "contents")
	switch {
	case v.kind() == '[':
		return roleOf(v.last()) != "" && !isAnswer(v.last())
	case messages.kind() == '[':
		return roleOf(messages.last()) != roleAssistant
	case v.get("message").kind() == '"':
		return v.get("documents", "chat_history", "preamble").kind() != 0 && v.get("text").kind() == 0
	}
	return v.get("model", "model_id").kind() != 0 && v.get("input", "prompt").kind() != 0 && v.get("output", "choices").kind() == 0
}

// asks reports whether a request has messages.
func asks(v value) bool {
	r := requestReader{in: new(schemas.Interaction)}
	return r.read(v, 0)
}
