package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
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

// breaker counts poison among the last records of a partition and opens when there is too much of it. While open, it
// admits probes of a few records, and closes when a probe has no more than the same share of poison. It is not safe for
// concurrent use.
type breaker struct {
	share   float64
	limit   int    // of poison records in the window; 0: it never opens
	window  []bool // the last records, poison or not; a ring
	seen    int    // records since the window was empty
	poison  int    // in the window
	next    int64  // offset of the next record; a repeated record is not counted again
	open    bool   // or probing
	probing bool
	failed  int // probes since it opened
}

// newBreaker returns a breaker that opens when more than share of window records are poison; never when share is 0.
func newBreaker(share float64, window int) breaker {
	if share <= 0 {
		return breaker{}
	}
	return breaker{limit: max(1, int(share*float64(window))), window: make([]bool, window), share: share}
}

// record counts the record at the offset and reports whether the circuit is open, so that the partition must halt. A probe is
// never interrupted.
func (c *breaker) record(offset int64, poison bool) bool {
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
	if !c.probing {
		c.open = c.poison > c.limit
	}
	return c.open && !c.probing
}

// error says why the circuit is open.
func (c *breaker) error() error {
	return fmt.Errorf("%w: %d of the last %d records are poison", errCircuitOpen, c.poison, min(c.seen, len(c.window)))
}

func (c *breaker) probeSize() int { return min(probeRecords, len(c.window)) }

// remaining is the number of records that are left in the probe.
func (c *breaker) remaining() int { return max(1, c.probeSize()-c.seen) }

// beginProbe admits a few records, from the offset on.
func (c *breaker) beginProbe(offset int64) {
	c.empty()
	c.probing, c.next = true, offset
}

func (c *breaker) empty() {
	clear(c.window)
	c.seen, c.poison = 0, 0
}

// endProbe evaluates a probe; "" while it needs more records. A failed probe opens the circuit again; a passed one closes it
// and empties the window.
func (c *breaker) endProbe() (result string) {
	switch {
	case !c.probing:
		return ""
	case float64(c.poison) > c.share*float64(c.probeSize()):
		c.probing = false
		c.failed++
		return probeFailed
	case c.seen >= c.probeSize():
		c.open, c.probing, c.failed = false, false, 0
		c.empty()
		return probePassed
	}
	return ""
}

// probeWait returns the time to the next probe: first, doubled after each failed probe.
func (c *breaker) probeWait(first time.Duration) time.Duration {
	longest := max(first, longestProbeWait)
	if shift := c.failed; shift < 32 && first<<shift < longest && first<<shift > 0 {
		return first << shift
	}
	return longest
}

// circuit is the breaker of a partition, with its metrics and log.
type circuit struct {
	breaker

	id        partitionID
	firstWait time.Duration // 0: there are no probes
	role      *Metrics
	log       *slog.Logger
	throttle  Throttle[partitionID]
	halted    bool      // counted as a halted partition
	since     time.Time // when it opened
	nextProbe time.Time
}

func newCircuit[T any](o *Options[T], role *Metrics, id partitionID) *circuit {
	return &circuit{
		breaker: newBreaker(o.PoisonShare, o.PoisonWindow), id: id, firstWait: o.PoisonProbe, role: role, log: o.Logger,
		throttle: Throttle[partitionID]{Every: logEvery},
	}
}

// halt counts and logs a halted partition: nothing is committed past the batch in work, and its dead letters stay.
func (c *circuit) halt() {
	if !c.halted {
		c.halted, c.since = true, time.Now()
		c.nextProbe = c.since.Add(c.probeWait(c.firstWait))
		c.role.Circuits.WithLabelValues(c.id.Topic).Inc()
	}
	if !c.throttle.Allow(c.id) {
		return
	}
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

// finishProbe counts and logs the result of a probe; "" if there is none yet.
func (c *circuit) finishProbe() (result string) {
	result = c.endProbe()
	if result != "" {
		c.role.Probes.WithLabelValues(c.id.Topic, result).Inc()
	}
	switch result {
	case probeFailed:
		c.nextProbe = time.Now().Add(c.probeWait(c.firstWait))
	case probePassed:
		c.close()
		c.log.Info("partition resumed: a probe passed", slog.String("topic", c.id.Topic), slog.Int("partition", int(c.id.Partition)))
	}
	return result
}

// close removes the partition from the metric of halted partitions, and reports whether it was there.
func (c *circuit) close() (was bool) {
	if was = c.halted; was {
		c.halted = false
		c.role.Circuits.WithLabelValues(c.id.Topic).Dec()
	}
	return was
}
