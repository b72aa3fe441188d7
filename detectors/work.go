package detectors

import (
	"time"
)

// Work counts what an evaluation costs and ends it when that is too much. Detectors charge it in every loop whose length
// a producer chooses, and stop as soon as it refuses.
//
// Counted work decides, so that a verdict does not depend on the load of the machine. The wall clock and the end of the
// context are a backstop: they are looked at every pollEvery units. Once work has ended it stays so until the next
// evaluation. The zero value counts and never ends. It belongs to one goroutine.
type Work struct {
	spent, limit int64 // limit 0: none
	poll         int64 // units spent at which limit, clock and context are looked at next
	now          func() time.Time
	deadline     time.Time       // zero: none
	done         <-chan struct{} // closed when the evaluation is to end; nil: never
	ended        string          // the reason why work has ended; "" while it goes on
}

// A unit of work takes about 10 ns of one core.
const (
	// MaxWork is what the detectors may spend on one interaction: about 200 ms.
	MaxWork = 20_000_000
	// pollEvery is how much is spent between two looks at the clock: about 0.1 ms.
	pollEvery = 10_000
)

// workLimits end an evaluation's work.
type workLimits struct {
	units    int64            // 0: no limit
	duration time.Duration    // by now; 0: no limit
	now      func() time.Time // required with duration
	done     <-chan struct{}  // may be nil
}

// start begins to count against the limits. What was spent before counts.
func (w *Work) start(l workLimits) {
	*w = Work{spent: w.spent, limit: l.units, now: l.now, done: l.done}
	if l.duration > 0 {
		w.deadline = l.now().Add(l.duration)
	}
}

// Spend charges n units and reports whether to go on. After it has returned false the detector returns at once: whatever
// it returns is replaced by a signal that is skipped.
func (w *Work) Spend(n int) bool {
	w.spent += int64(n)
	return w.spent < w.poll || w.check()
}

// Spent is the number of units that were charged so far.
func (w *Work) Spent() int64 { return w.spent }

// Ended is the reason why work has ended, [ReasonBudget] or [ReasonDeadline]; "" while it goes on.
func (w *Work) Ended() string { return w.ended }

// check looks at what can end the work and reports whether it goes on.
func (w *Work) check() bool {
	if w.ended != "" {
		return false
	}
	if w.limit > 0 && w.spent >= w.limit {
		return w.end(ReasonBudget)
	}
	select {
	case <-w.done:
		return w.end(ReasonDeadline)
	default:
	}
	if !w.deadline.IsZero() && !w.now().Before(w.deadline) {
		return w.end(ReasonDeadline)
	}
	w.poll = w.spent + pollEvery
	if w.limit > 0 {
		w.poll = min(w.poll, w.limit)
	}
	return true
}

// end ends the work for good: every later charge is refused.
func (w *Work) end(reason string) bool {
	w.ended, w.poll = reason, 0
	return false
}

// What the steps of an evaluation cost, in units of [Work]: measured on the texts that are worst for the step
// (BenchmarkWork), so that a unit is 10 ns within a factor of about two.

// Bytes a unit.
const (
	paddingBytes  = 2
	sentenceBytes = 1
	tokenBytes    = 1
	claimBytes    = 4
)

// Units a step.
const (
	englishTokens = 4   // tokens a unit whose language is read
	scriptCost    = 100 // of the script of one text
)

// What detectors charge in common, per unit.
const (
	SearchBytes = 64 // bytes of a search for a string
	ScanRows    = 8  // tokens or rows that are only looked at
)
