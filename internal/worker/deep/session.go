package deep

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"confab/detectors/deep"
	"confab/internal/llm"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/sampling/budget"
	"confab/schemas"
)

// sessionFactory opens the sessions of deep evaluations.
type sessionFactory struct {
	tenants map[string]config.Tenant
	budget  budget.Reserver
	clients *Clients
	unread  func(failure error, reply string)
}

// newSessionFactory returns a factory. unread is called with each reply that could not be read and the error that says so, by
// several goroutines.
func newSessionFactory(c *config.Config, b budget.Reserver, clients *Clients, unread func(failure error, reply string)) *sessionFactory {
	return &sessionFactory{c.Tenants, b, clients, unread}
}

func (s *sessionFactory) open(tenant string, partition int32, now time.Time) *session {
	opened := &session{
		tenant: tenant, partition: partition, optedOut: s.tenants[tenant].LLM.OptOut,
		budget: s.budget, started: now, replies: make(map[string]any), unread: s.unread,
	}
	opened.models = s.clients.models(opened)
	return opened
}

// session is the state of one deep evaluation: its tenant, its budget, and the replies so far. It lasts for all attempts at
// its record, so that a reply is not paid for twice when another server is down. One goroutine uses it at a time.
type session struct {
	tenant    string
	partition int32
	optedOut  bool
	yields    bool // to requests that may not be left out: the budget is not for this one
	budget    budget.Reserver
	started   time.Time
	models    deep.Models // metered by this session

	pending []reservation  // of the current request
	replies map[string]any // by request key
	unread  func(failure error, reply string)
	failure error // of the current attempt, if a later attempt may succeed
}

type reservation struct {
	grant  budget.Grant
	tokens int
}

// maxCharges is how often a request may be charged: one that times out is sent again, and the server may charge both. Other
// failures are not charged.
const maxCharges = 2

// reserve is the sampling.Gate of the session's requests.
func (s *session) reserve(ctx context.Context, tokens int) error {
	switch {
	case s.optedOut:
		return schemas.OptedOut
	case tokens == 0:
		return nil
	case s.yields:
		return schemas.BudgetSpent
	}
	grant, err := s.budget.Reserve(ctx, s.tenant, s.partition, int64(tokens)*maxCharges)
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

// releaseUnused returns unused tokens of the pending reservations to the budget. The cost of a failed request is unknown, so
// its tokens stay reserved.
func (s *session) releaseUnused(used schemas.Usage, requests int, err error) {
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

// endpointMeter counts the requests of one session to one endpoint.
type endpointMeter struct {
	session *session
	client  *modelClient
}

type cachedReply[T any] struct {
	value T
	used  schemas.Usage
}

// callMetered sends a request once per session, and never for a tenant that has opted out. requests is the maximum number of
// HTTP requests of a complete reply. The usage includes the cost, also for a cached reply.
func callMetered[T any](m endpointMeter, key string, requests int, send func() (T, schemas.Usage, error)) (value T, used schemas.Usage, err error) {
	s := m.session
	if s.optedOut {
		return value, used, schemas.OptedOut
	}
	if known, ok := s.replies[key].(cachedReply[T]); ok {
		return known.value, known.used, nil
	}
	s.pending = s.pending[:0]
	value, used, err = send()
	used.Cost = m.client.endpoint.Cost(used.PromptTokens, used.CompletionTokens)
	m.client.cost.Add(used.Cost)
	if s.releaseUnused(used, requests, err); err == nil {
		s.replies[key] = cachedReply[T]{value, used}
	}
	if c := llm.ClassOf(err); c == llm.Retryable || c == llm.Timeout {
		s.failure = err
	}
	if reply, is := unreadReply(err); is {
		s.unread(err, reply)
	}
	return value, used, err
}

// unreadReply returns the reply that the error is about; ok is false if it is not about an unreadable one.
func unreadReply(err error) (reply string, ok bool) {
	if e, is := errors.AsType[*sampling.UnreadableError](err); is {
		return e.Reply, true
	}
	if e, is := errors.AsType[*llm.Error](err); is && e.Class == llm.BadReply {
		return e.Reply(), true
	}
	return "", false
}

// logUnread returns a function that logs replies that could not be read, without their texts. log may be nil.
func logUnread(log *slog.Logger) func(failure error, reply string) {
	if log == nil {
		return func(error, string) {}
	}
	return func(failure error, _ string) {
		log.Warn("reply of a language model could not be read: use a model and a server that keep to a JSON schema, and try confab check --deep, which shows the reply",
			"error", failure)
	}
}
