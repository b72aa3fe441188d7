package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sashabaranov/go-openai"
)

// embedBatch is the number of texts of one request: 8 vectors of 4,096 numbers fit into a reply of 1 MiB.
const embedBatch = 8

// maxDimension bounds a vector; models have some thousands.
const maxDimension = 1 << 16

// Embedding is one vector per text, in their order.
type Embedding struct {
	Vectors [][]float32 // all of one length
	Usage   Usage       // prompt only
	Calls   int
}

var errVectors = errors.New("not one vector a text")

// Embed returns the vectors of texts, requested in batches. Texts are redacted first. With an *Error it returns the usage
// and no vector.
func (c *Client) Embed(ctx context.Context, texts []string) (Embedding, error) {
	var out Embedding
	for batch := range slices.Chunk(texts, embedBatch) {
		vectors, failure := c.embed(ctx, batch, &out)
		if failure == nil && len(out.Vectors) > 0 && len(vectors[0]) != len(out.Vectors[0]) {
			failure = badReplyError("embed", "the length of the vectors changes between calls")
		}
		if failure != nil {
			out.Vectors = nil
			return out, failure
		}
		out.Vectors = append(out.Vectors, vectors...)
	}
	return out, nil
}

func (c *Client) embed(ctx context.Context, texts []string, out *Embedding) (vectors [][]float32, failure *Error) {
	input := make([]string, len(texts))
	size := 0
	for i, t := range texts {
		input[i] = c.redact(t)
		size += len(input[i])
	}
	var used Usage
	calls, failure := c.call(ctx, apiCall{
		op: "embed",
		send: func(ctx context.Context, via openai.HTTPDoer) error {
			_, err := c.openAI(via).CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: input, Model: openai.EmbeddingModel(c.model)})
			return err
		},
		read: func(body []byte) (err error) {
			var stated statedUsage
			vectors, stated, err = readVectors(body, len(input))
			stated.Completion = new(float64)
			used = stated.orEstimate(size, 0)
			return err
		},
	})
	out.Calls += calls
	if failure != nil {
		return nil, failure
	}
	c.metrics.spent(used)
	out.Usage = out.Usage.plus(used)
	return vectors, nil
}

// readVectors reads n vectors of one length, ordered by index, or as they come when the server sends no index.
func readVectors(body []byte, n int) ([][]float32, statedUsage, error) {
	type datum struct {
		Index  int             `json:"index"`
		Vector json.RawMessage `json:"embedding"`
	}
	var wire struct {
		Data  json.RawMessage `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, statedUsage{}, err
	}
	list, err := readList[datum](wire.Data, n)
	if err != nil || len(list) != n {
		return nil, statedUsage{}, errVectors
	}
	numbered := slices.ContainsFunc(list, func(d datum) bool { return d.Index != 0 })
	out := make([][]float32, n)
	for i, d := range list {
		if numbered {
			i = d.Index
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, statedUsage{}, errVectors
		}
		if out[i], err = readVector(d.Vector); err != nil {
			return nil, statedUsage{}, err
		}
	}
	if slices.ContainsFunc(out, func(v []float32) bool { return len(v) != len(out[0]) }) {
		return nil, statedUsage{}, errVectors
	}
	return out, readUsage(wire.Usage), nil
}

// readVector reads one vector. NaN is not JSON, values beyond float32 do not decode, and null would be read as 0.
func readVector(raw json.RawMessage) (v []float32, err error) {
	if bytes.Contains(raw, []byte("null")) || bytes.Count(raw, []byte(",")) >= maxDimension {
		return nil, errVectors
	}
	if err = json.Unmarshal(raw, &v); err == nil && len(v) == 0 {
		err = errVectors
	}
	return v, err
}
