package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// errPoisonStorm says that so much of a partition is poison that somebody has to look before more of it is drained into
// the dead-letter topic.
var errPoisonStorm = errors.New("poison storm")

// circuit looks at the last records of a partition and opens when too many of them are poison. Once open it stays so.
type circuit struct {
	limit  int    // of poison records in the window; 0: it never opens
	window []bool // the last records, poison or not; a ring
	poison int    // in the window
	next   uint64 // sequence number of the next record: one that comes again is not counted again
	open   bool
}

// newCircuit makes a circuit that opens when more than share of window records are poison; never when share is 0.
func newCircuit(share float64, window int) circuit {
	if share <= 0 {
		return circuit{}
	}
	return circuit{limit: max(1, int(share*float64(window))), window: make([]bool, window)}
}

// note takes in what became of the record with that sequence number and reports whether the circuit is open.
func (c *circuit) note(seq uint64, poison bool) bool {
	if c.limit == 0 || c.open || seq < c.next {
		return c.open
	}
	c.next = seq + 1
	at := &c.window[seq%uint64(len(c.window))]
	if *at {
		c.poison--
	}
	if *at = poison; poison {
		c.poison++
	}
	c.open = c.poison > c.limit
	return c.open
}

// storm describes why the circuit is open.
func (c *circuit) storm() error {
	return fmt.Errorf("%w: %d of the last %d records are poison", errPoisonStorm, c.poison, len(c.window))
}

// awaitHelp waits until the partition is halted. The batch in work stays undone: what its dead letters say is still in
// the topic, nothing is committed past it, and a restart begins with it.
func (p *partition[T]) awaitHelp(storm error) {
	defer p.loop.metrics.circuitOpened(p.id.topic)()
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		p.loop.opts.Logger.Error("partition halted: most of its records are poison; put the producer or the schema "+
			"right and restart, or, where they are to be drained into the dead-letter topic, "+
			"set kafka.poison_circuit.share: 0 and restart",
			slog.String("topic", p.id.topic), slog.Int("partition", int(p.id.partition)), slog.Any("error", storm))
		select {
		case <-tick.C:
		case <-p.stop:
			return
		}
	}
}
