package detectors

import (
	"confab/schemas"
)

// Evaluation is the outcome of all rules on one interaction. It is pooled: Release gives it back, and nothing that its
// methods returned may be used afterwards, flags excepted.
type Evaluation struct {
	suite    *Suite
	doc      Document
	readings []Reading
	fired    []string
	mask     *redactionMask // over what the flag quotes
	ended    string         // why rules were skipped; see Ended
}

// Reading is what became of one rule: a signal before it is copied into a flag.
type Reading struct {
	Detector  string
	Outcome   schemas.Outcome
	Score     float64
	Threshold float64
	Reason    string
	Finding   Finding // empty where the detector did not run or failed

	entry *Entry
	err   error // what failed
	ended bool  // the work ended before the rule was through
}

func (e *Evaluation) reset(s *Suite, in *schemas.Interaction) {
	e.suite = s
	e.doc.Reset(in)
	clear(e.readings)
	e.mask, e.ended = nil, ""
	e.readings, e.fired = e.readings[:0], e.fired[:0]
}

func (e *Evaluation) add(r *rule, reading Reading) {
	reading.Detector, reading.entry = r.entry.Name, &r.entry
	e.readings = append(e.readings, reading)
	if reading.Outcome == schemas.Fired {
		e.fired = append(e.fired, r.entry.Name)
	}
}

// Release gives the evaluation back to its suite and lets go of the interaction.
func (e *Evaluation) Release() {
	s := e.suite
	if s == nil {
		return
	}
	e.reset(nil, nil)
	s.pool.Put(e)
}

// Interaction is what was evaluated.
func (e *Evaluation) Interaction() *schemas.Interaction { return e.doc.in }

// Document is what the rules measured. It is read-only and dies with the evaluation.
func (e *Evaluation) Document() *Document { return &e.doc }

// Readings are the outcomes of the rules, in the suite's order.
func (e *Evaluation) Readings() []Reading { return e.readings }

// AnyFired reports whether a rule fired.
func (e *Evaluation) AnyFired() bool { return len(e.fired) > 0 }

// Ended is why rules were skipped before they were through: [ReasonBudget] or [ReasonDeadline]; "" where none was. The end
// of the context does not count.
func (e *Evaluation) Ended() string { return e.ended }

// Unfinished reports whether a rule was skipped because the work ended. It tells [ReasonBudget] of the counted work from
// [schemas.BudgetSpent], which is a rule's own error and the same word.
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

// Work is how many units of work the rules have charged; see [Work].
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
