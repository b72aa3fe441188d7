package sampling

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/schemas"
)

// Comparer asks a language model for the relation of pairs of texts, in place of a verifier. It implements
// deep.Verifier and is safe for concurrent use. Each call contains a canary pair that contradicts itself.
type Comparer struct{ gatedClient }

// NewComparer returns a comparer, usually of the judge endpoint.
func NewComparer(o EndpointOptions) *Comparer { return &Comparer{newEndpoint(o)} }

// comparerPairs is the number of pairs per prompt.
const comparerPairs = 16

// Verify compares all pairs in batches. With an error it returns the usage so far and no relations.
func (c *Comparer) Verify(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	var out []schemas.Relation
	var used schemas.Usage
	for batch := range slices.Chunk(pairs, comparerPairs) {
		relations, more, err := c.compare(ctx, batch)
		used = used.Plus(more)
		if err != nil {
			return nil, used, err
		}
		out = append(out, relations...)
	}
	return out, used, nil
}

func (c *Comparer) compare(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	canary, at, err := newCanaryPair(c.random, len(pairs))
	if err != nil {
		return nil, schemas.Usage{}, err
	}
	var relations []schemas.Relation
	used, err := c.judge(ctx, judgePrompt{relationsForm(), relationsSystem, ""}, func(b *strings.Builder, mark string) {
		for i, p := range slices.Insert(slices.Clone(pairs), at, canary) {
			writeFenced(b, mark, fmt.Sprintf("Premise %d", i), p.Premise)
			writeFenced(b, mark, fmt.Sprintf("Hypothesis %d", i), p.Hypothesis)
		}
	}, func(body []byte) (err error) {
		relations, err = readRelations(body, len(pairs)+1)
		return err
	})
	switch {
	case err != nil:
		return nil, used, err
	case relations[at].Contradiction < relations[at].Entailment:
		return nil, used, schemas.JudgeCompromised
	}
	return slices.Delete(relations, at, at+1), used, nil
}

// newCanaryPair draws two contradictory texts, and their position among n others.
func newCanaryPair(random io.Reader, n int) (p schemas.Pair, at int, err error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return p, 0, fmt.Errorf("draw canary pair: %w", err)
	}
	number := 1000 + binary.LittleEndian.Uint32(b[:4])%9000
	subject := [...]string{"The hall seats", "The order holds", "The list names", "The fleet counts"}[b[4]%4]
	p = schemas.Pair{
		Premise:    fmt.Sprintf("%s exactly %d.", subject, number),
		Hypothesis: fmt.Sprintf("%s exactly %d.", subject, number+1+uint32(b[5])),
	}
	return p, int(binary.LittleEndian.Uint64(b[8:]) % uint64(n+1)), nil
}

// readRelations reads one relation for each index from 0 to n−1.
func readRelations(body []byte, n int) ([]schemas.Relation, error) {
	var wire struct {
		Relations []struct {
			Index      *int     `json:"index"`
			Relation   string   `json:"relation"`
			Confidence *float64 `json:"confidence"`
		} `json:"relations"`
	}
	if err := decodeReply(body, &wire); err != nil {
		return nil, err
	}
	if len(wire.Relations) != n {
		return nil, schemas.JudgeUnreadable
	}
	out, places := make([]schemas.Relation, n), make(replyIndexes, n)
	for _, w := range wire.Relations {
		at, confidence, ok := places.take(w.Index, w.Confidence)
		if ok {
			out[at], ok = namedRelation(w.Relation, confidence)
		}
		if !ok {
			return nil, schemas.JudgeUnreadable
		}
	}
	return out, nil
}

// namedRelation distributes the confidence so that the named relation is the likeliest.
func namedRelation(name string, confidence float64) (r schemas.Relation, ok bool) {
	named := 1.0/3 + confidence*2/3
	rest := (1 - named) / 2
	r = schemas.Relation{Entailment: rest, Neutral: rest, Contradiction: rest}
	switch name {
	case "entailment":
		r.Entailment = named
	case "neutral":
		r.Neutral = named
	case "contradiction":
		r.Contradiction = named
	default:
		return r, false
	}
	return r, true
}
