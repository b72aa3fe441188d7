package consumer

import (
	"errors"
	"fmt"
	"time"
)

// errPoisonStorm says that so much of a partition is poison that somebody has to look before more of it is drained into
// the dead-letter topic.
var errPoisonStorm = errors.New("poison storm")

const (
	// probeRecords is how many records one probe of a halted partition works on.
	probeRecords = 20
	// longestProbeWait bounds the time between two probes, unless the first wait is longer already.
	longestProbeWait = time.Hour
)

// The results of a probe, as the metric has them.
const (
	probePassed = "passed"
	probeFailed = "failed"
)

// circuit looks at the last records of a partition and opens when too many of them are poison. Open, it lets a probe of
// a few records through after a while, and closes when no more than the same share of them is poison.
type circuit struct {
	limit  int    // of poison records in the window; 0: it never opens
	window []bool // the last records, poison or not; a ring
	poison int    // in the window
	next   uint64 // sequence number of the next record: one that comes again is not counted again
	open   bool   // or half-open

	share   float64
	since   time.Time // when it opened
	due     time.Time // when the next probe is due
	failed  int       // probes since then
	probing bool      // half-open
	left    int       // records that the probe still takes
	bad     int       // poison records of the probe
}

// newCircuit makes a circuit that opens when more than share of window records are poison; never when share is 0.
func newCircuit(share float64, window int) circuit {
	if share <= 0 {
		return circuit{}
	}
	return circuit{limit: max(1, int(share*float64(window))), window: make([]bool, window), share: share}
}

// note takes in what became of the record with that sequence number and reports whether the circuit opens or is open,
// so that the partition is to halt. A probe is never interrupted.
func (c *circuit) note(seq uint64, poison bool) bool {
	if c.limit == 0 || seq < c.next {
		return c.open && !c.probing
	}
	if c.probing {
		c.next = seq + 1
		c.left--
		if poison {
			c.bad++
		}
		return false
	}
	if c.open {
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
	c.open = c.poison > c.limit
	return c.open
}

// storm describes why the circuit is open.
func (c *circuit) storm() error {
	if c.failed > 0 {
		return fmt.Errorf("%w: %d of %d probed records are poison", errPoisonStorm, c.bad, c.probeSize()-c.left)
	}
	return fmt.Errorf("%w: %d of the last %d records are poison", errPoisonStorm, c.poison, len(c.window))
}

func (c *circuit) probeSize() int { return min(probeRecords, len(c.window)) }

// beginProbe makes the circuit half-open. The records from seq on are counted anew.
func (c *circuit) beginProbe(seq uint64) {
	c.probing, c.left, c.bad, c.next = true, c.probeSize(), 0, seq
}

// endProbe decides about a probe whose records so far are done; ended is false while it takes more of them. One that
// fails opens the circuit again; one that passes closes it and empties the window.
func (c *circuit) endProbe() (result string, ended bool) {
	switch {
	case float64(c.bad) > c.share*float64(c.probeSize()):
		c.probing = false
		c.failed++
		return probeFailed, true
	case c.left == 0:
		clear(c.window)
		c.open, c.probing, c.poison, c.failed = false, false, 0, 0
		return probePassed, true
	}
	return "", false
}

// begin says since when the circuit is open and plans the first probe.
func (c *circuit) begin(now time.Time, first time.Duration) {
	c.since = now
	c.postpone(now, first)
}

// postpone plans the next probe.
func (c *circuit) postpone(now time.Time, first time.Duration) { c.due = now.Add(c.wait(first)) }

// wait is the time until the next probe when the first is to be after the given time.
func (c *circuit) wait(first time.Duration) time.Duration {
	longest := max(first, longestProbeWait)
	if shift := c.failed; shift < 32 && first<<shift < longest && first<<shift > 0 {
		return first << shift
	}
	return longest
}
