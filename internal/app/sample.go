package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"confab/consumer"
	"confab/detectors"
	"confab/sampling"
	"confab/schemas"
)

// The outcomes of the sample role.
const (
	outcomeJudged    = "judged"
	outcomeNotJudged = "not_judged"
)

// looks makes deep looks for whom they are allowed.
type looks struct {
	tenants map[string]Tenant
	budget  sampling.Budget
}

func (l *looks) new(tenant string, partition int32, now time.Time) *look {
	return &look{
		tenant: tenant, partition: partition, optedOut: l.tenants[tenant].LLM.OptOut,
		budget: l.budget, began: now, known: make(map[string]any),
	}
}

// sample is the role that takes the deep look: one deep flag for each sampled interaction, quiet or not, judged or not.
type sample struct {
	verdict  atomic.Pointer[Verdict]
	looks    *looks
	timeout  time.Duration // of one attempt
	patience time.Duration // with servers that do not answer, from the first attempt
	publisher
	now       func() time.Time
	notJudged *sampling.NotJudgedMetrics
	busyUntil func(time.Time) // a handler may legitimately take until then

	mu      sync.Mutex
	waiting map[int32]waitingLook // by partition: the look whose record will be offered again
}

type waitingLook struct {
	offset int64
	look   *look
}

// Handle implements consumer.Handler. Batches hold one record, so that an error repeats one look only.
func (s *sample) Handle(ctx context.Context, batch []consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	for i := range batch {
		if err := s.one(ctx, &batch[i], out); err != nil {
			return err
		}
	}
	return nil
}

func (s *sample) one(ctx context.Context, r *consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	origin, _, err := schemas.ParseOrigin(r.Header(sampling.HeaderOrigin))
	if err != nil { // the codec has read it before
		return fmt.Errorf("deep look: %w", err)
	}
	now := s.now()
	l := s.lookAt(r, now)
	l.down = nil
	s.busyUntil(now.Add(s.timeout))
	lctx, cancel := context.WithTimeout(l.in(ctx), s.timeout)
	defer cancel()
	v := s.verdict.Load()
	e := v.Suite.Evaluate(lctx, r.Value)
	defer e.Release()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("deep look: %w", err)
	}
	if l.down == nil && lctx.Err() != nil {
		l.down = errLookTimeout
	}
	if l.down != nil && s.now().Sub(l.began) < s.patience {
		return fmt.Errorf("deep look: %w", l.down)
	}
	f := v.flag(e, origin, s.now())
	f.Sampled, f.SampleReason = true, string(r.Header(sampling.HeaderReason))
	f.SampleProbability = probability(r.Header(sampling.HeaderProbability))
	r.Outcome = s.count(&f)
	s.forget(r.Partition)
	return s.publish(ctx, &f, r, out)
}

var errLookTimeout = errors.New("it took longer than llm.look_timeout")

// lookAt is the look at the record: the one that was begun when the record was offered before.
func (s *sample) lookAt(r *consumer.Record[*schemas.Interaction], now time.Time) *look {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := s.waiting[r.Partition]; ok && w.offset == r.Offset {
		return w.look
	}
	l := s.looks.new(r.Value.Tenant, r.Partition, now)
	s.waiting[r.Partition] = waitingLook{r.Offset, l}
	return l
}

func (s *sample) forget(partition int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, partition)
}

// count tells the metrics why deep detectors have no verdict, each reason once, and returns the record's outcome.
func (s *sample) count(f *schemas.Flag) (outcome string) {
	var reasons []sampling.NotJudged
	judged := false
	deep := detectors.Names(detectors.Deep())
	for i := range f.Signals {
		if !slices.Contains(deep, f.Signals[i].Detector) {
			continue
		}
		why := notJudged(&f.Signals[i])
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

// notJudged is why the signal is no verdict, "" where it is one or where there was nothing to judge.
func notJudged(s *schemas.Signal) sampling.NotJudged {
	switch {
	case s.Reason == string(schemas.OptedOut):
		return sampling.NotJudgedOptOut
	case s.Reason == string(schemas.BudgetSpent):
		return sampling.NotJudgedBudget
	case s.Reason == string(schemas.JudgeCompromised):
		return sampling.NotJudgedCompromised
	case s.Outcome == schemas.Failed, s.Outcome == schemas.Skipped && s.Reason == detectors.ReasonDeadline:
		return sampling.NotJudgedError
	default:
		return ""
	}
}

// probability reads the copy's header; 0 where it holds none.
func probability(header []byte) float64 {
	p, err := strconv.ParseFloat(string(header), 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0
	}
	return p
}
