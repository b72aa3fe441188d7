package alerting

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
