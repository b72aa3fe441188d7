package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	mathrand "math/rand/v2"
	"time"

	"confab/internal/kafka"
	"confab/internal/retry"
)

// tooLargeAttempts is how often a single record's output may be refused as too large before the record becomes a dead
// letter. Brokers refuse whole produce batches, so another record may have caused the first refusal.
const tooLargeAttempts = 3

// process processes items until all their effects are durable, however long that takes. It returns false when the
// partition was halted first.
func (p *partition[T]) process(items []queueItem) bool {
	p.SetBatchStart(time.Now())
	defer p.SetBatchStart(time.Time{})
	defer clear(p.refused)
	p.batchWork.Begin()
	for attempt := 1; !p.Stopped(); attempt++ {
		err := p.attemptBatch(items)
		oversized := errors.Is(err, kafka.ErrTooLarge) && p.phase == phasePublish
		switch {
		case err == nil:
			return p.completeBatch(items)
		case errors.Is(err, errAbandoned):
			return false // the producer may still read the slices: they are left to the garbage collector
		case errors.Is(err, errCircuitOpen):
			p.stayHalted()
			return false
		case oversized && len(items) > 1:
			return p.processEachAlone(items)
		case oversized && attempt >= tooLargeAttempts:
			p.refused[items[0].Offset()], p.phase = true, phaseHandle
			continue
		}
		if !p.loop.backoff(p, attempt, err) {
			return false
		}
	}
	return false
}

// attemptBatch runs the batch, or repeats its last steps.
func (p *partition[T]) attemptBatch(items []queueItem) error {
	if p.phase == phaseDecode || p.phase == phaseHandle {
		if err := p.Evaluate(items, p.commitOwnerNote); err != nil {
			return err
		}
		p.phase = phasePublish
	}
	if p.loop.opts.DryRun {
		return nil
	}
	if p.phase == phasePublish {
		err := p.loop.opts.Producer.ProduceSync(p.Context, p.out...)
		switch {
		case err != nil && p.Context.Err() != nil:
			return errAbandoned
		case err != nil:
			return err
		}
		p.phase = phaseDeadLetter
	}
	err := p.loop.opts.DeadLetter.Send(p.Context, p.Letters)
	switch {
	case err != nil && p.Context.Err() != nil:
		return errAbandoned
	case err != nil:
		return fmt.Errorf("dead letter: %w", err)
	}
	return nil
}

// processEachAlone processes each item as a batch of its own, since the output of one of them is too large.
func (p *partition[T]) processEachAlone(items []queueItem) bool {
	for i := range items {
		if !p.process(items[i : i+1]) {
			return false
		}
	}
	return true
}

// completeBatch counts the batch and moves the watermark, unless the assignment has ended.
func (p *partition[T]) completeBatch(items []queueItem) bool {
	defer p.Release()
	if !p.Complete(items) {
		p.loop.metrics.Stale.WithLabelValues().Add(float64(len(items)))
		return false
	}
	p.CountDone()
	p.loop.scheduleCommit()
	return true
}

// logEvery is the time between two reports of a halted partition.
const logEvery = time.Minute

// retryAfter is implemented by errors that know when to retry.
type retryAfter interface{ RetryAfter() time.Duration }

// wait returns how long to wait after an error, given the number of earlier ones.
func (o *Options[T]) wait(earlier int, err error) time.Duration {
	wait := retry.Backoff{Initial: o.RetryInitial, Max: o.RetryMax}.Wait(min(earlier, math.MaxInt16), mathrand.Float64())
	var hint retryAfter
	if errors.As(err, &hint) {
		wait = max(wait, hint.RetryAfter())
	}
	return wait
}

// backoff waits before the next attempt at the batch of p; false when the partition was halted meanwhile.
func (l *Loop[T]) backoff(p *partition[T], attempt int, err error) bool {
	l.metrics.Retries.WithLabelValues(string(p.phase)).Inc()
	wait := l.opts.wait(attempt-1, err)
	l.opts.Logger.Warn("process batch failed, retrying",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
		slog.String("phase", string(p.phase)), slog.Int("attempt", attempt), slog.Any("error", err))
	return retry.Sleep(p.halting, wait) == nil
}
