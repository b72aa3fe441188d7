package dispatch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// fullSearch selects work without an index: it visits every group and every message. It changes nothing.
type fullSearch struct {
	*workPlanner
	*state.Store
	single  []candidate
	digests map[state.DigestKey][]*state.Group
}

func (s *fullSearch) selectWork(ch *state.Channel, now time.Time) selection {
	c := selection{now: now, down: ch.Failures >= downFailures}
	s.digests = make(map[state.DigestKey][]*state.Group)
	for g := range ch.WaitingGroups {
		s.offerGroup(&c, g)
	}
	s.offerSingle(&c, ch)
	all := s.digests
	s.digests = make(map[state.DigestKey][]*state.Group, len(all))
	maps.Copy(s.digests, all)
	for m := range ch.Messages {
		s.offerMessage(&c, m, all)
	}
	for k, groups := range all {
		s.offerDigest(&c, ch, k, groups)
	}
	if len(ch.Replies) > 0 {
		c.offer(candidate{priority: addReply}, now)
	}
	return c
}

// classify returns how incidents are sent: on their own, in a digest of some cause, or not before some time.
func (s *fullSearch) classify(parts map[*state.GroupPart]struct{}, now time.Time) (cause schemas.DigestCause, until time.Time, hold bool) {
	var first, last time.Time
	var g *state.Group
	again := false
	for part := range parts {
		again = again || part.Record.Group.CountOffset > 0
		g = part.Group
		first, last = alertlog.Earliest(first, part.PendingSince), alertlog.Latest(last, part.Record.Group.Last)
	}
	if end := s.AllSilencedUntil(parts, now); !end.IsZero() {
		return "", end, true
	}
	if g.Severity == schemas.SeverityNormal {
		if end, quiet := s.Policy.Quiet(g.Labels.Tenant, now); quiet {
			return "", end, true
		}
	}
	if g.Detector != "" {
		return "", time.Time{}, false
	}
	if g.Severity == schemas.SeverityNormal {
		if _, quiet := s.Policy.Quiet(g.Labels.Tenant, first); quiet {
			return schemas.DigestQuiet, time.Time{}, false
		}
	}
	late := again && !s.CanEdit // they had to wait for the repeat interval
	if !late && now.Sub(last) > s.Options.StaleAfter {
		return schemas.DigestStale, time.Time{}, false
	}
	return "", time.Time{}, false
}

// offerGroup offers the pending incidents of a group.
func (s *fullSearch) offerGroup(c *selection, g *state.Group) {
	waiting, since := g.Unassigned()
	groups := []*state.Group{g}
	if m := g.Open; m != nil && !m.Phase.IsSent() {
		c.offer(candidate{priority: newMessagePriority(m), since: m.PlannedAt, msg: m, groups: groups, configured: s.IsConfiguredTenant(m.Tenant)}, m.NotBefore)
		return
	} else if s.CanEdit && s.AcceptsMore(m, c.now) {
		c.offer(candidate{priority: editPriority(m), since: since, msg: m, groups: groups}, s.editDue(m))
		return
	}
	cause, until, hold := s.classify(waiting, c.now)
	if hold {
		c.wake = alertlog.Earliest(c.wake, until)
		return
	}
	if cause == "" && g.Detector == "" {
		left, more := s.tokens(limiterKey{g.Pool, g.Severity}, c.now)
		if left == 0 {
			cause = schemas.DigestThrottled
			c.wake = alertlog.Earliest(c.wake, more)
		}
	}
	if cause != "" {
		k := state.DigestKey{Pool: g.Pool, Severity: g.Severity, Cause: cause}
		s.digests[k] = append(s.digests[k], g)
		return
	}
	s.single = append(s.single, candidate{priority: postPriority(g.Severity), since: since, groups: groups, configured: s.IsConfiguredTenant(g.Pool)})
}

