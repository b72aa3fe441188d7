package sampling

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"confab/internal/llm"
	"confab/schemas"
)

const (
	knownVerdicts = 4096             // that each of two generations of the cache has
	burstRequests = 32               // what an evaluation may need at once
	verifierWait  = 10 * time.Second // for the rate, before an evaluation goes without
)

// VerifierServer is a server that checks claims, with what its users share: the rate of requests, and verdicts by a digest of the
// texts. It is safe for concurrent use.
type VerifierServer struct {
	client  *llm.Client
	form    *llm.Form
	limiter *rate.Limiter

	mu         sync.Mutex
	known, old map[[sha256.Size]byte]schemas.Relation
}

// NewVerifierServer returns a server that gets at most perSecond requests a second on average; retries are not counted.
func NewVerifierServer(c *llm.Client, f *llm.Form, perSecond float64) *VerifierServer {
	return &VerifierServer{
		client: c, form: f, limiter: rate.NewLimiter(rate.Limit(perSecond), max(burstRequests, int(perSecond))),
		known: map[[sha256.Size]byte]schemas.Relation{},
	}
}

// Verifier asks a server for one evaluation. It implements deep.Verifier. Most models of this kind follow no instructions, so there is no
// canary.
type Verifier struct {
	server *VerifierServer
	gate   Gate
}

// NewVerifier returns a verifier whose requests pass the gate; nil allows everything.
func NewVerifier(s *VerifierServer, gate Gate) *Verifier {
	if gate == nil {
		gate = func(context.Context, int) error { return nil }
	}
	return &Verifier{s, gate}
}

// Verify checks all pairs, in batches where the server takes them. Usage counts requests; their tokens are not known. Where the rate
// allows none in time, the error is schemas.BudgetSpent.
func (v *Verifier) Verify(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	var used schemas.Usage
	if err := v.gate(ctx, 0); err != nil {
		return nil, used, err
	}
	out, asked := v.server.recall(pairs)
	batches := slices.Collect(slices.Chunk(asked, v.server.form.Batch()))
	if err := v.server.await(ctx, len(batches)); err != nil {
		return nil, used, err
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, batch := range batches {
		all.Go(func() error { return v.server.ask(ctx, pairs, batch, out) })
	}
	used.Calls = len(batches)
	if err := all.Wait(); err != nil {
		return nil, used, err
	}
	return out, used, nil
}

// ask sends one request about the pairs at these places, and sets their relations in out.
func (s *VerifierServer) ask(ctx context.Context, pairs []schemas.Pair, places []int, out []schemas.Relation) error {
	batch := make([]llm.Pair, len(places))
	for i, at := range places {
		if batch[i] = (llm.Pair{Premise: pairs[at].Premise, Hypothesis: pairs[at].Hypothesis}); s.form.Chat() {
			batch[i] = llm.Pair{Premise: sanitizeText(batch[i].Premise), Hypothesis: sanitizeText(batch[i].Hypothesis)}
		}
	}
	verdicts, err := s.client.Verify(ctx, s.form, batch)
	if err != nil {
		return err
	}
	for i, at := range places {
		if out[at], err = relationOf(&verdicts[i]); err != nil {
			return err
		}
		s.remember(pairs[at], out[at])
	}
	return nil
}

// await waits until the rate allows n requests, at most verifierWait.
func (s *VerifierServer) await(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	r := s.limiter.ReserveN(time.Now(), min(n, s.limiter.Burst()))
	if r.Delay() > verifierWait {
		r.Cancel()
		return schemas.BudgetSpent
	}
	select {
	case <-time.After(r.Delay()):
		return nil
	case <-ctx.Done():
		r.Cancel()
		return ctx.Err()
	}
}

func keyOf(p schemas.Pair) [sha256.Size]byte { return sha256.Sum256(fmt.Appendf(nil, "%q", p)) }

// recall returns the relations that are known, and the places of the pairs that are not.
func (s *VerifierServer) recall(pairs []schemas.Pair) (out []schemas.Relation, asked []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out = make([]schemas.Relation, len(pairs))
	for i, p := range pairs {
		key, ok := keyOf(p), false
		if out[i], ok = s.known[key]; ok {
			continue
		}
		if out[i], ok = s.old[key]; !ok {
			asked = append(asked, i)
		}
	}
	return out, asked
}

func (s *VerifierServer) remember(p schemas.Pair, r schemas.Relation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == knownVerdicts {
		s.old, s.known = s.known, map[[sha256.Size]byte]schemas.Relation{}
	}
	s.known[keyOf(p)] = r
}

var errLabels = errors.New("the verifier gives no labels of natural language inference; serve a model with the labels entailment, neutral and contradiction, or set llm.verifier.kind")

// relationOf reads a verdict. Labels count by name, in any spelling; classifiers with two classes have no contradiction.
func relationOf(v *llm.Verdict) (schemas.Relation, error) {
	var r schemas.Relation
	if v.Labels == nil {
		r.Entailment, r.Unsupported = v.Supported, 1-v.Supported
		for _, s := range v.Spans {
			r.Marks = append(r.Marks, schemas.Mark{Start: s.Start, End: s.End, Probability: s.Score})
		}
		return r, nil
	}
	for _, l := range v.Labels {
		switch strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(l.Name)) {
		case "entailment", "entail", "entailed", "consistent", "supported":
			r.Entailment += l.Score
		case "neutral":
			r.Neutral += l.Score
		case "contradiction", "contradict", "contradictory":
			r.Contradiction += l.Score
		case "notentailment", "hallucinated", "inconsistent", "unsupported":
			r.Unsupported += l.Score
		default:
			return r, errLabels
		}
	}
	sum := r.Sum()
	if sum <= 0 {
		return r, errLabels
	}
	return schemas.Relation{Entailment: r.Entailment / sum, Neutral: r.Neutral / sum, Contradiction: r.Contradiction / sum, Unsupported: r.Unsupported / sum}, nil
}
