package dispatch

import "errors"

// errNoIncident says that a flag has no incident id. A retry fails again.
var errNoIncident = errors.New("flag has no incident id")

// Outcome is the result of adding a flag.
type Outcome string

// The outcomes of a flag.
const (
	NotAlerting Outcome = "not_alerting" // the alert rule does not hold
	Grouped     Outcome = "grouped"      // the incident is durably a member of its group
	Suppressed  Outcome = "suppressed"   // nothing follows from it; counted by reason
	Waiting     Outcome = "waiting"      // it durably waits for a second opinion
	Cleared     Outcome = "cleared"      // a second opinion has cleared it, durably
)

// Outcomes lists every outcome.
func Outcomes() []string {
	return []string{string(NotAlerting), string(Grouped), string(Suppressed), string(Waiting), string(Cleared)}
}

// suppression is the reason why an alert has no message of its own.
type suppression string

// The suppressions.
const (
	alreadyNotified suppression = "already_notified" // a message shows the incident, by this pass or a better one
	noEdit          suppression = "no_edit"          // a deep flag of a sent incident, and the sink cannot edit
	labelled        suppression = "labelled"         // a person has labelled the incident
	silenced        suppression = "silenced"         // a silence matches it
	cleared         suppression = "cleared"          // a second opinion had cleared it before
	stateLimit      suppression = "state_limit"      // the state is full: counted in the group of its pool
	inDigest        suppression = "digest"           // a digest shows it, with others
)

// suppressions lists every suppression.
func suppressions() []suppression {
	return []suppression{alreadyNotified, noEdit, labelled, silenced, cleared, stateLimit, inDigest}
}
