package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"
)

const (
	defaultMaxTokens = 512
	messageOverhead  = 16 // upper bound of the tokens that a template adds to a message
	maxChoices       = 128
	maxParts         = 1 << 10 // content parts of a text
)

// The roles of messages.
const (
	System    = openai.ChatMessageRoleSystem
	User      = openai.ChatMessageRoleUser
	Assistant = openai.ChatMessageRoleAssistant
)

// Message is one turn of a conversation. The client redacts its text.
type Message struct {
	Role string
	Text string
}

// Schema is the form of a reply. Servers without schema support are asked for any JSON object, others for nothing: the
// prompt must ask for it too, with the word JSON, and the caller must validate the reply.
type Schema struct {
	Name   string // letters, digits, _ and -
	Schema json.RawMessage
}

// Request asks for replies to a conversation.
type Request struct {
	Messages    []Message
	N           int      // replies wanted, at most 128; 0 is 1
	Temperature *float64 // nil leaves it to the server, and 0 is sent
	MaxTokens   int      // of one reply; 0 is 512
	JSON        *Schema  // nil: free text
}

// Replies are the result of Chat.
type Replies struct {
	Choices []Reply // N of them, fewer only with an error
	Usage   Usage   // of all answered calls
	Calls   int     // attempts, including failed ones, each of which may have been charged
}

// Reply is one answer.
type Reply struct {
	Text    string
	Refusal string // from servers with a field for it
	Finish  string // stop, length, content_filter, tool_calls, other; "" when the server sends none
}

// Chat asks for N replies: in one call where the server can, else one after the other. With an error it returns the
// replies that arrived before it, and their usage. The error is an *Error.
func (c *Client) Chat(ctx context.Context, req Request) (Replies, error) {
	var out Replies
	req = req.withDefaults()
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Text = c.redact(req.Messages[i].Text)
	}
	for total := req.N; len(out.Choices) < total; {
		req.N = total - len(out.Choices)
		if failure := c.chatOnce(ctx, &req, &out); failure != nil {
			return out, failure
		}
	}
	return out, nil
}

func (r Request) withDefaults() Request {
	r.N, r.MaxTokens = cmp.Or(r.N, 1), cmp.Or(r.MaxTokens, defaultMaxTokens)
	return r
}

// TokensAtMost returns an upper bound of the tokens that Chat uses for a request, without retries: every token has at
// least one byte. A budget reserves it.
func (c *Client) TokensAtMost(req Request) int {
	req = req.withDefaults()
	prompt := len(req.Messages) * messageOverhead
	for _, m := range req.Messages {
		prompt += len(c.redact(m.Text))
	}
	if req.JSON != nil {
		prompt += len(req.JSON.Schema) // some servers write it into the prompt
	}
	return (prompt + req.MaxTokens) * req.N
}

// chatOnce makes one request, without parameters that the endpoint refuses, and adds the replies to out.
func (c *Client) chatOnce(ctx context.Context, req *Request, out *Replies) *Error {
	c.mu.Lock()
	omitted := maps.Clone(c.refused)
	c.mu.Unlock()
	var reply chatReply
	var used Usage
	calls, failure := c.call(ctx, apiCall{
		op: "chat",
		send: func(ctx context.Context, via openai.HTTPDoer) error {
			_, err := c.openAI(via).CreateChatCompletion(ctx, req.build(omitted))
			return err
		},
		amend: func(body []byte) ([]byte, error) { return c.amend(body, req, omitted) },
		read: func(body []byte) (err error) {
			if reply, err = readChat(body); err == nil {
				used = reply.usedTokens(req)
			}
			return err
		},
		refused: func(body []byte) bool {
			param := req.rejectedParam(omitted, refusalText(body))
			omitted[param] = true
			return param != ""
		},
	})
	out.Calls += calls
	if failure != nil {
		return failure
	}
	if req.N > 1 && !omitted[choices] && len(reply.choices) == 1 {
		omitted[choices] = true // it returned one of several
	}
	c.mu.Lock()
	maps.Copy(c.refused, omitted)
	c.mu.Unlock()
	c.metrics.spent(used)
	out.Usage = out.Usage.plus(used)
	out.Choices = append(out.Choices, reply.choices[:min(len(reply.choices), req.N)]...)
	return nil
}

