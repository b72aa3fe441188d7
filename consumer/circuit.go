package consumer

import (
	"log/slog"
	"time"
)

// work processes items: as one batch, or in probes while the circuit is open. It returns false when the partition was
// halted first.
func (p *partition[T]) work(items []queueItem) bool {
	c := &p.circuit
	for len(items) > 0 && c.Open {
		if !c.Probing {
			if !p.awaitProbe() {
				return false
			}
			c.BeginProbe(items[0].Seq)
		}
		n := min(len(items), c.Remaining)
		if !p.process(items[:n]) {
			return false
		}
		items = items[n:]
		if result, ended := c.EndProbe(); ended {
			p.endProbe(result)
		}
	}
	return len(items) == 0 || p.process(items)
}

// awaitProbe waits until the next probe is due; false when the partition was halted first. Nothing is committed past the
// batch in work; its dead letters stay in the topic.
func (p *partition[T]) awaitProbe() bool {
	c := &p.circuit
	if p.closed == nil {
		p.closed = p.loop.metrics.OpenCircuit(p.ID.Topic)
		c.Begin(time.Now(), p.loop.opts.PoisonProbe)
	}
	p.SetBatchStart(c.Since)
	var due <-chan time.Time // never
	next := "never"
	if p.loop.opts.PoisonProbe > 0 {
		t := time.NewTimer(time.Until(c.NextProbe))
		defer t.Stop()
		due, next = t.C, c.NextProbe.UTC().Format(time.RFC3339)
	}
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		p.loop.opts.Logger.Error("partition halted, too many poison records: fix the producer or the schema; a passed probe "+
			"or a restart resumes it; to move all poison to the dead-letter topic, set kafka.poison_circuit.share: 0 and restart",
			slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)),
			slog.String("next_probe", next), slog.Any("error", c.OpenError()))
		select {
		case <-due:
			return true
		case <-tick.C:
		case <-p.Stop:
			return false
		}
	}
}

// endProbe counts and logs the result of a probe.
func (p *partition[T]) endProbe(result string) {
	p.loop.metrics.CountProbe(p.ID.Topic, result)
	if result != probePassed {
		p.circuit.Postpone(time.Now(), p.loop.opts.PoisonProbe)
		return
	}
	p.closeCircuit()
	p.loop.opts.Logger.Info("partition resumed: a probe passed",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)))
}

// closeCircuit removes the partition from the metric of halted partitions.
func (p *partition[T]) closeCircuit() {
	if p.closed != nil {
		p.closed()
		p.closed = nil
	}
}