// offerSingle offers the first groups for messages of their own, after those with an unsent one. All others go to digests.
func (s *fullSearch) offerSingle(c *selection, ch *state.Channel) {
	slices.SortFunc(s.single, func(x, y candidate) int {
		if x.configured != y.configured {
			if x.configured {
				return -1
			}
			return 1
		}
		return cmp.Or(x.since.Compare(y.since), strings.Compare(x.groups[0].Key, y.groups[0].Key))
	})
	waiting := make(map[schemas.Severity]int, 2)
	for m := range ch.Messages {
		if !m.Phase.IsSent() && m.Kind == schemas.AlertGroup {
			waiting[m.Severity]++
		}
	}
	for _, x := range s.single {
		g := x.groups[0]
		if waiting[g.Severity]++; waiting[g.Severity] > maxPendingGroups && g.Detector == "" {
			k := state.DigestKey{Pool: g.Pool, Severity: g.Severity, Cause: schemas.DigestThrottled}
			s.digests[k] = append(s.digests[k], g)
			continue
		}
		c.offer(x, c.now)
	}
}

// offerMessage offers the work for a message.
func (s *fullSearch) offerMessage(c *selection, m *state.Message, digests map[state.DigestKey][]*state.Group) {
	if m.Phase.IsSent() {
		s.offerSent(c, m)
		return
	}
	x := candidate{priority: newMessagePriority(m), since: m.PlannedAt, msg: m, configured: s.IsConfiguredTenant(m.Tenant)}
	if k := m.DigestKey(); m.Kind == schemas.AlertDigest {
		x.groups = digests[k]
		delete(digests, k)
		if end, quiet := s.quietUntil(m, c.now); quiet && !m.Phase.IsUnconfirmed() {
			c.wake = alertlog.Earliest(c.wake, end)
			return
		}
	}
	c.offer(x, m.NotBefore)
}

// offerSent offers the work for a sent message.
func (s *fullSearch) offerSent(c *selection, m *state.Message) {
	if m.Phase == state.Detaching {
		c.offer(candidate{priority: detachMessage, msg: m}, c.now)
		return
	}
	behind := m.HasPending()
	repeat := m.SentAt.Add(s.Options.Repeat)
	if behind && !m.Phase.IsUnrecorded() && !c.now.Before(repeat) {
		end, quiet := s.quietUntil(m, c.now)
		if !quiet {
			c.offer(candidate{priority: detachMessage, msg: m}, c.now)
			return
		}
		c.wake = alertlog.Earliest(c.wake, end)
	}
	switch {
	case s.CanEdit && (behind || m.Phase != state.Sent):
		c.offer(candidate{priority: editPriority(m), since: m.LastSent, msg: m}, s.editDue(m))
	case behind && c.now.Before(repeat):
		c.wake = alertlog.Earliest(c.wake, repeat)
	}
}

// offerDigest offers to send groups together: by an edit of the last digest if it accepts them, else in a new digest.
func (s *fullSearch) offerDigest(c *selection, ch *state.Channel, k state.DigestKey, groups []*state.Group) {
	var last *state.Message
	for m := range ch.Messages {
		if m.Kind == schemas.AlertDigest && m.Phase.IsSent() && m.DigestKey() == k && (last == nil || m.SentAt.After(last.SentAt)) {
			last = m
		}
	}
	if s.CanEdit && s.AcceptsMore(last, c.now) {
		due, urgency := s.editDue(last), editPriority(last)
		if k.Severity == schemas.SeverityHigh { // no message has shown these groups yet
			due, urgency = alertlog.Latest(last.LastSent.Add(min(s.Options.Interval, highDigestInterval)), last.NotBefore), editHighDigest
		}
		c.offer(candidate{priority: urgency, since: last.LastSent, msg: last, groups: groups}, due)
		return
	}
	due := c.now
	if at, ok := ch.EvictedDigests[k]; ok {
		due = at.Add(s.Options.Interval)
	}
	if last != nil {
		due = alertlog.Latest(due, last.SentAt.Add(s.Options.Interval))
	}
	c.offer(candidate{priority: digestPriority(k.Severity), since: c.now, groups: groups, cause: k.Cause, configured: s.IsConfiguredTenant(k.Pool)}, due)
}
