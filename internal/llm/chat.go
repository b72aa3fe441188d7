package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/sashabaranov/go-openai"
)

const messageOverhead = 16 // tokens that templates put around a message, at most

// Roles of messages.
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

// Schema is the form a reply must have. Servers that do not know schemas are asked for any JSON object, those that do not
// know that either for nothing: the prompt must ask for it too, with the word JSON, and the reader must check.
type Schema struct {
	Name   string // letters, digits, _ and -
	Schema json.RawMessage
}

// Request asks for replies to a conversation.
type Request struct {
	Messages    []Message
	N           int      // replies wanted, 1 to 128; 0 is 1
	Temperature *float64 // 0 to 2; nil leaves it to the server, and 0 is sent
	MaxTokens   int      // of one reply; 0 is 512. There is always a limit
	JSON        *Schema  // nil: free text
	Seed        *int     // of the first reply; where several calls are needed, each has its own
	Logprobs    bool
	TopLogprobs int // alternatives per token, 0 to 20; with Logprobs only
}

// Replies are what a conversation was answered with.
type Replies struct {
	Choices []Reply  // N of them, fewer only beside an error
	Usage   Usage    // of all calls that were answered
	Calls   int      // requests made, failed ones too: each may have cost what it could cost
	Omitted []string // parameters that the endpoint refuses and that were left out, sorted
}

// Chat asks for N replies: at once where the server can, else one after the other. Beside an error stand the replies that
// came before it, and what they cost. The error is an *Error.
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

// TokensAtMost is a bound of what Chat can use for a request, retries left out: no token has less than a byte. It is what
// a budget reserves.
func (c *Client) TokensAtMost(req Request) int {
	req, err := c.prepare(req)
	if err != nil {
		return 0 // such a request is never sent
	}
	prompt := promptBytes(req.Messages) + len(req.Messages)*messageOverhead
	if req.JSON != nil {
		prompt += len(req.JSON.Schema) // some servers write it into the prompt
	}
	return (prompt + req.MaxTokens) * req.N
}

// chatOnce makes one request, without the parameters that turn out to be refused, and adds its replies to out.
func (c *Client) chatOnce(ctx context.Context, req Request, out *Replies) error {
	without := c.unsupported.snapshot()
	for {
		var reply chatReply
		body, calls, failure := c.callWithRetries(ctx, c.chatCall(req, without, &reply))
		out.Calls += calls
		if failure == nil {
			c.recordReply(req, without, reply, out)
			return nil
		}
		if failure.Class != Refused || failure.Status != http.StatusBadRequest && failure.Status != http.StatusUnprocessableEntity {
			return failure
		}
		refused := req.rejectedParam(without, body)
		if refused == "" {
			return failure
		}
		without[refused] = true
	}
}

// recordReply books a reply and learns from it.
func (c *Client) recordReply(req Request, without map[string]bool, reply chatReply, out *Replies) {
	asked := req.N
	if without[choices] {
		asked = 1
	}
	if asked > 1 && len(reply.choices) == 1 {
		without[choices] = true // it has been asked for several and gave one
	}
	c.unsupported.add(without)
	used := reply.usedTokens(req)
	c.metrics.spent(used)
	out.Usage = out.Usage.plus(used)
	out.Choices = append(out.Choices, reply.choices[:min(len(reply.choices), req.N)]...)
	for _, p := range []string{jsonSchema, logprobs, responseFormat, seed, temperature, topLogprobs} {
		if without[p] && req.wants(p) && !slices.Contains(out.Omitted, p) {
			out.Omitted = append(out.Omitted, p)
		}
	}
	slices.Sort(out.Omitted)
}

// usedTokens is what the reply counts, or more: llama.cpp counts one choice of n.
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
