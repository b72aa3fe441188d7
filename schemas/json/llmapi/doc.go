// Package llmapi reads the requests and responses of the APIs of language models and of their frameworks. It recognises each by
// its structure: the caller does not say which one it is. It is the only place that knows messages, parts of a content, output
// items, candidates, generations and the events of streams.
package llmapi

import (
	"confab/schemas"
)

// maxDepth bounds the nesting of a request and of a response.
const maxDepth = 64

// Reading is what Response found.
type Reading struct {
	Form     string   // the API, such as anthropic, or FormText or FormError; "" where nothing was read
	Answered bool     // there is a final turn; its text may be empty, as in calls of tools, refusals without text and blocked answers
	Unread   []string // what that turn holds besides its text: UnreadTools, UnreadReasoning, UnreadParts
}

// What an answer may hold besides its text.
const (
	UnreadTools     = "tool_calls"
	UnreadReasoning = "reasoning"
	UnreadParts     = "content_parts" // images, sound without a transcript, parts of unknown types
)

// FormText is an answer that is a text and nothing else, FormError a response that reports a failure.
const (
	FormText  = "text"
	FormError = "error"
)

// Request reads what a call gave the model into the empty fields of in: messages (system, instructions, history, prompt, in the
// order in which the model reads them), sources, temperature, response_schema, model, conversation_id, streamed. Results of tools are
// messages of the role tool, passages in a content are sources. raw is one JSON value: an object, a list of messages or a text, which
// may itself be JSON. A value that cannot be read costs that field, which in.Malformed names. Strings of in point into raw and into
// storage of their own. The error is a *scan.Error.
func Request(raw []byte, in *schemas.Interaction) error {
	v, err := open(raw)
	if err != nil {
		return err
	}
	return readRequest(v, in)
}

func readRequest(v value, in *schemas.Interaction) error {
	r := requestReader{in: in}
	r.read(v, 0)
	r.fill()
	if v.doc.err != nil {
		return v.doc.err
	}
	return nil
}

// Response reads the answer of a response into the empty fields of in: the text of its last turn (of the first choice), finish_reason,
// interaction_id, conversation_id, model, occurred_at, logprobs, the messages before the answer where the response holds them, and the
// sources that the API returns with it. Read the request first: its sources count more. raw is one JSON value, or the whole transcript
// of a stream. The error is a *scan.Error, of the field answer where a text is of a form that cannot be read.
func Response(raw []byte, in *schemas.Interaction) (Reading, error) {
	a, err := Read(raw)
	if err != nil {
		return Reading{}, err
	}
	return a.Fill(0, in)
}
