package redrive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/records"
)

// fate says what becomes of a dead letter.
type fate string

// The fates. All but the first are reasons why a letter stays.
const (
	fateRedrive  fate = ""
	fateNever    fate = "of class never" // and its reason is not asked for
	fateAttempts fate = "tried too often"
	fateTopic    fate = "of another topic"
	fateGone     fate = "record gone"                // a letter without a copy, whose record expired or is another one now
	fateRepeated fate = "repeated"                   // two letters of one record
	fateOpen     fate = "behind an open transaction" // a letter without a copy, whose record cannot be read yet
)

// place is where a record was read. A part of a record has its index, others have -1.
type place struct {
	topic     string
	partition int32
	offset    int64
	index     int
}

// letter is a dead letter that was read.
type letter struct {
	deadletter.Description
	record kafka.FetchedRecord
	fate   fate
}

// place identifies the record: a letter of what could not be written holds all of it, whichever part that was.
func (l *letter) place() place {
	at := place{l.Topic, l.Partition, l.Offset, l.Index}
	if l.Stage == consumer.StagePublish {
		at.index = -1
	}
	return at
}

// batch are dead letters that are judged and sent together.
type batch struct {
	*sender

	producer *kafka.Producer // nil: nothing is sent
	letters  []*letter
	bytes    int            // of their values
	seen     map[place]bool // records that are sent
	result   *Result
}

// Bounds of a batch.
const (
	maxBatch      = 500
	maxBatchBytes = 16 << 20
)

// add keeps a letter, and flushes when the batch is full.
func (b *batch) add(ctx context.Context, l *letter) error {
	b.letters, b.bytes = append(b.letters, l), b.bytes+len(l.record.Value)
	if len(b.letters) < maxBatch && b.bytes < maxBatchBytes {
		return nil
	}
	return b.flush(ctx)
}

// flush judges the letters, reads the records of those without a copy, and sends what may go.
func (b *batch) flush(ctx context.Context) error {
	for _, l := range b.letters {
		l.fate = b.judge(l)
	}
	if err := b.fetch(ctx); err != nil {
		return err
	}
	var messages []kafka.Message
	for _, l := range b.letters {
		if l.fate == fateRedrive && b.seen[l.place()] {
			l.fate = fateRepeated
		}
		if l.fate == fateRedrive {
			b.seen[l.place()] = true
			messages = append(messages, b.message(l))
		}
		b.result.add(l)
	}
	b.letters, b.bytes = b.letters[:0], 0
	return b.send(ctx, messages)
}

// judge decides by what the letter says itself.
func (b *batch) judge(l *letter) fate {
	switch {
	case records.ClassOf(l.Stage, l.Reason) == records.RedriveNever && (l.Reason == "" || !slices.Contains(b.Reasons, l.Reason)):
		return fateNever
	case l.Attempt >= b.MaxAttempts:
		return fateAttempts
	case b.To == "" && b.partitions[l.Topic] == 0:
		return fateTopic
	}
	return fateRedrive
}

// fetch replaces the digests of letters by the records that they stand for, if those still are what they were.
func (b *batch) fetch(ctx context.Context) error {
	wanted := map[kafka.RecordPosition][]*letter{}
	for _, l := range b.letters {
		if l.fate != fateRedrive || !l.Digest {
			continue
		}
		l.fate = fateGone
		if l.Partition < 0 || l.Offset < 0 || l.Topic == "" {
			continue
		}
		at := kafka.RecordPosition{Topic: l.Topic, Partition: l.Partition, Offset: l.Offset}
		wanted[at] = append(wanted[at], l)
	}
	return b.fetchAll(ctx, wanted)
}

func (b *batch) fetchAll(ctx context.Context, wanted map[kafka.RecordPosition][]*letter) error {
	inOrder := func(x, y kafka.RecordPosition) int { return cmp.Compare(x.Offset, y.Offset) }
	for _, at := range slices.SortedFunc(maps.Keys(wanted), inOrder) {
		partition := kafka.RecordPosition{Topic: at.Topic, Partition: at.Partition}
		if from, open := b.open[partition]; !open || at.Offset < from {
			err := b.fetchOne(ctx, at, wanted[at])
			if err == nil {
				continue
			}
			if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				return err
			}
			b.open[partition] = at.Offset
		}
		for _, l := range wanted[at] {
			l.fate = fateOpen
		}
	}
	return nil
}

func (b *batch) fetchOne(ctx context.Context, at kafka.RecordPosition, letters []*letter) error {
	ctx, cancel := context.WithTimeout(ctx, b.Timeout)
	defer cancel()
	return kafka.FetchRecord(ctx, b.Kafka, at, func(r *kafka.FetchedRecord) error {
		for _, l := range letters {
			if deadletter.Matches(r.Value, deadletter.ValueSHA256(l.record.Value)) {
				l.record, l.fate = *r, fateRedrive
			}
		}
		return nil
	})
}

// message is the record as it is written again: to its partition, so that what is read by partition is found there.
func (b *batch) message(l *letter) kafka.Message {
	m := kafka.Message{
		Topic: l.Topic, Partition: kafka.AnyPartition, Key: l.record.Key, Value: l.record.Value,
		Headers: deadletter.RedriveHeaders(l.record.Headers, l.Attempt),
	}
	if b.To != "" {
		m.Topic = b.To
	} else if l.Partition >= 0 && int(l.Partition) < b.partitions[l.Topic] {
		m.Partition = l.Partition
	}
	return m
}

// send waits for the permissions and the acknowledgements of the records.
func (b *batch) send(ctx context.Context, messages []kafka.Message) error {
	if b.producer == nil {
		return nil
	}
	for part := range slices.Chunk(messages, b.Burst) {
		if err := b.sendPart(ctx, part); err != nil {
			return err
		}
		b.result.Sent += len(part)
	}
	return nil
}

func (b *batch) sendPart(ctx context.Context, part []kafka.Message) error {
	if err := b.Permit(ctx, len(part)); err != nil {
		return fmt.Errorf("wait for --rate: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, b.Timeout)
	defer cancel()
	return b.producer.ProduceSync(ctx, part...)
}
