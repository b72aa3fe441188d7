package consumer

import (
	"log/slog"
	"time"

	"confab/consumer/assignment"
	"confab/consumer/circuit"
)

// work works on items, as a whole or, while the circuit is open, in probes. It reports whether the partition goes on:
// false when it was halted in between.
func (p *partition[T]) work(items []assignment.Item) bool {
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

// awaitProbe waits until it is time for a probe; false when the partition was halted first. The batch in work stays
// undone: what its dead letters say is still in the topic, and nothing is committed past it.
func (p *partition[T]) awaitProbe() bool {
	c := &p.circuit
	if p.closed == nil {
		p.closed = p.loop.metrics.circuitOpened(p.ID.Topic)
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
		p.loop.opts.Logger.Error("partition halted: most of its records are poison; put the producer or the schema right: "+
			"a later probe of a few records, or a restart, lets it go on; where they are to be drained into the dead-letter "+
			"topic, set kafka.poison_circuit.share: 0 and restart",
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

// endProbe counts and logs the end of a probe.
func (p *partition[T]) endProbe(result string) {
	p.loop.metrics.probed(p.ID.Topic, result)
	if result != circuit.ProbePassed {
		p.circuit.Postpone(time.Now(), p.loop.opts.PoisonProbe)
		return
	}
	p.closeCircuit()
	p.loop.opts.Logger.Info("partition goes on: a probe found that most of its records are no longer poison",
		slog.String("topic", p.ID.Topic), slog.Int("partition", int(p.ID.Partition)))
}

// closeCircuit takes the partition out of the metric of halted ones.
func (p *partition[T]) closeCircuit() {
	if p.closed != nil {
		p.closed()
		p.closed = nil
	}
}
