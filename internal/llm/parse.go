package llm

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
)

const (
	lowestLogprob    = -100.0
	maxCountedTokens = 1e8 // in one reply; more is not credible
	bytesPerToken    = 3   // for estimates; most texts have more
	maxBytesPerToken = 8   // mean of a text; a count that implies more is incomplete

	maxReplyTokens  = 1 << 14 // tokens with log probabilities
	maxAlternatives = 32
	maxParts        = 1 << 10 // content parts of a text
)

// Reply is one answer.
type Reply struct {
	Text     string
	Refusal  string  // from servers with a field for it
	Finish   string  // stop, length, content_filter, tool_calls, other; "" when the server sends none
	Logprobs []Token // nil: none
}

// Token is a token of the reply with the natural logarithm of its probability.
type Token struct {
	Text    string
	Logprob *float64 // -100 to 0; nil where the server gave no number
	Top     []Alternative
}

// Alternative is a possible token at that place, which may be the chosen one.
type Alternative struct {
	Text    string
	Logprob *float64
}

// Usage is a number of tokens.
type Usage struct {
	Prompt     int
	Completion int
	Estimated  bool // the server sent no credible count; 3 bytes count as a token
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Completion + v.Completion, u.Estimated || v.Estimated}
}

func (u Usage) minus(v Usage) Usage {
	return Usage{u.Prompt - v.Prompt, u.Completion - v.Completion, u.Estimated}
}

// statedUsage is the usage that a server reports.
type statedUsage struct {
	Prompt     optionalNumber `json:"prompt_tokens"`
	Completion optionalNumber `json:"completion_tokens"`
}

// orEstimate returns the reported usage if it is plausible for texts of so many bytes, else an estimate.
func (c statedUsage) orEstimate(prompt, completion int) Usage {
	count := func(n optionalNumber, size int) (int, bool) {
		if n.v == nil || *n.v < 0 || *n.v > maxCountedTokens || (*n.v == 0) != (size == 0) {
			return (size + bytesPerToken - 1) / bytesPerToken, true
		}
		return int(*n.v), false
	}
	p, guessed := count(c.Prompt, prompt)
	u := Usage{Prompt: p, Estimated: guessed}
	if completion == 0 && c.Completion.v != nil { // reasoning or tool calls
		completion = int(min(max(*c.Completion.v, 0), maxCountedTokens))
	}
	u.Completion, guessed = count(c.Completion, completion)
	u.Estimated = u.Estimated || guessed
	return u
}

// chatReply is a parsed reply.
type chatReply struct {
	choices []Reply
	usage   statedUsage
}

var errNoReply = errors.New("no choices")

// readChat requires a JSON object with choices, and ignores whatever else is malformed.
func readChat(body []byte) (chatReply, error) {
	type choice struct {
		Message struct {
			Content lenientText `json:"content"`
			Refusal lenientText `json:"refusal"`
		} `json:"message"`
		Finish   lenientText     `json:"finish_reason"`
		Logprobs json.RawMessage `json:"logprobs"`
	}
	var wire struct {
		Choices json.RawMessage `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(replaceNaN(body), &wire); err != nil {
		return chatReply{}, err
	}
	list, err := readList[choice](wire.Choices, maxChoices)
	if err != nil {
		return chatReply{}, err
	}
	if len(list) == 0 {
		return chatReply{}, errNoReply
	}
	out := chatReply{usage: readUsage(wire.Usage)}
	for _, c := range list {
		out.choices = append(out.choices, Reply{
			Text: string(c.Message.Content), Refusal: string(c.Message.Refusal),
			Finish: normalizeFinish(string(c.Finish)), Logprobs: readLogprobs(c.Logprobs),
		})
	}
	return out, nil
}

func readUsage(raw json.RawMessage) (c statedUsage) {
	if json.Unmarshal(raw, &c) != nil {
		return statedUsage{}
	}
	return c
}

// normalizeFinish maps the reason to a closed set, since it is used as a label.
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

func readLogprobs(raw json.RawMessage) []Token {
	type token struct {
		Token   lenientText    `json:"token"`
		Logprob optionalNumber `json:"logprob"`
	}
	type chosen struct {
		token
		Top json.RawMessage `json:"top_logprobs"`
	}
	var wire struct {
		Content json.RawMessage `json:"content"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &wire) != nil {
		return nil
	}
	list, err := readList[chosen](wire.Content, maxReplyTokens)
	if err != nil {
		return nil
	}
	var out []Token
	for _, t := range list {
		next := Token{Text: string(t.Token), Logprob: t.Logprob.logprob()}
		top, err := readList[token](t.Top, maxAlternatives)
		if err != nil {
			return nil
		}
		for _, a := range top {
			next.Top = append(next.Top, Alternative{Text: string(a.Token), Logprob: a.Logprob.logprob()})
		}
		out = append(out, next)
	}
	return out
}

// optionalNumber is a JSON number; v is nil for null, a missing or any other value.
type optionalNumber struct{ v *float64 }

// UnmarshalJSON never fails.
func (n *optionalNumber) UnmarshalJSON(raw []byte) error {
	n.v = nil
	var v float64
	if string(raw) != "null" && json.Unmarshal(raw, &v) == nil {
		n.v = &v // finite: values out of range do not decode
	}
	return nil
}

func (n optionalNumber) logprob() *float64 {
	if n.v == nil {
		return nil
	}
	v := math.Max(lowestLogprob, math.Min(*n.v, 0))
	return &v
}

// lenientText is a text that may be null, or a list of parts with texts.
type lenientText string

// UnmarshalJSON never fails: other values give "".
func (w *lenientText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*w = lenientText(text)
		return nil
	}
	parts, err := readList[struct {
		Text string `json:"text"`
	}](raw, maxParts)
	if err != nil {
		parts = nil
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	*w = lenientText(b.String())
	return nil
}
