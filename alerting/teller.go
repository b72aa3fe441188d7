package alerting

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"confab/schemas"
)

// State is what has been told, by incident id.
type State interface {
	// Get is the last known state under the key.
	Get(key string) (schemas.AlertState, bool)
	// Put returns nil once the state survives this process; Get answers it from then on.
	Put(ctx context.Context, key string, s schemas.AlertState) error
}

// TellerOptions configure a Teller. Notifier, Sink, Metrics and Logger are required.
type TellerOptions struct {
	Notifier Notifier
	Sink     string // the notifier's name, a metric label: webhook, bot, console
	Metrics  *Metrics
	Logger   *slog.Logger

	// Channel chooses where a tenant's alerts go; nil means the notifier's own channel. Policy.Channel is one.
	Channel func(tenant string) string
	// Waiting is called at least every 5 s while Tell waits for a sink to recover: a sign of life, not of progress.
	Waiting func()
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Jitter gives numbers in [0, 1). Default: a random source.
	Jitter func() float64
}

const heartbeat = 5 * time.Second // the longest silence while waiting

// Teller tells every incident whose flag alerts, once, and owns every retry of a sink. It is safe for concurrent use by
// callers that handle different incidents; two flags of one incident must be told one after the other, which their order
// within a partition gives.
type Teller struct {
	TellerOptions

	mu     sync.Mutex
	logged time.Time // when a failure was last logged
}

