package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confab/internal/retry"
)

// errCircuitOpen means that too many of a partition's last records are poison: an operator must act before more of them go to
// the dead-letter topic.
var errCircuitOpen = errors.New("circuit open")

// circuit counts poison among the last records of a partition and opens when there is too much of it, until the partition is
// assigned again. One goroutine uses it.
type circuit struct {
	id   partitionID
	role *Metrics
	log  *slog.Logger

	limit  int    // of poison records in the window; 0: it never opens
	window []bool // the last records, poison or not; a ring
	seen   int    // records so far
	poison int    // in the window
	next   int64  // offset of the next record; a repeated record is not counted again
	open   bool

	since time.Time // when it opened
}

// newCircuit returns a circuit that opens when more than PoisonShare of PoisonWindow records are poison; never when that is 0.
func newCircuit[T any](o *Options[T], role *Metrics, id partitionID) *circuit {
	c := &circuit{id: id, role: role, log: o.Logger}
	if o.PoisonShare > 0 {
		c.limit, c.window = max(1, int(o.PoisonShare*float64(o.PoisonWindow))), make([]bool, o.PoisonWindow)
	}
	return c
}

// record counts the record at the offset and reports whether the circuit is open, so that the partition must halt.
func (c *circuit) record(offset int64, poison bool) bool {
	if c.limit == 0 || offset < c.next || c.open {
		return c.open
	}
	c.next = offset + 1
	at := &c.window[c.seen%len(c.window)]
	c.seen++
	if *at {
		c.poison--
	}
	if *at = poison; poison {
		c.poison++
	}
	if c.poison > c.limit {
		c.open, c.since = true, time.Now()
		c.role.Circuits.WithLabelValues(c.id.Topic).Inc()
	}
	return c.open
}

// error says why the circuit is open.
func (c *circuit) error() error {
	return fmt.Errorf("%w: %d of the last %d records are poison", errCircuitOpen, c.poison, min(c.seen, len(c.window)))
}

// report logs a halted partition: nothing is committed past the batch in work, and its dead letters stay.
func (c *circuit) report() {
	c.log.Error("partition halted, too many poison records: fix the producer or the schema; to move all poison to the dead-letter "+
		"topic, set kafka.poison_circuit: false and restart",
		slog.String("topic", c.id.Topic), slog.Int("partition", int(c.id.Partition)), slog.Any("error", c.error()))
}

// close removes the partition from the metric of halted partitions, and reports whether it was there.
func (c *circuit) close() (was bool) {
	if was, c.open = c.open, false; was {
		c.role.Circuits.WithLabelValues(c.id.Topic).Dec()
	}
	return was
}

// stayHalted keeps a partition halted of which too many records are poison, until it is given back.
func (p *partition[T]) stayHalted() {
	for {
		p.circuit.report()
		p.SetBatchStart(p.circuit.since)
		if retry.Sleep(p.halting, logEvery) != nil {
			return
		}
	}
}

// reportHalted logs the halted partitions.
func (l *TransactionLoop[T]) reportHalted() {
	for _, p := range l.owned.All() {
		if p.circuit.open {
			p.circuit.report()
		}
	}
}

// closeCircuit removes the partition from those that are halted, and from those that are not fetched.
func (p *partition[T]) closeCircuit() {
	if p.circuit.close() {
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
}
