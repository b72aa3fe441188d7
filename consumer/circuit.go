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

const (
	// probeRecords is the number of records of one probe.
	probeRecords = 20
	// longestProbeWait bounds the time between two probes, unless the first wait is longer.
	longestProbeWait = time.Hour
)

// The results of a probe, as metric labels.
const (
	probePassed = "passed"
	probeFailed = "failed"
)

// circuit counts poison among the last records of a partition and opens when there is too much of it. While open, it
// admits probes of a few records, and closes when a probe has no more than the same share of poison. One goroutine uses it.
type circuit struct {
	id        partitionID
	share     float64
	firstWait time.Duration // 0: there are no probes
	role      *Metrics
	log       *slog.Logger

	limit   int    // of poison records in the window; 0: it never opens
	window  []bool // the last records, poison or not; a ring
	seen    int    // records since the window was empty
	poison  int    // in the window
	next    int64  // offset of the next record; a repeated record is not counted again
	open    bool   // or probing
	probing bool
	failed  int // probes since it opened

	since, nextProbe, logged time.Time // since is when it opened
}

// newCircuit returns a circuit that opens when more than PoisonShare of PoisonWindow records are poison; never when that is 0.
func newCircuit[T any](o *Options[T], role *Metrics, id partitionID) *circuit {
	c := &circuit{id: id, share: o.PoisonShare, firstWait: o.PoisonProbe, role: role, log: o.Logger}
	if c.share > 0 {
		c.limit, c.window = max(1, int(c.share*float64(o.PoisonWindow))), make([]bool, o.PoisonWindow)
	}
	return c
}

// record counts the record at the offset and reports whether the circuit is open, so that the partition must halt. A probe is
// never interrupted.
func (c *circuit) record(offset int64, poison bool) bool {
	if c.limit == 0 || offset < c.next || c.open && !c.probing {
		return c.open && !c.probing
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
	if !c.probing && c.poison > c.limit {
		c.open, c.since = true, time.Now()
		c.nextProbe = c.since.Add(c.probeWait())
		c.role.Circuits.WithLabelValues(c.id.Topic).Inc()
	}
	return c.open && !c.probing
}

// error says why the circuit is open.
func (c *circuit) error() error {
	return fmt.Errorf("%w: %d of the last %d records are poison", errCircuitOpen, c.poison, min(c.seen, len(c.window)))
}

func (c *circuit) probeSize() int { return min(probeRecords, len(c.window)) }

// remaining is the number of records that are left in the probe.
func (c *circuit) remaining() int { return max(1, c.probeSize()-c.seen) }

// beginProbe admits a few records, from the offset on.
func (c *circuit) beginProbe(offset int64) {
	c.empty()
	c.probing, c.next = true, offset
}

func (c *circuit) empty() {
	clear(c.window)
	c.seen, c.poison = 0, 0
}

// probeWait returns the time to the next probe: firstWait, doubled after each failed probe.
func (c *circuit) probeWait() time.Duration {
	return retry.Backoff{Initial: c.firstWait, Max: max(c.firstWait, longestProbeWait)}.Limit(c.failed)
}

// report logs a halted partition once a minute: nothing is committed past the batch in work, and its dead letters stay.
func (c *circuit) report() {
	if time.Since(c.logged) < logEvery {
		return
	}
	c.logged = time.Now()
	next := "never"
	if c.firstWait > 0 {
		next = c.nextProbe.UTC().Format(time.RFC3339)
	}
	c.log.Error("partition halted, too many poison records: fix the producer or the schema; a passed probe "+
		"or a restart resumes it; to move all poison to the dead-letter topic, set kafka.poison_circuit: false and restart",
		slog.String("topic", c.id.Topic), slog.Int("partition", int(c.id.Partition)),
		slog.String("next_probe", next), slog.Any("error", c.error()))
}

// untilProbe is the time to the next probe, or to the next line of the log.
func (c *circuit) untilProbe() (wait time.Duration, probe bool) {
	if c.firstWait == 0 {
		return logEvery, false
	}
	wait = time.Until(c.nextProbe)
	return min(wait, logEvery), wait <= 0
}

// finishProbe evaluates a probe, counts and logs its result; "" while it needs more records. A failed probe opens the circuit again; a
// passed one closes it and empties the window.
func (c *circuit) finishProbe() (result string) {
	switch {
	case !c.probing:
		return ""
	case float64(c.poison) > c.share*float64(c.probeSize()):
		result, c.probing = probeFailed, false
		c.failed++
		c.nextProbe = time.Now().Add(c.probeWait())
	case c.seen >= c.probeSize():
		result, c.probing, c.failed = probePassed, false, 0
		c.empty()
		c.close()
		c.log.Info("partition resumed: a probe passed", slog.String("topic", c.id.Topic), slog.Int("partition", int(c.id.Partition)))
	default:
		return ""
	}
	c.role.Probes.WithLabelValues(c.id.Topic, result).Inc()
	return result
}

// close removes the partition from the metric of halted partitions, and reports whether it was there.
func (c *circuit) close() (was bool) {
	if was, c.open = c.open, false; was {
		c.role.Circuits.WithLabelValues(c.id.Topic).Dec()
	}
	return was
}

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
		p.circuit.report()
		p.SetBatchStart(p.circuit.since)
		wait, due := p.circuit.untilProbe()
		if due {
			return true
		}
		if retry.Sleep(p.halting, wait) != nil {
			return false
		}
	}
}

// haltPartition stops fetching a partition of which too many records are poison.
func (p *partition[T]) haltPartition() {
	p.circuit.report()
	p.Client.PauseFetchPartitions(p.ID.asMap())
}

// resumeProbes fetches halted partitions again whose probe is due, and returns how long to poll at most.
func (l *TransactionLoop[T]) resumeProbes() (wait time.Duration) {
	wait = logEvery
	for _, p := range l.owned.All() {
		if !p.circuit.open || p.circuit.probing {
			continue
		}
		p.circuit.report()
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
func (p *partition[T]) endProbe() {
	if p.circuit.finishProbe() == probeFailed {
		p.haltPartition()
	}
}

// closeCircuit removes the partition from those that are halted, and from those that are not fetched.
func (p *partition[T]) closeCircuit() {
	if p.circuit.close() {
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
}
