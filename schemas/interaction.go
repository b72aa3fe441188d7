package schemas

import (
	"slices"
	"strings"
	"time"
)

// UnknownTemperature says that the producer did not report the sampling temperature.
const UnknownTemperature = -1

// DefaultTenant owns interactions whose input names no other tenant.
const DefaultTenant = "default"

// IDSourceOffset marks an interaction that carried no id and was named after its coordinates.
const IDSourceOffset = "offset"

// MaxUnknownNames bounds the names of unknown fields that a decoder keeps.
const MaxUnknownNames = 8

// Where the sources of an interaction were found.
const (
	SourcesFromField        = "field"          // the field sources
	SourcesFromToolMessages = "tool_messages"  // results of tools: messages of the role tool, or calls
	SourcesFromSystem       = "system"         // the system message
	SourcesFromPrompt       = "prompt"         // passages within a message of the user
	SourcesFromNone         = "none"           // there are none
	SourcesFromRetriever    = "retriever_span" // spans of retrievers and tools of the same trace

	SourcesFromConfiguration = "configuration" // only the reference context of the configuration
)

// NoSourcesEmpty is why an answer has no sources if its prompt or a tool announces passages and holds none.
const NoSourcesEmpty = "empty_retrieval"

// Why the span of a call has no answer.
const (
	NotRecorded = "no_text"        // it has no text at all: the application does not record content
	NotFound    = "text_not_found" // it has texts, but no answer where its convention has it; their names are unknown fields
)

// Interaction is one answer of a language model with everything it was given: the unit that detectors measure.
//
// A decoder may let its strings point into the bytes it decoded and into Scratch; they stay valid until the value is
// decoded into again. Clone a string that is kept longer.
type Interaction struct {
	ID       string `json:"interaction_id,omitempty"` // unique per LLM response
	IDSource string `json:"-"`                        // "" when the producer named it, IDSourceOffset otherwise

	Tenant    string `json:"tenant,omitempty"`
	Service   string `json:"service,omitempty"`
	Operation string `json:"operation,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Model     string `json:"model,omitempty"`

	OccurredAt     time.Time `json:"occurred_at,omitzero"` // when the response was sent; zero when unknown
	TraceID        string    `json:"trace_id,omitempty"`   // W3C, lower-case hex
	SpanID         string    `json:"span_id,omitempty"`
	ConversationID string    `json:"conversation_id,omitempty"`

	Tags         []string  `json:"tags,omitempty"`
	Messages     []Message `json:"messages,omitempty"`
	Answer       string    `json:"answer"` // what the user saw, valid UTF-8
	FinishReason string    `json:"finish_reason,omitempty"`
	Streamed     bool      `json:"streamed,omitzero"`
	Temperature  float64   `json:"temperature"` // UnknownTemperature when not reported
	Sources      []Source  `json:"sources,omitempty"`

	UserFeedback   Thumb  `json:"user_feedback,omitempty"`    // what an end user says of the answer
	UserFeedbackBy string `json:"user_feedback_by,omitempty"` // who

	ResponseSchema string            `json:"response_schema,omitempty"` // JSON Schema the answer had to follow, "" for none
	Attributes     map[string]string `json:"attributes,omitempty"`
	Tools          []Tool            `json:"tools,omitempty"`      // that the model was offered
	Calls          []ToolCall        `json:"tool_calls,omitempty"` // that it made, in order, with their results
	Logprobs       Logprobs          `json:"-"`

	Repaired      bool     `json:"-"` // a lone surrogate escape was replaced by U+FFFD
	UnknownFields int      `json:"-"` // top-level fields that were ignored
	UnknownNames  []string `json:"-"` // names of the first ones, at most MaxUnknownNames; they may point into the decoded bytes
	Malformed     []string `json:"-"` // optional fields whose values could not be read and are therefore empty, each once

	UnreadTime  string `json:"-"` // the text of a time without a zone, or in another form; it may point into the decoded bytes
	UnreadOrder string `json:"-"` // of day and month in it: dmy, mdy, or ""

	Shape string `json:"-"` // of the record, if it was recognised as one of another program; "" for our own and for mapped ones

	SourcesFrom  string `json:"-"` // where Sources were found: one of the SourcesFrom constants, "" until that was decided
	UserPassages bool   `json:"-"` // the user's text holds passages that are no sources, because the application gave some

	NoSources string `json:"-"` // why the spans of the trace or the messages gave no sources, "" otherwise
	NoAnswer  string `json:"-"` // why the span of a call has no answer: NotRecorded or NotFound, "" otherwise

	Record []byte `json:"-"` // what was decoded, if it is not the value of the Kafka record but was assembled

	Scratch []byte `json:"-"` // the decoder's storage for unescaped text
}

// Reset empties the interaction, keeps the capacity of its slices and lets go of all bytes that its strings pointed
// into. Call it before an interaction goes back to a pool, so that an idle one pins no fetched record.
func (in *Interaction) Reset() {
	clear(in.Tags)
	clear(in.Messages)
	clear(in.Sources)
	clear(in.Tools)
	clear(in.Calls)
	clear(in.Attributes)
	clear(in.UnknownNames)
	*in = Interaction{
		Temperature:  UnknownTemperature,
		Tags:         in.Tags[:0],
		Messages:     in.Messages[:0],
		Sources:      in.Sources[:0],
		Attributes:   in.Attributes,
		Tools:        in.Tools[:0],
		Calls:        in.Calls[:0],
		UnknownNames: in.UnknownNames[:0],
		Malformed:    in.Malformed[:0],
		Logprobs:     Logprobs{Values: in.Logprobs.Values[:0], Offsets: in.Logprobs.Offsets[:0]},
		Scratch:      in.Scratch[:0],
	}
}

// PromptSources reports whether the messages were searched for sources, since the record names none, and whether there are any.
func (in *Interaction) PromptSources() (searched, found bool) {
	switch in.SourcesFrom {
	case SourcesFromToolMessages, SourcesFromSystem, SourcesFromPrompt:
		return true, true
	case SourcesFromNone, SourcesFromConfiguration:
		return len(in.Messages) > 0, false
	}
	return false, false
}

// EndsEarly reports whether the finish reason says that the answer was cut off, filtered or not finished.
func (in *Interaction) EndsEarly() bool {
	switch in.FinishReason {
	case "length", "max_tokens", "content_filter", "unfinished":
		return true
	}
	return false
}

// AddMalformed names an optional field whose value could not be read, unless it is named already.
func (in *Interaction) AddMalformed(name string) {
	if !slices.Contains(in.Malformed, name) {
		in.Malformed = append(in.Malformed, name)
	}
}

// ClearField empties a field whose value could not be read to its end. It does nothing for fields that are only set by sound
// values: texts, times and flags.
func (in *Interaction) ClearField(name string) {
	switch name {
	case "tags":
		in.Tags = in.Tags[:0]
	case FieldMessages:
		in.Messages = in.Messages[:0]
	case FieldSources:
		in.Sources = in.Sources[:0]
	case "attributes":
		clear(in.Attributes)
	case FieldTools:
		in.Tools = in.Tools[:0]
	case FieldToolCalls:
		in.Calls = in.Calls[:0]
	case FieldTemperature:
		in.Temperature = UnknownTemperature
	case FieldUserFeedback:
		in.UserFeedback = ""
	case FieldLogprobs, FieldTopK, FieldTokenLogprobs: // neither of the packed pair means anything without the other
		in.Logprobs = Logprobs{Values: in.Logprobs.Values[:0], Offsets: in.Logprobs.Offsets[:0]}
	}
}

// Message is one turn of the prompt.
type Message struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`

	// The bytes of Content that hold sources and the user's question, half open; both 0 when there are none. They are
	// found, not decoded.
	SourcesStart, SourcesEnd   int `json:"-"`
	QuestionStart, QuestionEnd int `json:"-"`
}