// NewTeller makes a teller.
func NewTeller(opts TellerOptions) *Teller {
	if opts.Channel == nil {
		opts.Channel = func(string) string { return "" }
	}
	if opts.Waiting == nil {
		opts.Waiting = func() {}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Jitter == nil {
		opts.Jitter = rand.Float64
	}
	return &Teller{TellerOptions: opts}
}

// Tell makes sure that on-call has heard about the flag, if its alert rule holds. It waits for as long as the sink is
// down, until ctx ends. A nil error means that nothing is left to do and that the state remembers it; after an error the
// same flag is to be offered again, and is then told at most once more, marked as a possible repeat.
//
// Repeats and reordered passes are harmless: whatever the order in which an incident's flags are offered, and however
// often, the last state is the same.
func (t *Teller) Tell(ctx context.Context, f *schemas.Flag, state State) (Outcome, error) {
	if f.IncidentID == "" {
		return "", fmt.Errorf("tell: %w", ErrNoIncident)
	}
	was, found := state.Get(f.IncidentID)
	if !found {
		was = schemas.AlertState{}
	}
	step := decide(was, f)
	if step.suppress != "" {
		t.Metrics.suppressed.WithLabelValues(string(step.suppress)).Inc()
	}
	switch step.do {
	case ignore:
		return NotAlerting, nil
	case keep:
		return Suppressed, nil
	case advance:
		was.Pass, was.UpdatedAt = schemas.PassDeep, t.Now()
		if err := state.Put(ctx, strings.Clone(f.IncidentID), was); err != nil {
			return "", fmt.Errorf("tell: move the alert's state to the deep pass: %w", err)
		}
		return Suppressed, nil
	case post, repost:
	}
	return t.post(ctx, f, state, was, step.do == repost)
}

// action is what to do about a flag.
type action int

const (
	ignore  action = iota // the rule does not hold
	post                  // nobody has heard of it
	repost                // an earlier attempt may have been told
	advance               // told by the fast pass, now confirmed by the deep one
	keep                  // told
)

// step is a decision; suppress is the reason when an alert is not posted.
type step struct {
	do       action
	suppress Suppression
}

// decide is the table of what follows from the state found and the flag read. A flag that does not alert never touches
// the state: that is what makes the end independent of the order in which passes arrive.
func decide(was schemas.AlertState, f *schemas.Flag) step {
	switch {
	case !f.Alert:
		return step{do: ignore}
	case was.Status == "":
		return step{do: post}
	case was.Status == schemas.AlertLabelled:
		return step{do: keep, suppress: Labelled}
	case was.Status != schemas.AlertSent: // pending, or a status that a newer version wrote
		return step{do: repost}
	case was.Pass != schemas.PassDeep && f.Pass == schemas.PassDeep:
		return step{do: advance, suppress: NoEdit}
	}
	return step{do: keep, suppress: AlreadyTold}
}

// post announces the attempt durably, tells, and remembers durably.
func (t *Teller) post(ctx context.Context, f *schemas.Flag, state State, was schemas.AlertState, repeat bool) (Outcome, error) {
	key := strings.Clone(f.IncidentID)
	next := schemas.AlertState{
		Status: schemas.AlertPending, Pass: passOf(f), Attempt: was.Attempt + 1, MayRepeat: repeat, UpdatedAt: t.Now(),
	}
	if err := state.Put(ctx, key, next); err != nil {
		return "", fmt.Errorf("tell: announce the attempt: %w", err)
	}
	if repeat {
		t.Metrics.ambiguous.Inc()
	}
	alert := schemas.Alert{Flag: *f, Channel: t.Channel(f.Tenant), MayRepeat: repeat}
	receipt, err := t.notify(ctx, &alert)
	if err != nil {
		return "", fmt.Errorf("tell: %w", err)
	}
	next.Status, next.MayRepeat, next.UpdatedAt = schemas.AlertSent, alert.MayRepeat, t.Now()
	next.Channel, next.Timestamp = receipt.Channel, receipt.Timestamp
	if err := t.settle(ctx, state, key, next); err != nil {
		return "", fmt.Errorf("tell: remember what was told: %w", err)
	}
	return Sent, nil
}

// notify tries until the sink accepts or ctx ends. It marks the alert as a possible repeat after an attempt of unknown
// end.
func (t *Teller) notify(ctx context.Context, alert *schemas.Alert) (schemas.Receipt, error) {
	for attempt := 0; ; attempt++ {
		start := t.Now()
		receipt, err := t.Notifier.Notify(ctx, *alert)
		t.Metrics.duration.Observe(t.Now().Sub(start).Seconds())
		if err == nil {
			t.Metrics.sent.WithLabelValues(t.Sink).Inc()
			return receipt, nil
		}
		if ctx.Err() != nil {
			return schemas.Receipt{}, ctx.Err()
		}
		e := failure(err)
		t.Metrics.failed.WithLabelValues(string(e.Reason)).Inc()
		if e.Ambiguous && !alert.MayRepeat {
			alert.MayRepeat = true
			t.Metrics.ambiguous.Inc()
		}
		delay := t.delay(e, attempt)
		if t.due() {
			t.Logger.Log(ctx, level(e), "notification failed, retrying", slog.String("sink", t.Sink),
				slog.String("incident_id", alert.Flag.IncidentID), slog.Any("error", e), slog.Duration("retry_in", delay))
		}
		if err := t.wait(ctx, delay); err != nil {
			return schemas.Receipt{}, err
		}
	}
}

// settle remembers a sent alert. It keeps trying where notify would tell again: a state that cannot be written must not
// become a message a minute. It gets one bounded chance even when ctx has ended.
func (t *Teller) settle(ctx context.Context, state State, key string, s schemas.AlertState) error {
	for attempt := 0; ; attempt++ {
		err := func() error {
			detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
			defer cancel()
			return state.Put(detached, key, s)
		}()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		delay := t.delay(&Error{Class: Retryable}, attempt)
		if t.due() {
			t.Logger.WarnContext(ctx, "alert state not written, retrying",
				slog.String("incident_id", key), slog.Any("error", err), slog.Duration("retry_in", delay))
		}
		if t.wait(ctx, delay) != nil {
			return err
		}
	}
}

func (t *Teller) delay(e *Error, attempt int) time.Duration { return e.delay(attempt, t.Jitter()) }

// wait sleeps, with a sign of life now and then.
func (t *Teller) wait(ctx context.Context, d time.Duration) error {
	for {
		t.Waiting()
		timer := time.NewTimer(min(d, heartbeat))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		if d -= heartbeat; d <= 0 {
			return nil
		}
	}
}

// due reports that a failure may be logged: one line a minute at most, whoever waits.
func (t *Teller) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.Now()
	if !t.logged.IsZero() && now.Sub(t.logged) < logEvery {
		return false
	}
	t.logged = now
	return true
}
