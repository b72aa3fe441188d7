package feed

import (
	"context"
	"errors"
	"time"

	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/ui/store"
	"confab/schemas"
	"confab/schemas/json"
)

// batch is a batch in progress.
type batch struct {
	store.Batch

	feed       *Feed
	records    int
	bytes      int
	unreadable int
	caughtUp   int
	newest     time.Time
}

func newBatch(f *Feed) *batch {
	return &batch{Batch: store.Batch{Next: map[store.Partition]int64{}}, feed: f}
}

// fill adds what comes within a short time.
func (b *batch) fill(ctx context.Context, queue <-chan record) {
	timer := time.NewTimer(batchPause)
	defer timer.Stop()
	for b.records < maxBatchRecords && b.bytes < maxBatchBytes {
		select {
		case r := <-queue:
			b.add(ctx, r)
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// add reads a record. One that cannot be read is counted and passed over.
func (b *batch) add(ctx context.Context, r record) {
	if r.caughtUp {
		b.caughtUp++
		return
	}
	b.records++
	b.bytes += len(r.Value)
	b.newest = r.Timestamp
	var err error
	switch f := b.feed; r.Topic {
	case f.Incidents:
		err = b.addFlag(ctx, r.FetchedRecord)
	case f.Feedback:
		var l schemas.Feedback
		if err = json.DecodeFeedback(r.Value, &l); err == nil && l.Verdict == schemas.Forgotten {
			b.Forgotten = append(b.Forgotten, l.IncidentID)
		} else if err == nil {
			b.Labels = append(b.Labels, l)
		}
	case f.Alerts:
		err = b.addAlert(r.FetchedRecord)
	}
	if ctx.Err() != nil {
		return // it may be unread
	}
	if err != nil {
		b.unreadable++
		b.feed.Logger.WarnContext(ctx, "read record for the page failed", "topic", r.Topic, "partition", r.Partition, "offset", r.Offset)
	}
	b.Next[store.Partition{Topic: r.Topic, Number: r.Partition}] = r.Offset + 1
}

func (b *batch) addFlag(ctx context.Context, r *kafka.FetchedRecord) error {
	f := new(schemas.Flag)
	if err := b.feed.decode(ctx, r.Value, f); err != nil {
		return err
	}
	raw := r.Value
	if len(raw) == 0 || raw[0] != '{' {
		var err error
		if raw, err = json.AppendFlag(nil, f); err != nil {
			return err
		}
	}
	b.Flags = append(b.Flags, store.FlagRecord{Flag: f, JSON: raw, At: r.Timestamp})
	return nil
}

// decode waits for the schema registry.
func (f *Feed) decode(ctx context.Context, value []byte, flag *schemas.Flag) error {
	for {
		err := f.Decode(ctx, value, flag)
		if _, waits := errors.AsType[*schemaregistry.PendingError](err); !waits {
			return err
		}
		f.Logger.WarnContext(ctx, "read flag schema failed, retrying", "error", err)
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// addAlert keeps the states of incidents. Groups and silences have shorter keys.
func (b *batch) addAlert(r *kafka.FetchedRecord) error {
	a := store.AlertRecord{Incident: string(r.Key)}
	if r.Value != nil {
		a.State = new(schemas.AlertState)
		if err := json.DecodeAlertState(r.Value, a.State); err != nil {
			return err
		}
	}
	b.Alerts = append(b.Alerts, a)
	return nil
}
