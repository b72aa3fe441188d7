package assignment

import "time"

// TakeOver reads what the last owner left and reports whether it ended without giving the partition back.
func (p *Partition) TakeOver(metadata string) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = p.crash.load(metadata, time.Now())
	return p.ended
}

// BeCareful makes the records from at to next, at most CarefulRecords, batches of their own when the last owner ended.
func (p *Partition) BeCareful(at, next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended && !p.opts.Waits {
		p.crash.carefulUntil = max(p.crash.carefulUntil, min(at+CarefulRecords, next))
	}
}

// Note takes down that the item is about to be in work and reports whether the next owner has to know it.
func (p *Partition) Note(it Item) bool {
	offset, epoch := it.place()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker.begin(offset, epoch)
	first, alone := !p.crash.open, p.crash.alone(offset)
	if first {
		p.crash.open, p.crash.at = true, time.Now()
	}
	if alone && !p.opts.Waits && !p.crash.condemned(offset) {
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
	return p.crash.suspect(offset) && !p.crash.condemned(offset)
}

// Condemned reports whether so many owners ended at the item that it is not to be worked on again.
func (p *Partition) Condemned(it Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.condemned(it.Offset())
}

// Deaths is how many earlier owners ended while they worked on the item.
func (p *Partition) Deaths(it Item) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.earlier(it.Offset())
}
