package consumer

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"confab/consumer/assignment"
	"confab/consumer/circuit"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
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

// batchState is the batch of one partition's goroutine. Its slices are reused.
type batchState[T any] struct {
	out        *assignment.Outbox
	raw        Raw         // argument of the codec, reused
	values     []T         // decoded, in order; to be released
	records    []Record[T] // one for each value
	letters    []deadletter.Letter
	tombstones int  // tombstones
	decoded    int  // items that are decoded
	eachAlone  bool // values of one record are handled one at a time, since the output of one of them is too large
	phase      batchPhase
	circuit    circuit.Breaker
	closed     func() // decrements the gauge of halted partitions; nil while the circuit is closed
}

// process processes items until all their effects are durable, however long that takes. It returns false when the
// partition was halted first.
func (p *partition[T]) process(items []assignment.Item) bool {
	p.beginBatch()
	defer p.SetBatchStart(time.Time{})
	for attempt := 1; !p.Stopped(); attempt++ {
		err := p.attemptBatch(items)
		switch {
		case err == nil:
			return p.completeBatch(items)
		case errors.Is(err, assignment.ErrAbandoned):
			return false // the producer may still read the slices: they are left to the garbage collector
		case errors.Is(err, circuit.ErrOpen):
			p.release()
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
	p.values, p.records, p.letters = p.values[:0], p.records[:0], p.letters[:0]
	p.tombstones, p.decoded, p.phase, p.eachAlone = 0, 0, phaseDecode, false
	if p.parking != nil {
		p.parking.Begin()
	}
}

// attemptBatch runs the batch from the phase that failed last.
func (p *partition[T]) attemptBatch(items []assignment.Item) error {
	if p.phase != phaseDeadLetter {
		err := p.decodeAndHandle(items)
		if errors.Is(err, assignment.ErrAbandoned) {
			return err
		}
		// Wait also when the handler failed: the next attempt may reuse the slices of its messages.
		switch result := p.out.Wait(p.Context); {
		case errors.Is(result, assignment.ErrAbandoned), errors.Is(result, kafka.ErrTooLarge):
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
	err := p.loop.opts.DeadLetter.Send(p.Context, p.letters)
	switch {
	case p.Context.Err() != nil && err != nil:
		return assignment.ErrAbandoned
	case err != nil:
		return fmt.Errorf("dead letter: %w", err)
	}
	return nil
}

// decodeAndHandle decodes and handles the items while it holds one of the loop's processor slots.
func (p *partition[T]) decodeAndHandle(items []assignment.Item) error {
	release, err := p.acquireSlots(items)
	if err != nil {
		return err
	}
	defer release()
	defer p.EndWork()
	p.phase = phaseDecode
	for ; p.decoded < len(items); p.decoded++ {
		p.Begin(items[p.decoded].Offset())
		letters, values := len(p.letters), len(p.values)
		if err := p.decode(items[p.decoded]); err != nil {
			return err
		}
		if p.circuit.Record(items[p.decoded].Seq, len(p.letters)-letters > len(p.values)-values) {
			return p.circuit.OpenError()
		}
	}
	p.phase = phaseHandle
	for i := range p.records {
		p.records[i].Outcome = ""
	}
	if len(p.records) > 0 {
		p.Begin(p.records[0].Offset)
		if err := p.handleRecords(items); err != nil {
			return err
		}
	}
	p.phase = phasePublish
	return nil
}

// handle calls the handler. A panic becomes an error, so that the batch is offered again.
func (p *partition[T]) handle(records []Record[T]) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.loop.panicked("handler", v)
			err = fmt.Errorf("handler: %w", panicError(v))
		}
	}()
	if err := p.loop.opts.Handler.Handle(p.Context, records, p.out); err != nil {
		return fmt.Errorf("handle: %w", err)
	}
	return nil
}

// processEachAlone processes each item as a batch of its own, since the output of one of them is too large.
func (p *partition[T]) processEachAlone(items []assignment.Item) bool {
	p.release()
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
func (p *partition[T]) isolateOversized(it assignment.Item, err error) {
	if p.eachAlone = len(p.records) > 1; !p.eachAlone {
		p.deadLetterOversized(it, err)
	}
}

// deadLetterOversized makes a dead letter of a record whose output is too large to write.
func (p *partition[T]) deadLetterOversized(it assignment.Item, err error) {
	p.dropValues(0)
	p.records = p.records[:0]
	if it.Rec != nil {
		p.letters = append(p.letters, newDeadLetter(it.Rec, &PoisonError{Stage: StagePublish, Reason: ReasonTooLarge, Err: err}))
	}
	p.phase = phaseDeadLetter
}

// completeBatch counts the batch and moves the watermark, unless the assignment has ended.
func (p *partition[T]) completeBatch(items []assignment.Item) bool {
	defer p.release()
	if !p.completeItems(items) {
		p.loop.metrics.CountStale(len(items))
		return false
	}
	p.countDone()
	p.loop.scheduleCommit()
	return true
}

func (p *partition[T]) completeItems(items []assignment.Item) bool {
	if p.parking != nil {
		return p.parking.Complete(items)
	}
	return p.Complete(items)
}

// countDone counts the outcomes of a durable batch.
func (p *partition[T]) countDone() {
	m := p.loop.metrics
	m.CountOutcome(OutcomeTombstone, p.tombstones)
	for i := range p.letters {
		m.CountLetter(p.letters[i].Stage, p.letters[i].Reason)
	}
	p.loop.letterLog.Add(p.letters)
	m.CountOutcome(OutcomeDeadLetter, len(p.letters))
	for i := 0; i < len(p.records); {
		first := i
		for i < len(p.records) && p.records[i].Outcome == p.records[first].Outcome {
			i++
		}
		m.CountOutcome(cmp.Or(p.records[first].Outcome, OutcomeDone), i-first)
	}
}

// release returns the values to the codec and clears the batch.
func (p *partition[T]) release() {
	p.dropValues(0)
	clear(p.records)
	clear(p.letters)
	p.records, p.letters = p.records[:0], p.letters[:0]
}

func (p *partition[T]) dropValues(from int) {
	for _, v := range p.values[from:] {
		p.loop.opts.Codec.Release(v)
	}
	clear(p.values[from:])
	p.values = p.values[:from]
}
