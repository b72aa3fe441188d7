package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/sashabaranov/go-openai"

	"confab/internal/tracing"
)

const messageOverhead = 16 // upper bound of the tokens that a template adds to a message

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
	N           int      // replies wanted, 1 to 128; 0 is 1
	Temperature *float64 // 0 to 2; nil leaves it to the server, and 0 is sent
	MaxTokens   int      // of one reply; 0 is 512
	JSON        *Schema  // nil: free text
	Seed        *int     // of the first reply; each further call uses another
	Logprobs    bool
	TopLogprobs int // alternatives per token, 0 to 20; with Logprobs only
}

// Replies are the result of Chat.
type Replies struct {
	Choices []Reply  // N of them, fewer only with an error
	Usage   Usage    // of all answered calls
	Calls   int      // attempts, including failed ones, each of which may have been charged
	Omitted []string // unsupported parameters that were left out, sorted
}

// Chat asks for N replies: in one call where the server can, else one after the other. With an error it returns the
// replies that arrived before it, and their usage. The error is an *Error.
func (c *Client) Chat(ctx context.Context, req Request) (Replies, error) {
	var out Replies
	req, err := c.prepare(req)
	if err != nil {
		return out, err
	}
	total, first := req.N, req.Seed
	for {
		got := len(out.Choices)
		if got >= total {
			return out, nil
		}
		req.N = total - got
		if first != nil {
			next := *first + got
			req.Seed = &next
		}
		if err := c.chatOnce(ctx, req, &out); err != nil {
			return out, err
		}
	}
}

// TokensAtMost returns an upper bound of the tokens that Chat uses for a request, without retries: every token has at
// least one byte. A budget reserves it.
func (c *Client) TokensAtMost(req Request) int {
	req, err := c.prepare(req)
	if err != nil {
		return 0 // such a request is not sent
	}
	prompt := promptBytes(req.Messages) + len(req.Messages)*messageOverhead
	if req.JSON != nil {
		prompt += len(req.JSON.Schema) // some servers write it into the prompt
	}
	return (prompt + req.MaxTokens) * req.N
}

// chatOnce makes one request, with a span, and adds the replies to out.
func (c *Client) chatOnce(ctx context.Context, req Request, out *Replies) error {
	ctx, span := c.startSpan(ctx, "chat")
	defer tracing.End(span)
	choices, used := len(out.Choices), out.Usage
	failure := c.requestReplies(ctx, req, out)
	describeChat(span, &req, out.Choices[choices:])
	endCall(span, out.Usage.minus(used), failure)
	if failure != nil {
		return failure
	}
	return nil
}

// requestReplies makes one request, omits parameters that the endpoint rejects, and adds the replies to out.
func (c *Client) requestReplies(ctx context.Context, req Request, out *Replies) *Error {
	omitted := c.unsupported.snapshot()
	for {
		var reply chatReply
		body, calls, failure := c.callWithRetries(ctx, c.chatCall(req, omitted, &reply))
		out.Calls += calls
		if failure == nil {
			c.recordReply(req, omitted, reply, out)
			return nil
		}
		if failure.Class != Refused || failure.Status != http.StatusBadRequest && failure.Status != http.StatusUnprocessableEntity {
			return failure
		}
		refused := req.rejectedParam(omitted, body)
		if refused == "" {
			return failure
		}
		omitted[refused] = true
	}
}

// recordReply adds a reply to out and remembers unsupported parameters.
func (c *Client) recordReply(req Request, omitted map[string]bool, reply chatReply, out *Replies) {
	asked := req.N
	if omitted[choices] {
		asked = 1
	}
	if asked > 1 && len(reply.choices) == 1 {
		omitted[choices] = true // it returned one of several
	}
	c.unsupported.add(omitted)
	used := reply.usedTokens(req)
	c.metrics.spent(used)
	out.Usage = out.Usage.plus(used)
	out.Choices = append(out.Choices, reply.choices[:min(len(reply.choices), req.N)]...)
	for _, p := range []string{jsonSchema, logprobs, responseFormat, seed, temperature, topLogprobs} {
		if omitted[p] && req.wants(p) && !slices.Contains(out.Omitted, p) {
			out.Omitted = append(out.Omitted, p)
		}
	}
	slices.Sort(out.Omitted)
}

// usedTokens returns the stated usage, or an estimate if that is more: llama.cpp counts one choice of n.
func (r *chatReply) usedTokens(req Request) Usage {
	text, tokens := 0, 0
	for _, choice := range r.choices {
		text += len(choice.Text) + len(choice.Refusal)
		tokens += len(choice.Logprobs)
	}
	used := r.usage.orEstimate(promptBytes(req.Messages), text)
	if len(r.choices) > 1 && tokens == 0 && used.Completion*maxBytesPerToken < text {
		tokens = (text + bytesPerToken - 1) / bytesPerToken
	}
	if used.Completion < tokens {
		used.Completion, used.Estimated = tokens, true
	}
	return used
}