// Instructions are the two parts of the content around its sources. Without sources the first part is the content.
func (m *Message) Instructions() (before, after string) {
	if m.SourcesEnd == 0 {
		return m.Content, ""
	}
	return m.Content[:m.SourcesStart], m.Content[m.SourcesEnd:]
}

// Question is the message's question if that is known, else its instructions.
func (m *Message) Question() (before, after string) {
	if m.QuestionEnd > 0 {
		return m.Content[m.QuestionStart:m.QuestionEnd], ""
	}
	return m.Instructions()
}

// Question is the question of the last message. Before results of tools that is the message of the user that they were
// called for. It is empty without messages.
func (in *Interaction) Question() (before, after string) {
	last := len(in.Messages) - 1
	tools := last > 0 && in.Messages[last].HoldsOnlySources()
	for tools && last > 0 && (in.Messages[last].HoldsOnlySources() || in.Messages[last].Role == "assistant") {
		last--
	}
	if last < 0 {
		return "", ""
	}
	return in.Messages[last].Question()
}

// UserQuestion is the question of the user's last message, "" without one.
func (in *Interaction) UserQuestion() string {
	for _, m := range slices.Backward(in.Messages) {
		if strings.EqualFold(m.Role, "user") {
			before, after := m.Question()
			return before + after
		}
	}
	return ""
}

// HoldsOnlySources reports a message that is nothing but sources, such as the result of a tool.
func (m *Message) HoldsOnlySources() bool {
	return m.SourcesEnd > 0 && m.SourcesStart == 0 && m.SourcesEnd == len(m.Content)
}

// Source is one passage, tool result or record the model was given.
type Source struct {
	ID    string  `json:"id,omitempty"`
	Text  string  `json:"text,omitempty"`
	URI   string  `json:"uri,omitempty"`
	Title string  `json:"title,omitempty"` // as a reader would name it: "Smith et al. (2020)", a page's title
	Score float64 `json:"score,omitzero"`  // the retriever's, in its own unit; 0 when unknown
}

// Tool is one tool that the model was offered.
type Tool struct {
	Name   string `json:"name,omitempty"`
	Schema string `json:"parameters,omitempty"` // JSON Schema of the arguments, "" when not recorded
}

// ToolCall is one call of a tool that the model made, of this turn or of one that the messages hold.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"` // JSON, as the model wrote it
	Result    string `json:"result,omitempty"`    // a text or JSON, "" when not recorded
	Error     string `json:"error,omitempty"`     // a text or JSON, "" when the call did not fail
}

// Logprobs are the token log-probabilities of an answer: natural logarithms in [-100, 0].
type Logprobs struct {
	TopK    int       // alternatives a row
	Values  []float32 // Rows() × (1 + TopK), row-major: the chosen token, then the top-k; NaN where a value is missing
	Offsets []int32   // byte offset in Answer at which each token starts (len(Answer) past its end), Rows() of them; empty when unknown
}

// Rows is the number of tokens.
func (l Logprobs) Rows() int { return len(l.Values) / (1 + l.TopK) }

// Row is the i-th token's row: the chosen token's logprob, then the top-k.
func (l Logprobs) Row(i int) []float32 { w := 1 + l.TopK; return l.Values[i*w : (i+1)*w] }
