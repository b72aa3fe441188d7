package consumer

import (
	"context"
	"time"
)

// acquireSlots commits the owner note for the items and acquires processor slots: one, or all of them for a record at
// which an earlier owner ended, so that another crash is certainly this record's.
func (p *partition[T]) acquireSlots(items []queueItem) (release func(), err error) {
	if deaths, tooMany := p.Deaths(items[0]); deaths == 0 || tooMany {
		if err := p.commitOwnerNote(items); err != nil {
			return nil, err
		}
		return p.loop.slots.Acquire(p.Stop, 1)
	}
	if release, err = p.loop.slots.AcquireAll(p.Stop); err != nil {
		return nil, err
	}
	if err := p.commitOwnerNote(items); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// commitOwnerNote waits until the note about the batch is committed, where the next owner needs it: for the first batch of
// an assignment, and for each small batch and isolated record.
func (p *partition[T]) commitOwnerNote(items []queueItem) error {
	if p.loop.opts.crashDeaths() == 0 {
		return nil
	}
	if !p.NoteInWork(items) {
		return nil
	}
	for {
		if _, dirty := p.PendingWatermark(); !dirty {
			return nil
		}
		p.loop.commitSoon()
		select {
		case <-p.CommitDone:
		case <-p.Stop:
			return errAbandoned
		}
	}
}

// noteSlowRecords commits notes about slow records until ctx ends: the process may be about to end for one of them.
func (l *Loop[T]) noteSlowRecords(ctx context.Context) {
	tick := time.NewTicker(l.opts.SlowRecord / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, p := range l.owned.All() {
			if p.NoteSlow(l.opts.SlowRecord) {
				l.commitSoon()
			}
		}
	}
}
