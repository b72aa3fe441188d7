package consumer

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

// decode turns an item into records, a dead letter or nothing. After an error, which is not the record's, the item may be
// decoded again.
func (p *partition[T]) decode(it assignment.Item) error {
	switch {
	case it.Bad != nil:
		p.letters = append(p.letters, deadletter.Letter{
			Topic: it.Bad.Topic, Partition: it.Bad.Partition, Offset: it.Bad.Offset,
			Stage: StageDecode, Reason: ReasonTooLarge, Err: it.Bad, NoValue: true,
		})
		return nil //nolint:nilerr // the error has become a letter
	case p.ExceedsCrashLimit(it):
		p.letters = append(p.letters, newDeadLetter(it.Rec, p.crashSuspect(it)))
		return nil
	case it.Rec.Value == nil:
		p.tombstones++
		return nil
	case len(it.Rec.Value) > p.loop.opts.MaxValueBytes:
		p.letters = append(p.letters, newDeadLetter(it.Rec, p.loop.tooLarge(it.Rec)))
		return nil
	}
	had := len(p.values)
	err := p.callCodec(it)
	if err != nil {
		p.dropValues(had)
		return p.handleDecodeError(it.Rec, err)
	}
	if p.parking != nil {
		p.parking.Note(it, p.raw.Turn)
	}
	for i, v := range p.values[had:] {
		p.records = append(p.records, Record[T]{
			work: p.Partition, Value: v, Raw: it.Rec.Value, Key: it.Rec.Key, Headers: it.Rec.Headers, Topic: it.Rec.Topic,
			Partition: it.Rec.Partition, Offset: it.Rec.Offset, Index: p.raw.IndexOf(i), Timestamp: it.Rec.Timestamp,
		})
	}
	for _, part := range p.raw.Rejected {
		letter := newDeadLetter(it.Rec, part.Err)
		letter.Value, letter.Part, letter.Index = part.Value, true, part.Index
		p.letters = append(p.letters, letter)
	}
	return nil
}

func (l *Loop[T]) tooLarge(r *kgo.Record) *PoisonError {
	err := fmt.Errorf("value of %d bytes, the limit is %d", len(r.Value), l.opts.MaxValueBytes)
	return &PoisonError{Stage: StageDecode, Reason: ReasonTooLarge, Err: err}
}

// handleDecodeError makes a dead letter of a poison record and returns any other error, to be retried.
func (p *partition[T]) handleDecodeError(r *kgo.Record, err error) error {
	poison, ok := errors.AsType[*PoisonError](err)
	if !ok {
		return fmt.Errorf("decode: %w", err)
	}
	p.letters = append(p.letters, newDeadLetter(r, poison))
	return nil
}

// callCodec calls the codec. A panic makes the record poison: the next attempt would panic as well.
func (p *partition[T]) callCodec(it assignment.Item) (err error) {
	r, had := it.Rec, len(p.values)
	defer func() {
		if v := recover(); v != nil {
			p.values = p.values[:had] // values of the failed call cannot be released
			p.loop.panicked("codec", v)
			err = &PoisonError{Stage: StageDecode, Reason: ReasonPanic, Err: panicError(v)}
		}
	}()
	p.raw = Raw{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Headers: r.Headers,
		Timestamp: r.Timestamp,
	}
	if p.parking != nil {
		p.raw.Turn = p.parking.Turn(it)
	}
	values, err := p.codec.Decode(p.Context, &p.raw, p.values)
	if len(values) >= had {
		p.values = values
	}
	return err
}

// handleRecords handles the batch, or the values of its only record one at a time.
func (p *partition[T]) handleRecords(items []assignment.Item) error {
	if !p.eachAlone {
		return p.handle(p.records)
	}
	p.letters = p.letters[:len(p.raw.Rejected)] // without those of an earlier attempt
	kept := p.records[:0:0]
	for i := range p.records {
		err := p.handle(p.records[i : i+1])
		if result := p.out.Wait(p.Context); result != nil && err == nil {
			err = result
		}
		switch {
		case errors.Is(err, kafka.ErrTooLarge):
			letter := newDeadLetter(items[0].Rec, &PoisonError{Stage: StagePublish, Reason: ReasonTooLarge, Err: err})
			letter.Part, letter.Index = true, p.records[i].Index
			p.letters = append(p.letters, letter)
		case err != nil:
			return err
		default:
			kept = append(kept, p.records[i])
		}
	}
	p.records = kept
	return nil
}

func newDeadLetter(r *kgo.Record, e *PoisonError) deadletter.Letter {
	return deadletter.Letter{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Headers: r.Headers,
		Timestamp: r.Timestamp, Stage: e.Stage, Reason: e.Reason, Err: e.Err,
	}
}
