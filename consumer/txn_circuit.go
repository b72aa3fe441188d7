package consumer

import "time"

// haltPartition stops fetching a partition of which too many records are poison.
func (p *txnPartition[T]) haltPartition() {
	p.circuit.halt()
	p.Client.PauseFetchPartitions(p.ID.asMap())
}

// resumeProbes fetches halted partitions again whose probe is due, and returns how long to poll at most.
func (l *TransactionLoop[T]) resumeProbes() (wait time.Duration) {
	wait = logEvery
	for _, p := range l.owned.All() {
		if !p.circuit.open || p.circuit.probing {
			continue
		}
		p.circuit.halt()
		left, due := p.circuit.untilProbe()
		if due {
			p.circuit.beginProbe(0)
			p.Client.ResumeFetchPartitions(p.ID.asMap())
			continue
		}
		wait = min(wait, left)
	}
	return wait
}

// endProbe halts the partition again after a probe that failed.
func (p *txnPartition[T]) endProbe() {
	if p.circuit.finishProbe() == probeFailed {
		p.haltPartition()
	}
}

// closeCircuit removes the partition from those that are halted, and from those that are not fetched.
func (p *txnPartition[T]) closeCircuit() {
	if p.circuit.close() {
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
}
