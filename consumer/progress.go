package consumer

import "time"

// SetBatchStart records the start of the batch in work; zero ends it.
func (p *assignment) SetBatchStart(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batchSince = t
}

// Begin records that the codec or handler starts with the record.
func (p *assignment) Begin(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current, p.busySince = offset, time.Now(); p.crash.record != offset {
		p.crash.uncount() // the record before it did not end the process
	}
}

// EndWork records that neither the codec nor the handler is running.
func (p *assignment) EndWork() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busySince = time.Time{}
	if p.crash.record != noRecord {
		p.crash.uncount()
		p.opts.OnWatermark()
	}
}

// BatchStart returns the start of the batch in work; zero when there is none.
func (p *assignment) BatchStart() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batchSince
}

// CurrentRecord returns the record in the codec or handler and its start; zero when neither runs.
func (p *assignment) CurrentRecord() (offset int64, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current, p.busySince
}
