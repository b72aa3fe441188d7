package assignment

import "time"

// TakeOver reads what the last owner left and reports whether it ended without giving the partition back.
func (p *Partition) TakeOver(metadata string) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = p.crash.load(metadata, time.Now())
	return p.ended
}

// IsolateRecords makes the records from at to next, at most CarefulRecords, batches of their own when the last owner ended.
func (p *Partition) IsolateRecords(at, next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended && !p.opts.HandlerWaits {
		p.crash.carefulUntil = max(p.crash.carefulUntil, min(at+CarefulRecords, next))
	}
}

// NoteInWork takes down that the item is about to be in work and reports whether the next owner has to know it.
func (p *Partition) NoteInWork(it Item) bool {
	offset, epoch := it.position()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker.begin(offset, epoch)
	first, alone := !p.crash.open, p.crash.isolated(offset)
	if first {
		p.crash.open, p.crash.at = true, time.Now()
	}
	if alone && !p.opts.HandlerWaits && !p.crash.exceedsLimit(offset) {
		p.crash.begin(offset, time.Now())
	}
	return first || alone
}

// NoteSlow counts this owner at the record in work if that takes longer than limit, and reports whether that is news.
func (p *Partition) NoteSlow(limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busySince.IsZero() || time.Since(p.busySince) < limit {
		return false
	}
	return p.crash.begin(p.current, time.Now())
}

// Suspect reports whether an earlier owner ended while it worked on the item, which is to be tried again.
func (p *Partition) Suspect(it Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	offset := it.Offset()
	return p.crash.suspect(offset) && !p.crash.exceedsLimit(offset)
}

// ExceedsCrashLimit reports whether so many owners ended at the item that it is not to be worked on again.
func (p *Partition) ExceedsCrashLimit(it Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.exceedsLimit(it.Offset())
}

// CrashCount is how many earlier owners ended while they worked on the item.
func (p *Partition) CrashCount(it Item) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.crashes(it.Offset())
}
