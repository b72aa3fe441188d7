package detectors

import "time"

// Work counts the cost of an evaluation and ends it at a limit. Detectors charge it in every loop whose length depends on
// the input, and stop as soon as Spend returns false.
//
// The limit is counted work, so that a verdict does not depend on the load of the machine. Clock and context are checked
// every pollEvery units as a second limit. Ended work stays ended until the next evaluation. The zero value has no limit.
// It is not safe for concurrent use.
type Work struct {
	spent, limit int64 // limit 0: none
	poll         int64 // units spent at which limit, clock and context are checked next
	now          func() time.Time
	deadline     time.Time       // zero: none
	done         <-chan struct{} // closed to end the evaluation; may be nil
	ended        string          // see Ended
}

// A unit of work takes about 10 ns of one core.
const (
	// MaxWork is what the detectors may spend on one interaction: about 200 ms.
	MaxWork = 20_000_000
	// pollEvery is the number of units between two checks of the clock: about 0.1 ms.
	pollEvery = 10_000
)

// Spend charges n units and reports whether to go on. If it returns false, the detector must return at once; its finding is
// replaced by a skipped signal.
func (w *Work) Spend(n int) bool {
	w.spent += int64(n)
	return w.spent < w.poll || w.check()
}

// Spent is the number of units charged so far.
func (w *Work) Spent() int64 { return w.spent }

// Ended is the reason why the work has ended, [ReasonBudget] or [ReasonDeadline]; "" if it has not.
func (w *Work) Ended() string { return w.ended }

// check applies the limits and reports whether to go on.
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

// end makes every later charge return false.
func (w *Work) end(reason string) bool {
	w.ended, w.poll = reason, 0
	return false
}

// Costs of preparing a document were measured on the worst texts for each step (BenchmarkWork): a unit is 10 ns within a
// factor of about two.

// Bytes per unit.
const (
	paddingBytes  = 2
	sentenceBytes = 1
	tokenBytes    = 1
	claimBytes    = 4
	plainBytes    = 1024 // searched for markup
	markupBytes   = 64   // of a text with markup
	proseBytes    = 4    // of a text with code blocks
	tagCost       = 8    // of a possible tag
)

const (
	languageTokens = 4   // tokens per unit when the language is detected
	scriptCost     = 100 // units for the script of one text
)

// Common costs of detectors, per unit.
const (
	SearchBytes = 64 // bytes of a search for a string
	ScanRows    = 8  // tokens or rows of a scan
)
