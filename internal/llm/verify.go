package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sashabaranov/go-openai"
)

const (
	verifyBatch   = 16 // inference servers allow 32 by default
	maxLabels     = 64
	maxLabelBytes = 64
	maxSpans      = 256
)

// Pair is a passage (the premise) and a claim (the hypothesis) to check.
type Pair struct {
	Premise    string
	Hypothesis string
}

// Label is a class with its probability, 0 to 1.
type Label struct {
	Name  string
	Score float64
}

// Verdict is what a verifier says of a pair.
type Verdict struct {
	Labels    []Label // classes of natural language inference, as the server orders them; nil: it says Supported
	Supported float64 // probability that the passage supports the claim
	Spans     []Span  // parts of the claim without support; none where redaction changed the claim
}

// Span is a part of a claim without support, in bytes.
type Span struct {
	Start, End int
	Score      float64
}

var (
	errLabels  = errors.New("a list of labels with probabilities for each pair")
	errVerdict = errors.New("a probability from 0 to 1, a yes or no, or a list of parts of the claim, where it should be")
)

// Verify checks at most f.Batch() pairs in one request, and returns one verdict a pair. Texts are redacted first. The error is an
// *Error.
func (c *Client) Verify(ctx context.Context, f *Form, pairs []Pair) ([]Verdict, error) {
	sent := make([]Pair, len(pairs))
	for i, p := range pairs {
		sent[i] = Pair{c.redact(p.Premise), c.redact(p.Hypothesis)}
	}
	var out []Verdict
	_, failure := c.call(ctx, apiCall{
		op: "verify",
		send: func(ctx context.Context, via openai.HTTPDoer) error {
			return c.postJSON(ctx, via, f.path, f.fill(c.model, sent))
		},
		read: func(body []byte) (err error) {
			out, err = f.readReply(body, sent)
			return err
		},
	})
	if failure != nil {
		return nil, failure
	}
	for i := range out {
		if sent[i].Hypothesis != pairs[i].Hypothesis {
			out[i].Spans = nil
		}
	}
	return out, nil
}

func (c *Client) postJSON(ctx context.Context, via openai.HTTPDoer, path string, content any) error {
	body, err := json.Marshal(content)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := via.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// readReply reads one verdict for each pair.
func (f *Form) readReply(body []byte, pairs []Pair) ([]Verdict, error) {
	if f.says == saysLabels {
		labels, err := readLabels(body, len(pairs))
		out := make([]Verdict, len(labels))
		for i := range labels {
			out[i].Labels = labels[i]
		}
		return out, err
	}
	raw, err := pointAt(body, f.at)
	if err != nil {
		return nil, err
	}
	v := Verdict{}
	if f.says == saysSpans {
		if v.Spans, err = readSpans(raw, pairs[0].Hypothesis); err != nil {
			return nil, err
		}
		worst := 0.0
		for _, s := range v.Spans {
			worst = max(worst, s.Score)
		}
		v.Supported = 1 - worst
		return []Verdict{v}, nil
	}
	read := readProbability
	if f.says == saysLogit {
		read = readLogit
	}
	p, ok := read(raw)
	if !ok {
		return nil, errVerdict
	}
	if v.Supported = p; f.says == saysUnsupported {
		v.Supported = 1 - p
	}
	return []Verdict{v}, nil
}

// pointAt returns what a JSON pointer (RFC 6901) leads to.
func pointAt(body []byte, pointer string) (json.RawMessage, error) {
	if !json.Valid(body) {
		return nil, errVerdict
	}
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for name := range jsontext.Pointer(pointer).Tokens() {
		if !enter(d, name) {
			return nil, errVerdict
		}
	}
	value, err := d.ReadValue()
	if err != nil {
		return nil, errVerdict
	}
	return json.RawMessage(value), nil
}

// enter goes on to the member, or to the item, of that name; false if the next value has none.
func enter(d *jsontext.Decoder, name string) bool {
	kind := d.PeekKind()
	if _, err := d.ReadToken(); err != nil || kind != '{' && kind != '[' {
		return false
	}
	for i := 0; ; i++ {
		at := strconv.Itoa(i)
		if kind == '{' {
			key, err := d.ReadToken()
			if err != nil || key.Kind() != '"' {
				return false
			}
			at = key.String()
		}
		if at == name {
			return d.PeekKind() != ']'
		}
		if d.SkipValue() != nil {
			return false
		}
	}
}

// readProbability reads a number from 0 to 1, true or false, a text whose last word of these is yes or no, or a choice of a chat.
func readProbability(raw json.RawMessage) (p float64, ok bool) {
	var number *float64
	var truth *bool
	var text string
	switch {
	case json.Unmarshal(raw, &number) == nil && number != nil:
		return *number, *number >= 0 && *number <= 1
	case json.Unmarshal(raw, &truth) == nil && truth != nil:
		if *truth {
			p = 1
		}
		return p, true
	case json.Unmarshal(raw, &text) == nil:
		return lastWord(text)
	}
	return readChoice(raw)
}

// readLogit reads a logarithm of odds as a probability.
func readLogit(raw json.RawMessage) (p float64, ok bool) {
	var number *float64
	if json.Unmarshal(raw, &number) != nil || number == nil {
		return 0, false
	}
	return 1 / (1 + math.Exp(-*number)), true
}

// lastWord is 1 if the last yes or no of the text is a yes, and 0 if it is a no.
func lastWord(text string) (p float64, ok bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }) {
		if y, is := yesOrNo(word); is {
			p, ok = y, true
		}
	}
	return p, ok
}

