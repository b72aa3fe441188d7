package deep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"confab"
	"confab/calibration/rate"
	"confab/consumer"
	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/standard"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/sampling"
	"confab/sampling/budget"
	"confab/schemas"
)

// The outcomes of the sample role.
const (
	outcomeJudged    = "judged"
	outcomeNotJudged = "not_judged"
)

// Outcomes are the outcomes that a Handler sets.
func Outcomes() []string { return []string{outcomeJudged, outcomeNotJudged} }

// Handler is the handler of the sample role. It writes one deep flag for each sampled interaction, quiet or not, judged or
// not.
type Handler struct {
	Evaluator atomic.Pointer[confab.Evaluator]
	sessions  *sessionFactory
	timeout   time.Duration // of one attempt
	patience  time.Duration // how long to retry while servers do not answer, from the first attempt
	confirm   time.Duration // how long alerts wait for the judge
	publisher records.Publisher
	now       func() time.Time
	notJudged *sampling.NotJudgedMetrics
	busyUntil func(time.Time)
	deep      []string // detectors

	mu      sync.Mutex
	waiting map[int32]waitingSession // by partition: the session of a record that will be offered again
}

type waitingSession struct {
	offset  int64
	session *session
}

// Options are the dependencies of a [Handler].
type Options struct {
	Config    *config.Config
	Budget    budget.Reserver
	Clients   *Clients
	NotJudged *sampling.NotJudgedMetrics
	Publisher records.Publisher
	Logger    *slog.Logger // receives replies that could not be read, without their texts
	Now       func() time.Time
	BusyUntil func(time.Time) // extends the watchdog's limit for the handler
}

// NewHandler makes the handler. Store its evaluator before the first record.
func NewHandler(o *Options) *Handler {
	return &Handler{
		sessions: newSessionFactory(o.Config, o.Budget, o.Clients, logUnread(o.Logger)), timeout: o.Config.LLM.EvaluationTimeout, patience: o.Config.LLM.Patience, confirm: o.Config.Alerting.ConfirmWithin,
		publisher: o.Publisher, now: o.Now, notJudged: o.NotJudged, waiting: make(map[int32]waitingSession), busyUntil: o.BusyUntil,
		deep: detectors.Names(standard.Deep(standard.Dependencies{})),
	}
}

// Handle implements consumer.Handler. Batches hold one record, so that an error repeats only one deep evaluation.
func (s *Handler) Handle(ctx context.Context, batch []consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	for i := range batch {
		if err := s.evaluate(ctx, &batch[i], out); err != nil {
			return err
		}
	}
	return nil
}

func (s *Handler) evaluate(ctx context.Context, r *consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	origin, _, err := schemas.ParseOrigin(r.Header(sampling.HeaderOrigin))
	if err != nil { // cannot happen: the codec has parsed it
		return fmt.Errorf("deep evaluation: %w", err)
	}
	now := s.now()
	session, patience := s.sessionFor(r, now), s.patience
	if reason := reasonOf(r); reason == sampling.ReasonConfirm {
		patience = min(patience, s.confirm) // by then the alert was sent
	} else if reason == sampling.ReasonVerify {
		patience = 0 // what waits behind it must not
	}
	session.failure = nil
	s.busyUntil(now.Add(s.timeout))
	attempt, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	v := s.Evaluator.Load()
	e := deep.Evaluate(attempt, v.Suite, r.Value, session.models)
	defer e.Release()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("deep evaluation: %w", err)
	}
	if session.failure == nil && attempt.Err() != nil {
		session.failure = errDeepTimeout
	}
	if session.failure != nil && s.now().Sub(session.started) < patience {
		return fmt.Errorf("deep evaluation: %w", session.failure)
	}
	f := v.Flag(e, origin, s.now())
	f.Sampled, f.SampleReason = true, string(r.Header(sampling.HeaderReason))
	f.SampleProbability = probability(r.Header(sampling.HeaderProbability))
	r.Outcome = s.count(&f, e.Unfinished)
	if wrong := rate.Judge(&f, s.deep); wrong != nil && reasonOf(r).Random() {
		s.publisher.Metrics.CountVerdict(&f, *wrong)
	}
	s.DropSession(r.Partition)
	s.publisher.Metrics.CountBelowMinRisk(v.Policy, &f)
	return s.publisher.Publish(ctx, &f, r, out)
}

