package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/sashabaranov/go-openai"
)

const (
	classifyBatch = 16 // inference servers allow 32 by default
	maxLabels     = 64
	maxLabelBytes = 64
)

// Pair is a premise and a hypothesis to classify.
type Pair struct {
	Premise    string
	Hypothesis string
}

// Label is a class with its probability, 0 to 1.
type Label struct {
	Name  string
	Score float64
}

var errLabels = errors.New("not one list of labels a pair")

// Classify returns the labels of each pair as the server orders them, in batches. BaseURL is the whole address. The
// request is {"inputs": [[premise, hypothesis], …], "truncate": true}, the reply [[{"label", "score"}, …], …], as of
// Hugging Face's text-embeddings-inference (/predict) and compatible servers; for one pair the outer list may be missing.
// Texts are redacted first. The error is an *Error.
func (c *Client) Classify(ctx context.Context, pairs []Pair) ([][]Label, error) {
	var out [][]Label
	for batch := range slices.Chunk(pairs, classifyBatch) {
		labels, failure := c.classify(ctx, batch)
		if failure != nil {
			return nil, failure
		}
		out = append(out, labels...)
	}
	return out, nil
}

func (c *Client) classify(ctx context.Context, pairs []Pair) (labels [][]Label, failure *Error) {
	inputs := make([][2]string, len(pairs))
	for i, p := range pairs {
		inputs[i] = [2]string{c.redact(p.Premise), c.redact(p.Hypothesis)}
	}
	_, failure = c.call(ctx, apiCall{
		op: "classify",
		send: func(ctx context.Context, via openai.HTTPDoer) error {
			body, err := json.Marshal(map[string]any{"inputs": inputs, "truncate": true})
			if err != nil {
				return err
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
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
		},
		read: func(body []byte) (err error) {
			labels, err = readLabels(body, len(pairs))
			return err
		},
	})
	return labels, failure
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
