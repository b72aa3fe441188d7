package assignment

import "time"

// SetHead says when the batch in work was begun; zero when there is none.
func (p *Partition) SetHead(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.headSince = t
}

// Begin says that the codec or handler begins with the record.
func (p *Partition) Begin(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current, p.busySince = offset, time.Now(); p.crash.record != offset {
		p.crash.undo() // the record before it did not end the process
	}
}

// Rest says that neither the codec nor the handler is running.
func (p *Partition) Rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busySince = time.Time{}
	if p.crash.record != noRecord {
		p.crash.undo()
		p.opts.Moved()
	}
}

// Head is when the batch in work was begun; zero when there is none.
func (p *Partition) Head() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.headSince
}

// InWork is the record that the codec or handler works on and since when; zero while they are not running.
func (p *Partition) InWork() (offset int64, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current, p.busySince
}