// Parameters that servers refuse. The names are the API's; jsonSchema is a kind of response_format.
const (
	temperature         = "temperature"
	choices             = "n"
	jsonSchema          = "json_schema"
	responseFormat      = "response_format"
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// rejectedParam returns a parameter of the request that a refusal names, and without which it can be sent; "" for none.
func (r *Request) rejectedParam(omitted map[string]bool, refusal string) string {
	for _, p := range []struct {
		name, pattern string
		sent          bool
	}{
		{temperature, `\btemperature\b`, r.Temperature != nil},
		{choices, "[\"'`]n\\\\?[\"'`]|\\bn ?(must|should|is not|>|=)", r.N > 1},
		{jsonSchema, `\b(json_schema|response_format)\b`, r.JSON != nil},
		{responseFormat, `\bresponse_format\b`, r.JSON != nil},
		{maxTokens, `\b` + maxCompletionTokens + `\b`, true},
	} {
		if p.sent && !omitted[p.name] && regexp.MustCompile(p.pattern).MatchString(refusal) {
			return p.name
		}
	}
	return ""
}

// amend adds to a body what the library would drop, or refuse by model name.
func (c *Client) amend(body []byte, req *Request, omitted map[string]bool) ([]byte, error) {
	var fields map[string]json.RawMessage // raw, so that a schema keeps its order
	err := json.Unmarshal(body, &fields)
	if err != nil {
		return nil, err
	}
	if fields["model"], err = json.Marshal(c.model); err != nil {
		return nil, err
	}
	delete(fields, "stream") // false is the default, and some servers do not know the name
	if t := req.Temperature; t != nil && !omitted[temperature] {
		fields[temperature] = strconv.AppendFloat(nil, *t, 'g', -1, 64)
	}
	return json.Marshal(fields)
}

// build converts a request for the library, which has no rule for the model's name.
func (r *Request) build(omitted map[string]bool) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: "model"}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	// The older name first: servers that do not know the newer one ignore it and would not limit the reply.
	if omitted[maxTokens] {
		out.MaxCompletionTokens = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens //nolint:staticcheck // see above
	}
	if r.N > 1 && !omitted[choices] {
		out.N = r.N
	}
	switch {
	case r.JSON == nil || omitted[responseFormat]:
	case omitted[jsonSchema]:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	default:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.JSON.Name, Schema: r.JSON.Schema, Strict: true},
		}
	}
	return out
}

// chatReply is a parsed reply.
type chatReply struct {
	choices []Reply
	usage   statedUsage
}

// usedTokens returns the stated usage, or an estimate if that is more: llama.cpp counts one choice of n.
func (r *chatReply) usedTokens(req *Request) Usage {
	prompt, text := 0, 0
	for _, m := range req.Messages {
		prompt += len(m.Text)
	}
	for _, choice := range r.choices {
		text += len(choice.Text) + len(choice.Refusal)
	}
	used := r.usage.orEstimate(prompt, text)
	if len(r.choices) > 1 && used.Completion*maxBytesPerToken < text {
		used.Completion, used.Estimated = estimate(text), true
	}
	return used
}

var errNoReply = errors.New("no choices")

// readChat requires a JSON object with choices, and ignores whatever else is malformed.
func readChat(body []byte) (chatReply, error) {
	type choice struct {
		Message struct {
			Content lenientText `json:"content"`
			Refusal lenientText `json:"refusal"`
		} `json:"message"`
		Finish lenientText `json:"finish_reason"`
	}
	var wire struct {
		Choices json.RawMessage `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return chatReply{}, err
	}
	list, err := readList[choice](wire.Choices, maxChoices)
	if err == nil && len(list) == 0 {
		err = errNoReply
	}
	out := chatReply{usage: readUsage(wire.Usage)}
	for _, c := range list {
		out.choices = append(out.choices, Reply{
			Text: string(c.Message.Content), Refusal: string(c.Message.Refusal), Finish: normalizeFinish(string(c.Finish)),
		})
	}
	return out, err
}

// normalizeFinish maps the reason to a closed set.
func normalizeFinish(reason string) string {
	switch reason {
	case "", "stop", "length", "content_filter", "tool_calls":
		return reason
	case "eos_token", "stop_sequence": // older names of some servers
		return "stop"
	default:
		return "other"
	}
}

// lenientText is a text that may be null, or a list of parts with texts.
type lenientText string

// UnmarshalJSON never fails: other values give "".
func (w *lenientText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		parts, err := readList[struct {
			Text string `json:"text"`
		}](raw, maxParts)
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		if text = b.String(); err != nil {
			text = ""
		}
	}
	*w = lenientText(text)
	return nil
}
