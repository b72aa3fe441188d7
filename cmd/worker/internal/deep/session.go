package deep

import (
	"context"
	"errors"
	"time"

	"confab/cmd/worker/internal/config"
	"confab/detectors/deep"
	"confab/internal/llm"
	"confab/sampling/budget"
	"confab/schemas"
)

// sessions opens the sessions of deep evaluations.
type sessions struct {
	tenants map[string]config.Tenant
	budget  budget.Reserver
	clients *Clients
}

func (s *sessions) open(tenant string, partition int32, now time.Time) *session {
	opened := &session{
		tenant: tenant, partition: partition, optedOut: s.tenants[tenant].LLM.OptOut,
		budget: s.budget, started: now, replies: make(map[string]any),
	}
	opened.models = s.clients.models(opened)
	return opened
}

// session is the state of one deep evaluation: its tenant, its budget, and the replies so far. It outlives the attempts at
// its record, so that a reply is not paid for again because another server was down. One goroutine uses it at a time.
type session struct {
	tenant    string
	partition int32
	optedOut  bool
	budget    budget.Reserver
	started   time.Time
	models    deep.Models // metered by this session

	pending []reservation  // of the request under way
	replies map[string]any // by content of the request
	failure error          // of the attempt under way, where a later attempt may succeed
}

type reservation struct {
	grant  budget.Grant
	tokens int
}

// attempts is by how much a request may cost more than its reply: one that times out is sent again, and both may be
// charged. Other failures carry no reply to charge for.
const attempts = 2

// reserve is the sampling.Gate of the session's requests.
func (s *session) reserve(ctx context.Context, tokens int) error {
	switch {
	case s.optedOut:
		return schemas.OptedOut
	case tokens == 0:
		return nil
	}
	grant, err := s.budget.Reserve(ctx, s.tenant, s.partition, int64(tokens)*attempts)
	switch {
	case err != nil:
		s.failure = err
		return err
	case !grant.OK:
		return schemas.BudgetSpent
	}
	s.pending = append(s.pending, reservation{grant, tokens})
	return nil
}

// settle returns to the budget what the replies did not use. After a failed request the cost is unknown: its tokens stay
// reserved.
func (s *session) settle(used schemas.Usage, requests int, err error) {
	var verdict schemas.NotJudged
	if err != nil && !errors.As(err, &verdict) || used.Calls > max(requests, len(s.pending)) {
		return
	}
	left := used.PromptTokens + used.CompletionTokens
	for i, r := range s.pending {
		share := min(left, r.tokens)
		if i == len(s.pending)-1 {
			share = left
		}
		left -= share
		r.grant.ReportUsage(int64(share))
	}
	s.pending = s.pending[:0]
}

// meter books the requests of one session to one endpoint.
type meter struct {
	session *session
	client  *modelClient
}

// reply is a memoized answer to a request.
type reply[T any] struct {
	value T
	used  schemas.Usage
}

// metered sends a request once in a session, and never for a tenant that has opted out. Requests is the number of HTTP
// requests that a complete reply takes at most. The usage carries the cost, also where the reply was known before.
func metered[T any](m meter, key string, requests int, send func() (T, schemas.Usage, error)) (value T, used schemas.Usage, err error) {
	s := m.session
	if s.optedOut {
		return value, used, schemas.OptedOut
	}
	if known, ok := s.replies[key].(reply[T]); ok {
		return known.value, known.used, nil
	}
	s.pending = s.pending[:0]
	value, used, err = send()
	used.Cost = m.client.endpoint.Cost(used.PromptTokens, used.CompletionTokens)
	m.client.cost.Add(used.Cost)
	if s.settle(used, requests, err); err == nil {
		s.replies[key] = reply[T]{value, used}
	}
	if c := llm.ClassOf(err); c == llm.Retryable || c == llm.Timeout {
		s.failure = err
	}
	return value, used, err
}
