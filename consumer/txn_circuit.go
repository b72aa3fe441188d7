package consumer

import (
	"fmt"
	"log/slog"
	"time"
)

// haltPartition stops fetching a partition of which too many records are poison.
func (l *TransactionLoop[T]) haltPartition(p *txnPartition[T]) {
	if p.closed == nil {
		p.closed = l.metrics.OpenCircuit(p.ID.Topic)
		p.circuit.Begin(time.Now(), l.opts.PoisonProbe)
	}
	p.Client.PauseFetchPartitions(map[string][]int32{p.ID.Topic: {p.ID.Partition}})
	l.logHalted(p)
}

func (l *TransactionLoop[T]) logHalted(p *txnPartition[T]) {
	if !l.logThrottle.Allow(fmt.Sprintf("halted %s/%d", p.ID.Topic, p.ID.Partition)) {
		return
	}
	next := "never"
	if l.opts.PoisonProbe > 0 {
		next = p.circuit.NextProbe.UTC().Format(time.RFC3339)
	}
	l.opts.Logger.Error("partition halted, too many poison records: fix the producer or the schema; a passed probe "+
		"or a restart resumes it; to move all poison to the dead-letter topic, set kafka.poison_circuit.share: 0 and restart",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
		slog.String("next_probe", next), slog.Any("error", p.circuit.OpenError()))
}

// resumeProbes fetches halted partitions again whose probe is due, and returns how long to poll at most.
func (l *TransactionLoop[T]) resumeProbes() (wait time.Duration) {
	now := time.Now()
	wait = logEvery
	for _, p := range l.owned.All() {
		if !p.circuit.Open || p.circuit.Probing {
			continue
		}
		l.logHalted(p)
		switch left := p.circuit.NextProbe.Sub(now); {
		case l.opts.PoisonProbe == 0:
		case left > 0:
			wait = min(wait, left)
		default:
			p.circuit.BeginProbe(p.seq)
			p.counted = 0
			p.resume()
		}
	}
	return wait
}

// endProbe counts and logs the result of a probe.
func (l *TransactionLoop[T]) endProbe(p *txnPartition[T]) {
	if !p.circuit.Probing {
		return
	}
	result, ended := p.circuit.EndProbe()
	if !ended {
		return
	}
	l.metrics.CountProbe(p.ID.Topic, result)
	if result != probePassed {
		p.circuit.Postpone(time.Now(), l.opts.PoisonProbe)
		l.haltPartition(p)
		return
	}
	p.closeCircuit()
	l.opts.Logger.Info("partition resumed: a probe passed",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)))
}

func (p *txnPartition[T]) resume() {
	p.Client.ResumeFetchPartitions(map[string][]int32{p.ID.Topic: {p.ID.Partition}})
}

// closeCircuit removes the partition from the metric of halted partitions, and from those that are not fetched.
func (p *txnPartition[T]) closeCircuit() {
	if p.closed != nil {
		p.closed()
		p.closed = nil
		p.resume()
	}
}
