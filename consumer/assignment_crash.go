package consumer

import "time"

// TakeOver loads the note that the last owner committed with the offset, and reports whether that owner ended without giving
// the partition back.
func (p *assignment) TakeOver(metadata string, committed int64) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.load(metadata, committed, time.Now())
}

// EndWindow says that the records from next on came after the last owner: it did not end at one of them.
func (p *assignment) EndWindow(next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash.until = min(p.crash.until, next)
}

// NoteInWork records that processing of the batch is about to start and reports whether that must be committed for the
// next owner.
func (p *assignment) NoteInWork(batch []queueItem) bool {
	offset, epoch := batch[0].position()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker.begin(offset, epoch)
	return p.crash.start(offset, batch[len(batch)-1].Offset(), time.Now())
}

// NoteSlow counts this owner as a possible crash at the current record if that takes longer than limit, and reports
// whether the note changed.
func (p *assignment) NoteSlow(limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busySince.IsZero() || time.Since(p.busySince) < limit {
		return false
	}
	return p.crash.begin(p.current, time.Now())
}

// Deaths returns how many earlier owners ended while they processed the item, and whether it must not be retried for that.
func (p *assignment) Deaths(it queueItem) (deaths int, tooMany bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.crashes(it.Offset()), p.crash.exceedsLimit(it.Offset())
}

// BatchSize returns how many of the first items are handled together.
func (p *assignment) BatchSize(items []queueItem) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = 1
	for n < len(items) && p.crash.joins(items[0].Offset(), items[n].Offset(), n) {
		n++
	}
	return n
}
