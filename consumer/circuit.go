package consumer

import "time"

// work processes items: as one batch, or in probes while the circuit is open. It returns false when the partition was
// halted first.
func (p *partition[T]) work(items []queueItem) bool {
	c := p.circuit
	for len(items) > 0 && c.open {
		if !c.probing {
			if !p.awaitProbe() {
				return false
			}
			c.beginProbe(items[0].Offset())
		}
		n := min(len(items), c.remaining())
		if !p.process(items[:n]) {
			return false
		}
		items = items[n:]
		c.finishProbe()
	}
	return len(items) == 0 || p.process(items)
}

// awaitProbe waits until the next probe is due; false when the partition was halted first.
func (p *partition[T]) awaitProbe() bool {
	for {
		p.circuit.halt()
		p.SetBatchStart(p.circuit.since)
		wait, due := p.circuit.untilProbe()
		if due {
			return true
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-p.Stop:
			t.Stop()
			return false
		}
	}
}
