package dispatch

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// priority is the kind of the next work of a channel, in the order of doing.
type priority int

const (
	noWork         priority = iota
	detachMessage           // parts leave a message that is not edited any more; no request to the sink
	postHighDigest          // first notification of many groups at once
	editHighDigest          // likewise, in the digest that was posted
	postHigh
	postNormal
	postDigest
	editHigh
	editNormal
	addReply
	resolveEnded
)

// candidate is work that a channel could do.
type candidate struct {
	priority   priority
	since      time.Time
	msg        *state.Message // nil for a message that is still to be made
	groups     []*state.Group // to be attached to it
	digest     digestGroups   // likewise
	cause      schemas.DigestCause
	configured bool // it is a new message for a tenant that the configuration names
}

// better reports that c comes before o. An unconfirmed message costs more requests than others: the others go first,
// unless the sink seems to be down, when few messages should become unconfirmed.
func (c *candidate) better(o *candidate, down bool) bool {
	if o.priority == noWork || c.priority != o.priority {
		return o.priority == noWork || c.priority < o.priority
	}
	if unconfirmed := c.unconfirmed(); unconfirmed != o.unconfirmed() {
		return unconfirmed == down
	}
	if c.configured != o.configured {
		return c.configured
	}
	if before := c.since.Compare(o.since); before != 0 {
		return before < 0
	}
	return c.key() < o.key()
}

// key makes the order of candidates total.
func (c *candidate) key() string {
	switch {
	case c.msg != nil:
		return c.msg.ID
	case len(c.groups) > 0:
		return c.groups[0].Key
	case c.digest.queue != nil:
		k := c.digest.queue.key
		return k.Pool + "\x00" + string(k.Severity) + "\x00" + string(k.Cause)
	}
	return ""
}

func (c *candidate) unconfirmed() bool { return c.msg != nil && c.msg.Phase.IsUnconfirmed() }

// downFailures in a row make the sink seem down.
const downFailures = 2

// selection gathers candidates and keeps the best one.
type selection struct {
	now  time.Time
	best candidate
	down bool
	wake time.Time // when something that is not due now will be; zero for never
}

func (sel *selection) offer(x candidate, due time.Time) {
	if sel.now.Before(due) {
		sel.wakeAt(due)
		return
	}
	if x.better(&sel.best, sel.down) {
		sel.best = x
	}
}

func (sel *selection) wakeAt(t time.Time) { sel.wake = alertlog.Earliest(sel.wake, t) }

func newMessagePriority(m *state.Message) priority {
	if m.Kind == schemas.AlertDigest {
		return digestPriority(m.Severity)
	}
	return postPriority(m.Severity)
}

func postPriority(s schemas.Severity) priority {
	if s == schemas.SeverityHigh {
		return postHigh
	}
	return postNormal
}

func digestPriority(s schemas.Severity) priority {
	if s == schemas.SeverityHigh {
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
