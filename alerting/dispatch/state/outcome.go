package state

import "errors"

// ErrNoIncident says that a flag has no incident id, so that nothing can be remembered about it. No retry heals it.
var ErrNoIncident = errors.New("flag has no incident id")

// Outcome is what became of one flag.
type Outcome string

// The outcomes of a flag.
const (
	NotAlerting Outcome = "not_alerting" // the alert rule does not hold
	Grouped     Outcome = "grouped"      // the incident is durably a member of its group, which is told
	Suppressed  Outcome = "suppressed"   // nothing is told because of it; counted by reason
)

// Suppression is a named reason why an alert was not posted.
type Suppression string

// The suppressions.
const (
	AlreadyNotified Suppression = "already_notified" // the incident was notified before, by this pass or a better one
	NoEdit          Suppression = "no_edit"          // a deep flag of a notified incident: the sink cannot edit, the state advances
	Labelled        Suppression = "labelled"         // a person has judged the incident already

	Silenced       Suppression = "silenced"        // a person has silenced its like for a while
	StateLimit     Suppression = "state_limit"     // counted in a shared group of its tenant, or of several tenants: the state is full
	DetectorBroken Suppression = "detector_broken" // it would alert only because of detectors that fire on an unusual share
)

// Suppressions lists every suppression.
func Suppressions() []Suppression {
	return []Suppression{AlreadyNotified, NoEdit, Labelled, Silenced, DetectorBroken, StateLimit}
}
