package sampling

import (
	"context"

	"confab/schemas"
)

// Embedder calls the embedder endpoint. It implements deep.Embedder and is safe for concurrent use.
type Embedder struct{ gatedClient }

// NewEmbedder returns an embedder.
func NewEmbedder(o EndpointOptions) *Embedder { return &Embedder{newEndpoint(o)} }

// Embed requests the vectors of the texts. Its budget is the number of bytes: a token has at least one byte.
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
