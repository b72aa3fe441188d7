package dispatch

import "errors"

// ErrNoIncident says that a flag has no incident id. A retry fails again.
var ErrNoIncident = errors.New("flag has no incident id")

// Outcome is the result of adding a flag.
type Outcome string

// The outcomes of a flag.
const (
	NotAlerting Outcome = "not_alerting" // the alert rule does not hold
	Grouped     Outcome = "grouped"      // the incident is durably a member of its group
	Suppressed  Outcome = "suppressed"   // nothing follows from it; counted by reason
)

// Suppression is the reason why an alert has no message of its own.
type Suppression string

// The suppressions.
const (
	AlreadyNotified Suppression = "already_notified" // a message shows the incident, by this pass or a better one
	NoEdit          Suppression = "no_edit"          // a deep flag of a sent incident, and the sink cannot edit
	Labelled        Suppression = "labelled"         // a person has labelled the incident

	Silenced       Suppression = "silenced"        // a silence matches it
	StateLimit     Suppression = "state_limit"     // the state is full: counted in the group of its pool
	DetectorBroken Suppression = "detector_broken" // it would alert only with detectors whose firing rate is anomalous
)

// Suppressions lists every suppression.
func Suppressions() []Suppression {
	return []Suppression{AlreadyNotified, NoEdit, Labelled, Silenced, DetectorBroken, StateLimit}
}
