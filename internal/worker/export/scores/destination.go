package scores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"confab/alerting/httpsend"
	"confab/internal/worker/export/delivery"
	"confab/schemas"
)

// backend is what differs between the tools.
type backend interface {
	// locate says where the scores of a flag belong. A *missingError means that the backend does not have the span yet, a
	// *refusedError that it never will.
	locate(ctx context.Context, f *schemas.Flag) (target, error)
	// write writes scores of spans only or of traces only with one request.
	write(ctx context.Context, batch []score) error
}

// destination delivers flags to a backend.
type destination struct {
	backend backend
	name    string
	size    int // scores per request
	wait    time.Duration
	now     func() time.Time
	sender  *httpsend.Sender

	mu      sync.Mutex // held during a delivery
	ledger  *ledger
	failing bool
	upSince time.Time // end of the last outage
}

// Deliver implements [delivery.Destination]. Scores that a backend refuses reject their flag; its other scores are written.
// A flag whose span the backend does not have is repeated for the time of span_wait, and rejected after it.
func (d *destination) Deliver(ctx context.Context, flags []*schemas.Flag) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &round{destination: d, flags: make(map[string]*schemas.Flag, len(flags)), rejected: map[string]error{}, waiting: map[string]bool{}}
	if err := r.deliver(ctx, flags); err != nil {
		d.failing = d.failing || ctx.Err() == nil
		return err
	}
	d.endOutage()
	if r.settleMissing(); len(r.waiting) > 0 {
		return fmt.Errorf("%d flags wait for their traces to arrive in %s", len(r.waiting), d.name)
	}
	d.ledger.forget(r.scores)
	if len(r.rejected) > 0 {
		return &delivery.RejectedError{Flags: r.rejected}
	}
	return nil
}

// Close ends idle connections.
func (d *destination) Close() error {
	d.sender.Close()
	return nil
}

func (d *destination) endOutage() {
	if d.failing {
		d.failing, d.upSince = false, d.now()
	}
}

// round is one delivery.
type round struct {
	*destination
	flags    map[string]*schemas.Flag // by id
	scores   [2][]score               // of spans, of traces
	rejected map[string]error         // by id
	waiting  map[string]bool          // ids of flags whose span is missing
}

func (r *round) deliver(ctx context.Context, flags []*schemas.Flag) error {
	for _, f := range flags {
		r.flags[delivery.FlagID(f)] = f
	}
	for _, f := range flags {
		if r.flags[delivery.FlagID(f)] != f { // a later copy replaces it
			continue
		}
		at, err := r.backend.locate(ctx, f)
		if err != nil {
			if err = r.settle(f, err); err != nil {
				return err
			}
			continue
		}
		kind := &r.scores[0]
		if at.span == "" {
			kind = &r.scores[1]
		}
		*kind = append(*kind, scoresOf(f, at)...)
	}
	for _, all := range r.scores {
		for batch := range slices.Chunk(r.unsettled(all), r.size) {
			if err := r.write(ctx, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle handles a flag that could not be placed. It returns a temporary error.
func (r *round) settle(f *schemas.Flag, err error) error {
	if refused, ok := errors.AsType[*refusedError](err); ok {
		r.reject(delivery.FlagID(f), refused)
		return nil
	}
	if _, ok := errors.AsType[*missingError](err); ok {
		r.waiting[delivery.FlagID(f)] = true
		return nil
	}
	return err
}

// unsettled returns the scores about which an earlier attempt has not decided.
func (r *round) unsettled(all []score) []score {
	var rest []score
	for i := range all {
		switch known, refusal := r.ledger.outcomeOf(&all[i]); {
		case !known:
			rest = append(rest, all[i])
		case refusal != nil:
			r.reject(all[i].flag, refusal)
		}
	}
	return rest
}

func (r *round) reject(flag string, err error) {
	if r.rejected[flag] == nil {
		r.rejected[flag] = err
	}
}

// write writes a batch, without the scores whose spans are missing, and in halves while the backend refuses it.
func (r *round) write(ctx context.Context, batch []score) error {
	err := r.backend.write(ctx, batch)
	if err == nil {
		r.ledger.record(batch, nil)
		return nil
	}
	if missing, ok := errors.AsType[*missingError](err); ok {
		return r.writeOthers(ctx, batch, missing)
	}
	if partial, ok := errors.AsType[*partialError](err); ok {
		return r.takePartial(batch, partial)
	}
	refused, ok := errors.AsType[*refusedError](err)
	switch {
	case !ok:
		return err
	case len(batch) == 1:
		r.ledger.record(batch, refused)
		r.reject(batch[0].flag, refused)
		return nil
	}
	if err := r.write(ctx, batch[:len(batch)/2]); err != nil {
		return err
	}
	return r.write(ctx, batch[len(batch)/2:])
}

func (r *round) writeOthers(ctx context.Context, batch []score, missing *missingError) error {
	var others []score
	for i := range batch {
		if at := batch[i].at; missing.ids[at.span] || missing.ids[at.trace] && at.span == "" {
			r.waiting[batch[i].flag] = true
		} else {
			others = append(others, batch[i])
		}
	}
	switch len(others) {
	case 0:
		return nil
	case len(batch):
		return fmt.Errorf("%s does not name the spans of the batch that it misses", r.name) // so a repeat would not end
	default:
		return r.write(ctx, others)
	}
}

func (r *round) takePartial(batch []score, partial *partialError) error {
	known := 0
	for i := range batch {
		if err := partial.refused[scoreID(&batch[i])]; err != nil {
			r.reject(batch[i].flag, err)
			known++
		}
	}
	if known < len(partial.refused) {
		return partial
	}
	for i := range batch {
		r.ledger.record(batch[i:i+1], partial.refused[scoreID(&batch[i])])
	}
	return nil
}

// settleMissing rejects the waiting flags whose time is over. It runs from the detection of the flag or, after an outage of
// the backend, from its end. So a backlog of flags whose traces were sampled away does not wait.
func (r *round) settleMissing() {
	now := r.now()
	for flag := range r.waiting {
		age := now.Sub(r.flags[flag].DetectedAt)
		inTime := age < r.wait && age > -r.wait // a date further in the future is wrong
		if inTime || now.Sub(r.upSince) < r.wait {
			continue
		}
		delete(r.waiting, flag)
		r.reject(flag, fmt.Errorf("%s does not have the span %s after the detection: send it the trace, too, or raise span_wait", r.name, r.wait))
	}
}
