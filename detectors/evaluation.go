package detectors

import (
	"context"
	"errors"

	"confab/internal/redact"
	"confab/schemas"
)

// Evaluation is the outcome of all rules on one interaction. It is pooled: after Release nothing that its methods returned
// may be used, except flags.
type Evaluation struct {
	suite    *Suite
	doc      Document
	readings []Reading
	fired    []string
	ended    string // see Ended

	texts  redact.Writer // of the flag
	quoted []string      // scratch of newRedactionMask
}

// Reading is the outcome of one rule, before it is copied into a flag as a signal.
type Reading struct {
	Detector  string
	Outcome   schemas.Outcome
	Score     float64
	Threshold float64
	Reason    string  // of a signal that fired or could not be measured; a clear one has none
	Finding   Finding // empty if the detector did not run or failed

	entry *Entry
	err   error
	ended bool // the work ended before the rule was finished

	notAsked bool // a language model was not asked: its budget is spent, or the tenant opted out
}

func (e *Evaluation) reset(s *Suite, in *schemas.Interaction) {
	e.suite = s
	if s != nil {
		e.doc.SetLimits(s.limitsOf(in.Tenant))
	}
	e.doc.Reset(in)
	clear(e.readings)
	e.ended = ""
	e.readings, e.fired = e.readings[:0], e.fired[:0]
}

// add adds an empty reading of the rule, valid until the next one is added.
func (e *Evaluation) add(r *rule) *Reading {
	e.readings = append(e.readings, Reading{Detector: r.entry.Name, entry: &r.entry})
	return &e.readings[len(e.readings)-1]
}

// complete counts the reading when its outcome is set.
func (e *Evaluation) complete(ctx context.Context, r *Reading, m *ruleMetrics) {
	m.runs[r.Outcome].Inc()
	switch why := e.doc.work.Ended(); {
	case r.Outcome == schemas.Fired:
		e.fired = append(e.fired, r.Detector)
	case why != "" && r.Outcome == schemas.Skipped && ctx.Err() == nil:
		m.skipped[why].Inc()
		e.ended, r.ended = why, true
	}
}

func (r *Reading) set(o schemas.Outcome, reason string) { r.Outcome, r.Reason = o, reason }

// fail sets the outcome of a detector that returned an error.
func (r *Reading) fail(err error) {
	if why, ok := errors.AsType[schemas.NotJudged](err); ok && why.Skips() {
		r.set(schemas.Skipped, why.Error())
		r.notAsked = true
		return
	}
	r.Outcome, r.err = schemas.Failed, err
}

// Release returns the evaluation to its suite and drops the reference to the interaction.
func (e *Evaluation) Release() {
	s := e.suite
	if s == nil {
		return
	}
	e.reset(nil, nil)
	s.pool.Put(e)
}

// Interaction is the evaluated interaction.
func (e *Evaluation) Interaction() *schemas.Interaction { return e.doc.in }

// Readings are the outcomes of the rules, in the suite's order.
func (e *Evaluation) Readings() []Reading { return e.readings }

// AnyFired reports whether at least one rule fired.
func (e *Evaluation) AnyFired() bool { return len(e.fired) > 0 }

// NeedsFlag reports whether the flag is to be written although quiet ones are not: a rule fired, or a detector failed or ran out
// of work or time, so that the answer is not known to be right.
func (e *Evaluation) NeedsFlag() bool {
	if e.AnyFired() || e.ended != "" {
		return true
	}
	for i := range e.readings {
		if e.readings[i].Outcome == schemas.Failed {
			return true
		}
	}
	return false
}

// Ended is the reason why rules were cut short: [ReasonBudget] or [ReasonDeadline]; "" if none was. The end of the context
// does not count.
func (e *Evaluation) Ended() string { return e.ended }

// Unfinished reports whether a rule was skipped because the work ended. It distinguishes [ReasonBudget] from
// [schemas.BudgetSpent], a rule's own error with the same text.
func (e *Evaluation) Unfinished(detector string) bool {
	for i := range e.readings {
		if e.readings[i].Detector == detector {
			return e.readings[i].ended
		}
	}
	return false
}

// Fired names the detectors whose rules fired, in the suite's order.
func (e *Evaluation) Fired() []string { return e.fired }

// Work is the number of units that the rules have charged; see [Work].
func (e *Evaluation) Work() int64 { return e.doc.work.Spent() }

// Truncated reports whether a cap left part of the interaction unmeasured.
func (e *Evaluation) Truncated() bool {
	for i := range e.readings {
		if e.readings[i].Finding.Truncated {
			return true
		}
	}
	return e.doc.Truncated()
}
