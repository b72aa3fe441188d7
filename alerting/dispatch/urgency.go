package dispatch

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// urgency is what a channel does, in the order of doing.
type urgency int

const (
	nothing        urgency = iota
	part                   // portions leave a message that can no longer be edited, or is not to be; costs the sink nothing
	postHighDigest         // tells of many at once
	editHighDigest         // likewise, in the digest that stands
	postHigh
	postNormal
	postDigest
	editHigh
	editNormal
	addDetail
)

// candidate is something that could be done.
type candidate struct {
	urgency  urgency
	since    time.Time
	msg      *state.Message // nil for a message that is still to be made
	groups   []*state.Group // that are to be attached to it
	together digestGroups   // likewise
	cause    schemas.DigestCause
	named    bool // it is a new message for a tenant that the configuration names
}

// better says whether c comes before o. A message of unknown end costs more requests than another: others go first, unless
// the sink seems to be down, when it is better that few messages come to an unknown end.
func (c *candidate) better(o *candidate, down bool) bool {
	if o.urgency == nothing || c.urgency != o.urgency {
		return o.urgency == nothing || c.urgency < o.urgency
	}
	if doubt := c.doubtful(); doubt != o.doubtful() {
		return doubt == down
	}
	if c.named != o.named {
		return c.named
	}
	return c.since.Before(o.since)
}

func (c *candidate) doubtful() bool { return c.msg != nil && c.msg.PossiblyDuplicated && !c.msg.Sent }

// downAfter failures in a row the sink seems to be down.
const downAfter = 2

// choice gathers candidates.
type choice struct {
	now  time.Time
	best candidate
	down bool
	wake time.Time // when something that is not due now will be; zero for never
}

func (c *choice) offer(x candidate, due time.Time) {
	if c.now.Before(due) {
		c.wake = alertlog.Earliest(c.wake, due)
		return
	}
	if x.better(&c.best, c.down) {
		c.best = x
	}
}

func newUrgency(m *state.Message) urgency {
	if m.Kind == schemas.AlertDigest {
		return digestUrgency(m.Lane)
	}
	return postUrgency(m.Lane)
}

func postUrgency(l schemas.Lane) urgency {
	if l == schemas.LaneHigh {
		return postHigh
	}
	return postNormal
}

func digestUrgency(l schemas.Lane) urgency {
	if l == schemas.LaneHigh {
		return postHighDigest
	}
	return postDigest
}

func editUrgency(m *state.Message) urgency {
	if m.Lane == schemas.LaneHigh {
		return editHigh
	}
	return editNormal
}
