package assignment

import "time"

// SetBatchStart says when the batch in work was begun; zero when there is none.
func (p *Partition) SetBatchStart(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batchSince = t
}

// Begin says that the codec or handler begins with the record.
func (p *Partition) Begin(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current, p.busySince = offset, time.Now(); p.crash.record != offset {
		p.crash.uncount() // the record before it did not end the process
	}
}

// EndWork says that neither the codec nor the handler is running.
func (p *Partition) EndWork() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busySince = time.Time{}
	if p.crash.record != noRecord {
		p.crash.uncount()
		p.opts.OnWatermark()
	}
}

// BatchStart is when the batch in work was begun; zero when there is none.
func (p *Partition) BatchStart() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batchSince
}

// CurrentRecord is the record that the codec or handler works on and since when; zero while they are not running.
func (p *Partition) CurrentRecord() (offset int64, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current, p.busySince
}
