package sampling

import (
	"context"

	"confab/schemas"
)

// Embedder asks the embedder endpoint. It is a detectors.Embedder, safe for concurrent use.
type Embedder struct{ gatedClient }

// NewEmbedder makes one.
func NewEmbedder(o EndpointOptions) *Embedder { return &Embedder{newEndpoint(o)} }

// Embed asks for the vectors of the texts. No token has less than a byte, so the bytes are what it costs at most.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error) {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	if err := e.gate(ctx, size); err != nil {
		return nil, schemas.Usage{}, err
	}
	out, err := e.client.Embed(ctx, texts)
	return out.Vectors, schemas.Usage{Calls: out.Calls, PromptTokens: out.Usage.Prompt}, err
}