// reasonOf is why the interaction was copied.
func reasonOf(r *consumer.Record[*schemas.Interaction]) sampling.Reason {
	return sampling.Reason(r.Header(sampling.HeaderReason))
}

var errDeepTimeout = errors.New("it took longer than an evaluation may")

// sessionFor returns the record's session, which it keeps until the record is done: a retry continues it.
func (s *Handler) sessionFor(r *consumer.Record[*schemas.Interaction], now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := s.waiting[r.Partition]; ok && w.offset == r.Offset {
		return w.session
	}
	opened := s.sessions.open(r.Value.Tenant, r.Partition, now)
	reason := reasonOf(r)
	opened.yields = reason == sampling.ReasonValue && !s.sessions.budget.OnPace(r.Partition)
	restrictModels(&opened.models, reason)
	s.waiting[r.Partition] = waitingSession{r.Offset, opened}
	return opened
}

// restrictModels leaves the models that answers copied for the reason are sent to: all for those of the random sample, no sampler for others,
// the judge alone where an alert waits, and the verifier alone where it is the reason.
func restrictModels(m *deep.Models, reason sampling.Reason) {
	confirm, verify := reason == sampling.ReasonConfirm, reason == sampling.ReasonVerify
	if !confirm && !verify && reason != sampling.ReasonValue {
		return
	}
	m.Resampler, m.Embedder = nil, nil
	if confirm || m.ByJudge {
		m.Verifier = nil
	}
	if verify {
		m.Faults, m.Judge = nil, nil
	}
}

// DropSession drops the session of a partition.
func (s *Handler) DropSession(partition int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, partition)
}

// count counts the reasons why deep detectors have no verdict, each once, and returns the record's outcome. unfinished
// reports detectors that were skipped because the limit on counted work was reached.
func (s *Handler) count(f *schemas.Flag, unfinished func(detector string) bool) (outcome string) {
	var reasons []sampling.NotJudged
	judged := false
	for i := range f.Signals {
		if !slices.Contains(s.deep, f.Signals[i].Detector) {
			continue
		}
		why := notJudged(&f.Signals[i], unfinished(f.Signals[i].Detector))
		judged = judged || why == ""
		if why != "" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
			s.notJudged.Inc(why)
		}
	}
	if !judged && len(reasons) > 0 {
		return outcomeNotJudged
	}
	return outcomeJudged
}

// notJudged is why the signal is not a verdict; "" if it is one, or if there was nothing to judge.
func notJudged(s *schemas.Signal, unfinished bool) sampling.NotJudged {
	switch {
	case unfinished:
		return sampling.NotJudgedError
	case s.Reason == string(schemas.OptedOut):
		return sampling.NotJudgedOptOut
	case s.Reason == string(schemas.BudgetSpent):
		return sampling.NotJudgedBudget
	case s.Reason == string(schemas.JudgeCompromised):
		return sampling.NotJudgedCompromised
	case s.Reason == string(schemas.JudgeUnreadable):
		return sampling.NotJudgedUnreadable
	case s.Outcome == schemas.Failed, s.Outcome == schemas.Skipped && s.Reason == detectors.ReasonDeadline:
		return sampling.NotJudgedError
	default:
		return ""
	}
}

// probability parses the header of a copy; 0 if it holds no probability.
func probability(header []byte) float64 {
	p, err := strconv.ParseFloat(string(header), 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0
	}
	return p
}
