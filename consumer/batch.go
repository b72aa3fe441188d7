package consumer

import (
	"errors"
	"fmt"
	"time"

	"confab/internal/kafka"
)

// tooLargeAttempts is how often a single record's output may be refused as too large before the record becomes a dead
// letter. Brokers refuse whole produce batches, so another record may have caused the first refusal.
const tooLargeAttempts = 3

// batchPhase is the progress of a batch. A retry repeats the phase that failed and none before it.
type batchPhase string

const (
	phaseDecode     batchPhase = "decode"
	phaseHandle     batchPhase = "handle"
	phasePublish    batchPhase = "publish"
	phaseDeadLetter batchPhase = "dead_letter"
)

// batchState is the batch of one partition's goroutine.
type batchState[T any] struct {
	batchWork[T]
	out       *outbox
	decoded   int  // items that are decoded
	eachAlone bool // values of one record are handled one at a time, since the output of one of them is too large
	phase     batchPhase
	circuit   *circuit
}

// process processes items until all their effects are durable, however long that takes. It returns false when the
// partition was halted first.
func (p *partition[T]) process(items []queueItem) bool {
	p.beginBatch()
	defer p.SetBatchStart(time.Time{})
	for attempt := 1; !p.Stopped(); attempt++ {
		err := p.attemptBatch(items)
		switch {
		case err == nil:
			return p.completeBatch(items)
		case errors.Is(err, errAbandoned):
			return false // the producer may still read the slices: they are left to the garbage collector
		case errors.Is(err, errCircuitOpen):
			p.Release()
			return p.work(items)
		case p.isOversized(err) && len(items) > 1:
			return p.processEachAlone(items)
		case p.isOversized(err) && attempt >= tooLargeAttempts:
			p.isolateOversized(items[0], err)
			continue
		}
		if !p.loop.backoff(p, attempt, err) {
			return false
		}
	}
	return false
}

func (p *partition[T]) beginBatch() {
	p.SetBatchStart(time.Now())
	p.batchWork.Begin()
	p.decoded, p.phase, p.eachAlone = 0, phaseDecode, false
}

// attemptBatch runs the batch from the phase that failed last.
func (p *partition[T]) attemptBatch(items []queueItem) error {
	if p.phase != phaseDeadLetter {
		err := p.decodeAndHandle(items)
		if errors.Is(err, errAbandoned) {
			return err
		}
		// Wait also when the handler failed: the next attempt may reuse the slices of its messages.
		switch result := p.out.Wait(p.Context); {
		case errors.Is(result, errAbandoned), errors.Is(result, kafka.ErrTooLarge):
			return result
		case err != nil:
			return err
		case result != nil:
			return result
		}
	}
	p.phase = phaseDeadLetter
	if p.loop.opts.DryRun {
		return nil
	}
	err := p.loop.opts.DeadLetter.Send(p.Context, p.Letters)
	switch {
	case p.Context.Err() != nil && err != nil:
		return errAbandoned
	case err != nil:
		return fmt.Errorf("dead letter: %w", err)
	}
	return nil
}

// decodeAndHandle decodes and handles the items while it holds one of the loop's processor slots.
func (p *partition[T]) decodeAndHandle(items []queueItem) error {
	release, err := p.acquireSlots(items)
	if err != nil {
		return err
	}
	defer release()
	defer p.EndWork()
	p.phase = phaseDecode
	for ; p.decoded < len(items); p.decoded++ {
		p.Begin(items[p.decoded].Offset())
		poison, err := p.Decode(items[p.decoded])
		if err != nil {
			return err
		}
		if p.circuit.record(items[p.decoded].Offset(), poison) {
			return p.circuit.error()
		}
	}
	p.phase = phaseHandle
	for i := range p.Records {
		p.Records[i].Outcome = ""
	}
	if len(p.Records) > 0 {
		p.Begin(p.Records[0].Offset)
		if err := p.handleRecords(items); err != nil {
			return err
		}
	}
	p.phase = phasePublish
	return nil
}

// processEachAlone processes each item as a batch of its own, since the output of one of them is too large.
func (p *partition[T]) processEachAlone(items []queueItem) bool {
	p.Release()
	for i := range items {
		if !p.process(items[i : i+1]) {
			return false
		}
	}
	return true
}

// isOversized reports an error of output that is too large to write.
func (p *partition[T]) isOversized(err error) bool {
	return errors.Is(err, kafka.ErrTooLarge) && p.phase != phaseDeadLetter
}

// isolateOversized finds the value of a record whose output is too large: the only one, or in the next attempt.
func (p *partition[T]) isolateOversized(it queueItem, err error) {
	if p.eachAlone = len(p.Records) > 1; !p.eachAlone {
		p.Refuse(it, err)
		p.phase = phaseDeadLetter
	}
}

// completeBatch counts the batch and moves the watermark, unless the assignment has ended.
func (p *partition[T]) completeBatch(items []queueItem) bool {
	defer p.Release()
	if !p.completeItems(items) {
		p.loop.metrics.Stale.WithLabelValues().Add(float64(len(items)))
		return false
	}
	p.CountDone()
	p.loop.scheduleCommit()
	return true
}

func (p *partition[T]) completeItems(items []queueItem) bool {
	if p.parking != nil {
		return p.parking.Complete(items)
	}
	return p.Complete(items)
}

// handleRecords handles the batch, or the values of its only record one at a time.
func (p *partition[T]) handleRecords(items []queueItem) error {
	if !p.eachAlone {
		return p.Handle(p.Context, p.Records, p.out)
	}
	p.Letters = p.Letters[:p.Rejected()] // without those of an earlier attempt
	kept := p.Records[:0:0]
	for i := range p.Records {
		err := p.Handle(p.Context, p.Records[i:i+1], p.out)
		if result := p.out.Wait(p.Context); result != nil && err == nil {
			err = result
		}
		switch {
		case errors.Is(err, kafka.ErrTooLarge):
			letter := newLetter(items[0].Rec, outputTooLarge(err))
			letter.Part, letter.Index = true, p.Records[i].Index
			p.Letters = append(p.Letters, letter)
		case err != nil:
			return err
		default:
			kept = append(kept, p.Records[i])
		}
	}
	p.Records = kept
	return nil
}
