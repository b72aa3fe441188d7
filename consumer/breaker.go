package consumer

import (
	"errors"
	"fmt"
	"time"
)

// ErrOpen means that too many of a partition's last records are poison: an operator must act before more of them go to
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

// Breaker counts poison among the last records of a partition and opens when there is too much of it. While open, it
// admits probes of a few records, and closes when a probe has no more than the same share of poison.
type breaker struct {
	limit  int    // of poison records in the window; 0: it never opens
	window []bool // the last records, poison or not; a ring
	poison int    // in the window
	next   uint64 // sequence number of the next record; a repeated record is not counted again
	Open   bool   // or half-open

	share        float64
	Since        time.Time // when it opened
	NextProbe    time.Time // time of the next probe
	failedProbes int       // failed probes since then
	Probing      bool      // half-open
	Remaining    int       // records left in the probe
	probePoison  int       // poison records of the probe
}

// New returns a breaker that opens when more than share of window records are poison; never when share is 0.
func newBreaker(share float64, window int) breaker {
	if share <= 0 {
		return breaker{}
	}
	return breaker{limit: max(1, int(share*float64(window))), window: make([]bool, window), share: share}
}

// Record counts the record with that sequence number and reports whether the circuit is open, so that the partition must
// halt. A probe is never interrupted.
func (c *breaker) Record(seq uint64, poison bool) bool {
	if c.limit == 0 || seq < c.next {
		return c.Open && !c.Probing
	}
	if c.Probing {
		c.next = seq + 1
		c.Remaining--
		if poison {
			c.probePoison++
		}
		return false
	}
	if c.Open {
		return true
	}
	c.next = seq + 1
	at := &c.window[seq%uint64(len(c.window))]
	if *at {
		c.poison--
	}
	if *at = poison; poison {
		c.poison++
	}
	c.Open = c.poison > c.limit
	return c.Open
}

// OpenError says why the circuit is open.
func (c *breaker) OpenError() error {
	if c.failedProbes > 0 {
		return fmt.Errorf("%w: %d of %d probed records are poison", errCircuitOpen, c.probePoison, c.probeSize()-c.Remaining)
	}
	return fmt.Errorf("%w: %d of the last %d records are poison", errCircuitOpen, c.poison, len(c.window))
}

func (c *breaker) probeSize() int { return min(probeRecords, len(c.window)) }

// BeginProbe makes the circuit half-open. Records from seq on are counted again.
func (c *breaker) BeginProbe(seq uint64) {
	c.Probing, c.Remaining, c.probePoison, c.next = true, c.probeSize(), 0, seq
}

// EndProbe evaluates the probe; ended is false while it needs more records. A failed probe opens the circuit again; a
// passed one closes it and empties the window.
func (c *breaker) EndProbe() (result string, ended bool) {
	switch {
	case float64(c.probePoison) > c.share*float64(c.probeSize()):
		c.Probing = false
		c.failedProbes++
		return probeFailed, true
	case c.Remaining == 0:
		clear(c.window)
		c.Open, c.Probing, c.poison, c.failedProbes = false, false, 0, 0
		return probePassed, true
	}
	return "", false
}

// Begin records when the circuit opened and schedules the first probe.
func (c *breaker) Begin(now time.Time, first time.Duration) {
	c.Since = now
	c.Postpone(now, first)
}

// Postpone schedules the next probe.
func (c *breaker) Postpone(now time.Time, first time.Duration) {
	c.NextProbe = now.Add(c.probeWait(first))
}

// probeWait returns the time to the next probe: first, doubled after each failed probe.
func (c *breaker) probeWait(first time.Duration) time.Duration {
	longest := max(first, longestProbeWait)
	if shift := c.failedProbes; shift < 32 && first<<shift < longest && first<<shift > 0 {
		return first << shift
	}
	return longest
}
