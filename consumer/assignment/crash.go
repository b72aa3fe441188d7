package assignment

import "time"

// TakeOver loads the note of the last owner and reports whether that owner ended without giving the partition back.
func (p *Partition) TakeOver(metadata string) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = p.crash.load(metadata, time.Now())
	return p.ended
}

// CarefulRecords makes the records from at to next, at most those that a crashed owner may have had in work, batches of a
// few records when the last owner ended unexpectedly.
func (p *Partition) CarefulRecords(at, next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended && !p.opts.HandlerWaits {
		p.crash.carefulUntil = max(p.crash.carefulUntil, min(at+p.crash.window(), next))
	}
}

// NoteInWork records that processing of the batch is about to start and reports whether that must be committed for the
// next owner.
func (p *Partition) NoteInWork(batch []Item) bool {
	offset, epoch := batch[0].position()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker.begin(offset, epoch)
	first, alone := !p.crash.open, p.crash.isolated(offset)
	careful := !alone && p.crash.careful(offset)
	if first {
		p.crash.open, p.crash.at = true, time.Now()
	}
	if alone && !p.opts.HandlerWaits && !p.crash.exceedsLimit(offset) {
		p.crash.begin(offset, time.Now())
	}
	if careful {
		p.crash.batchUntil, p.crash.at = batch[len(batch)-1].Offset()+1, time.Now()
	}
	return first || alone || careful
}

// NoteSlow counts this owner as a possible crash at the current record if that takes longer than limit, and reports
// whether the note changed.
func (p *Partition) NoteSlow(limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busySince.IsZero() || time.Since(p.busySince) < limit {
		return false
	}
	return p.crash.begin(p.current, time.Now())
}

// Suspect reports whether an earlier owner ended while it processed the item, and the item may be retried.
func (p *Partition) Suspect(it Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	offset := it.Offset()
	return p.crash.suspect(offset) && !p.crash.exceedsLimit(offset)
}

// ExceedsCrashLimit reports whether so many owners ended at the item that it must not be retried.
func (p *Partition) ExceedsCrashLimit(it Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.exceedsLimit(it.Offset())
}

// CrashCount returns how many earlier owners ended while they processed the item.
func (p *Partition) CrashCount(it Item) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.crashes(it.Offset())
}

// BatchSize returns how many of the first items are handled together.
func (p *Partition) BatchSize(items []Item) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = 1
	for n < len(items) && p.crash.joins(items[0].Offset(), items[n].Offset(), n) {
		n++
	}
	return n
}
