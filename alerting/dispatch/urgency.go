package dispatch

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// priority is what a channel does, in the order of doing.
type priority int

const (
	noWork         priority = iota
	detachMessage           // portions leave a message that can no longer be edited, or is not to be; costs the sink nothing
	postHighDigest          // tells of many at once
	editHighDigest          // likewise, in the digest that stands
	postHigh
	postNormal
	postDigest
	editHigh
	editNormal
	addReply
)

// candidate is something that could be done.
type candidate struct {
	priority   priority
	since      time.Time
	msg        *state.Message // nil for a message that is still to be made
	groups     []*state.Group // that are to be attached to it
	digest     digestGroups   // likewise
	cause      schemas.DigestCause
	configured bool // it is a new message for a tenant that the configuration names
}

// better says whether c comes before o. A message of unknown end costs more requests than another: others go first, unless
// the sink seems to be down, when it is better that few messages come to an unknown end.
func (c *candidate) better(o *candidate, down bool) bool {
	if o.priority == noWork || c.priority != o.priority {
		return o.priority == noWork || c.priority < o.priority
	}
	if doubt := c.unconfirmed(); doubt != o.unconfirmed() {
		return doubt == down
	}
	if c.configured != o.configured {
		return c.configured
	}
	return c.since.Before(o.since)
}

func (c *candidate) unconfirmed() bool {
	return c.msg != nil && c.msg.PossiblyDuplicated && !c.msg.Sent
}

// downFailures failures in a row the sink seems to be down.
const downFailures = 2

// selection gathers candidates.
type selection struct {
	now  time.Time
	best candidate
	down bool
	wake time.Time // when something that is not due now will be; zero for never
}

func (c *selection) offer(x candidate, due time.Time) {
	if c.now.Before(due) {
		c.wake = alertlog.Earliest(c.wake, due)
		return
	}
	if x.better(&c.best, c.down) {
		c.best = x
	}
}

func newMessagePriority(m *state.Message) priority {
	if m.Kind == schemas.AlertDigest {
		return digestPriority(m.Severity)
	}
	return postPriority(m.Severity)
}

func postPriority(l schemas.Severity) priority {
	if l == schemas.SeverityHigh {
		return postHigh
	}
	return postNormal
}

func digestPriority(l schemas.Severity) priority {
	if l == schemas.SeverityHigh {
		return postHighDigest
	}
	return postDigest
}

func editPriority(m *state.Message) priority {
	if m.Severity == schemas.SeverityHigh {
		return editHigh
	}
	return editNormal
}