func yesOrNo(word string) (p float64, ok bool) {
	switch {
	case strings.EqualFold(word, "yes"):
		return 1, true
	case strings.EqualFold(word, "no"):
		return 0, true
	}
	return 0, false
}

// readChoice reads a choice of a chat whose text has a yes or a no. Its probability is that of the last such token against the other
// word; without log probabilities it is 0 or 1.
func readChoice(raw json.RawMessage) (p float64, ok bool) {
	type token struct {
		Token       string          `json:"token"`
		LogProb     *float64        `json:"logprob"`
		Alternative json.RawMessage `json:"top_logprobs"`
	}
	var choice struct {
		Message struct {
			Content lenientText `json:"content"`
		} `json:"message"`
		LogProbs struct {
			Content json.RawMessage `json:"content"`
		} `json:"logprobs"`
	}
	if json.Unmarshal(raw, &choice) != nil {
		return 0, false
	}
	p, ok = lastWord(string(choice.Message.Content))
	tokens, err := readList[token](choice.LogProbs.Content, maxParts)
	if !ok || err != nil {
		return p, ok
	}
	for _, last := range slices.Backward(tokens) {
		if _, is := yesOrNo(strings.TrimSpace(last.Token)); !is {
			continue
		}
		others, err := readList[token](last.Alternative, maxLabels)
		if err != nil {
			return p, ok
		}
		var weights [2]float64 // of no and yes
		for _, t := range others {
			if y, is := yesOrNo(strings.TrimSpace(t.Token)); is && t.LogProb != nil && *t.LogProb <= 0 {
				weights[int(y)] += math.Exp(*t.LogProb)
			}
		}
		if sum := weights[0] + weights[1]; sum > 0 {
			return weights[1] / sum, true
		}
		break
	}
	return p, ok
}

// wireSpan is a part of a claim, by character.
type wireSpan struct {
	Start         int      `json:"start"`
	End           int      `json:"end"`
	Score         *float64 `json:"score"`
	Confidence    *float64 `json:"confidence"`
	Hallucination *float64 `json:"hallucination_score"`
}

func (s *wireSpan) score() float64 {
	for _, given := range []*float64{s.Score, s.Confidence, s.Hallucination} {
		if given != nil {
			return *given
		}
	}
	return 1
}

// readSpans reads spans, whose places count characters of the claim. The score is 1 where the server gives none.
func readSpans(raw json.RawMessage, claim string) ([]Span, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return nil, errVerdict
	}
	list, err := readList[wireSpan](raw, maxSpans)
	if err != nil {
		return nil, err
	}
	places := make([]int, 0, utf8.RuneCountInString(claim)+1)
	for at := range claim {
		places = append(places, at)
	}
	places = append(places, len(claim))
	var out []Span
	for _, s := range list {
		score := s.score()
		if s.Start < 0 || s.Start >= s.End || s.End >= len(places) || !(score >= 0 && score <= 1) {
			return nil, errVerdict
		}
		out = append(out, Span{places[s.Start], places[s.End], score})
	}
	return out, nil
}

// labelLists splits a reply into n lists, nil when it is invalid; for one input the outer list may be missing.
func labelLists(body []byte, n int) []json.RawMessage {
	if !json.Valid(body) {
		return nil
	}
	lists, err := readList[json.RawMessage](body, max(n, maxLabels))
	if err == nil && n == 1 && len(lists) > 0 && lists[0][0] == '{' {
		return []json.RawMessage{body}
	}
	if err != nil || len(lists) != n {
		return nil
	}
	return lists
}

// readLabels reads a list of labels for each of n inputs.
func readLabels(body []byte, n int) ([][]Label, error) {
	type label struct {
		Label string   `json:"label"`
		Score *float64 `json:"score"`
	}
	lists := labelLists(body, n)
	if lists == nil {
		return nil, errLabels
	}
	out := make([][]Label, n)
	for i, raw := range lists {
		list, err := readList[label](raw, maxLabels)
		if err != nil || len(list) == 0 {
			return nil, errLabels
		}
		for _, l := range list {
			if l.Score == nil || *l.Score < 0 || *l.Score > 1 || l.Label == "" || len(l.Label) > maxLabelBytes {
				return nil, errLabels
			}
			out[i] = append(out[i], Label{l.Label, *l.Score})
		}
	}
	return out, nil
}
