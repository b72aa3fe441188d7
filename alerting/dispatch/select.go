package dispatch

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"confab/schemas"
)

// workPlanner finds the next work of a channel. advance and startWork change the store; selectWork only reads, and visits
// every waiting group and every message of the channel. The caller owns the lock and the clock.
type workPlanner struct {
	store    *store
	limiters map[limiterKey]*rate.Limiter
	daily    *dailyLimit
}

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
	priority priority
	since    time.Time
	msg      *message // nil for a message that is still to be made
	groups   []*group // whose waiting parts it takes
	cause    schemas.DigestCause
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
	if before := c.since.Compare(o.since); before != 0 {
		return before < 0
	}
	return c.key() < o.key()
}

// key makes the order of candidates total.
func (c *candidate) key() string {
	switch {
	case c.msg != nil:
		return c.msg.id
	case len(c.groups) > 0:
		return c.groups[0].key
	}
	return ""
}

func (c *candidate) unconfirmed() bool { return c.msg != nil && c.msg.phase.isUnconfirmed() }

const (
	// downFailures in a row make the sink seem down.
	downFailures = 2
	// maxPendingGroups is how many groups of a severity may wait in a channel for messages of their own. A channel takes one
	// message a second.
	maxPendingGroups = 10
	// highDigestInterval is the longest time between edits of a digest of high severity that add groups.
	highDigestInterval = 10 * time.Second
)

// search is one look at a channel: it gathers candidates and keeps the best one.
type search struct {
	*workPlanner
	channel *channel
	now     time.Time
	down    bool
	best    candidate
	wake    time.Time // when something that is not due now will be; zero for never

	attaching map[*message][]waitingGroup // groups whose waiting parts go to a message that exists
	single    map[schemas.Severity][]waitingGroup
	digests   map[digestKey][]*group
	today     int // messages that the daily limit leaves
	tomorrow  time.Time
}

// waitingGroup is a group with parts that wait for a message.
type waitingGroup struct {
	*group
	since time.Time
}

func (s *search) offer(x candidate, due time.Time) {
	if s.now.Before(due) {
		s.wakeAt(due)
		return
	}
	if x.better(&s.best, s.down) {
		s.best = x
	}
}

func (s *search) wakeAt(t time.Time) { s.wake = earliest(s.wake, t) }

// advance brings the state up to now: loaded parts get their messages, and unsent messages dissolve that are to be sent in
// another way.
func (pl *workPlanner) advance(ch *channel, now time.Time) {
	if !pl.store.ready() {
		return
	}
	pl.setClock(now)
	for m := range ch.messages {
		if m.phase.isDissolving() || m.phase == planned && m.kind != schemas.AlertDigest && !pl.isSingle(m, now) {
			pl.store.dissolve(m)
		}
	}
}

// setClock attaches loaded parts to their messages and notes the time, see store.setClock.
func (pl *workPlanner) setClock(now time.Time) {
	if !pl.store.setClock(now, pl.store.attachLoaded(now)) {
		return
	}
	pl.daily.correctTimes(now)
	for _, l := range pl.limiters {
		l.AllowN(now, 0) // nothing waits for a time of the former clock
	}
}

// isSingle reports that a group still gets this message of its own: neither a digest nor a silence or quiet hours apply.
func (pl *workPlanner) isSingle(m *message, now time.Time) bool {
	parts := m.sortedParts()
	if !pl.store.allSilencedUntil(parts, now).IsZero() {
		return false
	}
	if _, quiet := pl.quietUntil(m.severity, m.tenant, now); quiet {
		return false
	}
	cause, _ := pl.digestCause(parts[0].group, parts, now)
	return cause == ""
}

// selectWork finds the next work of the channel, or when there will be some. It changes nothing.
func (pl *workPlanner) selectWork(ch *channel, now time.Time) *search {
	s := &search{
		workPlanner: pl, channel: ch, now: now, down: ch.failures >= downFailures, attaching: make(map[*message][]waitingGroup),
		single: make(map[schemas.Severity][]waitingGroup, 2), digests: make(map[digestKey][]*group),
	}
	if !pl.store.ready() {
		return s
	}
	s.today, s.tomorrow = pl.daily.left(maxPendingGroups, now)
	for g := range ch.waitingGroups {
		s.classify(g)
	}
	s.offerSingle()
	for m := range ch.messages {
		if m.phase.isSent() {
			s.offerSent(m)
		} else {
			s.offerUnsent(m)
		}
	}
	for k, groups := range s.digests {
		s.offerDigest(k, groups)
	}
	if len(ch.replies) > 0 {
		s.offer(candidate{priority: addReply}, now)
	}
	if len(ch.ended) > 0 {
		s.offer(candidate{priority: resolveEnded}, now)
	}
	return s
}

// classify puts a waiting group where its parts will be sent: a message that exists, a message of its own, or a digest.
// Silenced and quiet groups wait.
func (s *search) classify(g *group) {
	parts, since := g.unassigned()
	if m := g.open; m != nil && s.acceptsParts(m, s.now) {
		s.attaching[m] = append(s.attaching[m], waitingGroup{g, since})
		return
	}
	if end := s.store.allSilencedUntil(parts, s.now); !end.IsZero() {
		s.wakeAt(end)
		return
	}
	if end, quiet := s.quietUntil(g.severity, g.labels.Tenant, s.now); quiet {
		s.wakeAt(end)
		return
	}
	cause, until := s.digestCause(g, parts, s.now)
	s.wakeAt(until)
	if cause == "" && g.detector == "" {
		cause = s.limitCause(g)
	}
	if cause == "" {
		s.single[g.severity] = append(s.single[g.severity], waitingGroup{g, since})
		return
	}
	s.addToDigest(g, cause)
}

func (s *search) addToDigest(g *group, cause schemas.DigestCause) {
	k := digestKey{pool: g.pool, severity: g.severity, cause: cause}
	s.digests[k] = append(s.digests[k], g)
}

// limitCause is the limit that forbids a message of its own; "" if none does.
func (s *search) limitCause(g *group) schemas.DigestCause {
	if s.today == 0 {
		s.wakeAt(s.tomorrow)
		return schemas.DigestDailyLimit
	}
	left, more := s.tokens(limiterKey{g.pool, g.severity}, s.now)
	if left == 0 {
		s.wakeAt(more)
		return schemas.DigestThrottled
	}
	return ""
}

// acceptsParts reports that waiting parts of its groups are attached to the message.
func (pl *workPlanner) acceptsParts(m *message, now time.Time) bool {
	return !m.phase.isSent() || pl.store.canEdit && pl.store.acceptsMore(m, now)
}

// digestCause returns why the incidents go to a digest, apart from limits and current quiet hours, and until when the
// answer holds (zero: for good).
func (pl *workPlanner) digestCause(g *group, parts []*groupPart, now time.Time) (schemas.DigestCause, time.Time) {
	if g.detector != "" {
		return "", time.Time{}
	}
	var first, last time.Time
	again := false
	for _, part := range parts {
		again = again || part.record.Group.CountOffset > 0
		first, last = earliest(first, part.pendingSince), latest(last, part.record.Group.Last)
	}
	if _, quiet := pl.quietUntil(g.severity, g.labels.Tenant, first); quiet {
		return schemas.DigestQuiet, time.Time{}
	}
	if again && !pl.store.canEdit { // they had to wait for the repeat interval
		return "", time.Time{}
	}
	if now.Sub(last) > pl.store.options.StaleAfter {
		return schemas.DigestStale, time.Time{}
	}
	return "", last.Add(pl.store.options.StaleAfter + 1)
}

// offerSingle offers the groups that wait longest for messages of their own. All others go to digests, so that the last of
// them does not wait for a minute.
func (s *search) offerSingle() {
	free := map[schemas.Severity]int{schemas.SeverityHigh: maxPendingGroups, schemas.SeverityNormal: maxPendingGroups}
	for m := range s.channel.messages {
		if !m.phase.isSent() && m.kind == schemas.AlertGroup {
			free[m.severity]--
		}
	}
	for severity, groups := range s.single {
		slices.SortFunc(groups, func(a, b waitingGroup) int {
			if c := a.since.Compare(b.since); c != 0 {
				return c
			}
			return strings.Compare(a.key, b.key)
		})
		limit, cause := free[severity], schemas.DigestThrottled
		if s.today < limit {
			limit, cause = s.today, schemas.DigestDailyLimit
		}
		for i, g := range groups {
			if i < limit || g.detector != "" {
				s.offer(candidate{priority: postPriority(severity), since: g.since, groups: []*group{g.group}}, s.now)
			} else {
				s.addToDigest(g.group, cause)
			}
		}
	}
}

// offerUnsent offers to post an unsent message. A digest takes the groups that wait for one along.
func (s *search) offerUnsent(m *message) {
	groups := groupsOf(s.attaching[m])
	x := candidate{priority: postPriority(m.severity), since: m.plannedAt, msg: m}
	if m.kind == schemas.AlertDigest {
		x.priority = digestPriority(m.severity)
		k := m.digestKey()
		groups = append(groups, s.digests[k]...)
		delete(s.digests, k)
		if end, quiet := s.quietUntil(m.severity, m.tenant, s.now); quiet && !m.phase.isUnconfirmed() && len(s.attaching[m]) == 0 {
			s.wakeAt(end)
			return
		}
	}
	x.groups = groups
	s.offer(x, m.notBefore)
}

func groupsOf(waiting []waitingGroup) (groups []*group) {
	for _, w := range waiting {
		groups = append(groups, w.group)
	}
	return groups
}

// quietUntil returns when the quiet hours end that hold back messages of a severity and tenant at a time.
func (pl *workPlanner) quietUntil(severity schemas.Severity, tenant string, at time.Time) (time.Time, bool) {
	if severity != schemas.SeverityNormal {
		return time.Time{}, false
	}
	return pl.store.policy.Quiet(tenant, at)
}

// offerSent offers the work for a sent message, and sets when there will be some.
func (s *search) offerSent(m *message) {
	attaching := s.attaching[m]
	if m.phase == detaching || s.repeatDue(m) {
		s.offer(candidate{priority: detachMessage, msg: m}, s.now)
		return
	}
	x := candidate{priority: editPriority(m), since: m.lastSent, msg: m, groups: groupsOf(attaching)}
	if s.store.canEdit && (m.hasPending() || m.phase != sent) {
		s.offer(x, s.editDue(m))
	}
	for _, w := range attaching {
		x.since = w.since
		s.offer(x, s.editDue(m))
	}
	if len(attaching) > 0 { // until then it accepts them
		s.wakeAt(m.sentAt.Add(s.store.options.Repeat))
		if end := m.lastActivity().Add(s.store.options.Resolve); !m.hasPending() {
			s.wakeAt(end)
		}
	}
}

// repeatDue reports that the repeat interval is over, so that the incidents that the message does not show get a new one.
// Otherwise it sets when to ask again.
func (s *search) repeatDue(m *message) bool {
	if !m.hasPending() {
		return false
	}
	if repeat := m.sentAt.Add(s.store.options.Repeat); s.now.Before(repeat) {
		s.wakeAt(repeat)
		return false
	}
	if m.phase.isUnrecorded() { // it is edited first
		return false
	}
	end, quiet := s.quietUntil(m.severity, m.tenant, s.now)
	if quiet {
		s.wakeAt(end)
	}
	return !quiet
}

// offerDigest offers to send groups together: by an edit of the last digest if it accepts them, else in a new digest.
func (s *search) offerDigest(k digestKey, groups []*group) {
	var last *message
	for m := range s.channel.messages {
		if m.kind == schemas.AlertDigest && m.phase.isSent() && m.digestKey() == k && (last == nil || m.sentAt.After(last.sentAt)) {
			last = m
		}
	}
	o := s.store.options
	if s.store.canEdit && s.store.acceptsMore(last, s.now) {
		due, priority := s.editDue(last), editPriority(last)
		if k.severity == schemas.SeverityHigh { // no message has shown these groups yet
			due, priority = latest(last.lastSent.Add(min(o.Interval, highDigestInterval)), last.notBefore), editHighDigest
		}
		groups = append(groups, groupsOf(s.attaching[last])...)
		s.offer(candidate{priority: priority, since: last.lastSent, msg: last, groups: groups}, due)
		return
	}
	due := latest(s.now, s.daily.digestDue(k))
	if last != nil {
		due = latest(due, last.sentAt.Add(o.Interval))
	}
	s.offer(candidate{priority: digestPriority(k.severity), since: s.now, groups: groups, cause: k.cause}, due)
}

func (pl *workPlanner) editDue(m *message) time.Time {
	due := m.lastSent
	if !m.phase.isEditDue() {
		due = due.Add(pl.store.options.Interval)
	}
	return latest(due, m.notBefore)
}

// startWork makes the message of a candidate if there is none, and attaches the waiting parts of its groups.
func (pl *workPlanner) startWork(x *candidate, now time.Time) *message {
	m := x.msg
	if m == nil && len(x.groups) > 0 {
		g := x.groups[0]
		kind := schemas.AlertGroup
		switch {
		case x.cause != "":
			kind = schemas.AlertDigest
		case g.detector != "":
			kind = schemas.AlertBroken
		default:
			pl.takeToken(limiterKey{g.pool, g.severity}, now)
		}
		m = pl.store.newMessage(pl.store.newID(), g, kind, x.cause)
		m.plannedAt = now
		pl.daily.noteMessage(m, now)
	}
	for _, g := range x.groups {
		for _, part := range g.parts {
			if part.unassigned() {
				pl.store.attach(part, m)
			}
		}
	}
	return m
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

func editPriority(m *message) priority {
	if m.severity == schemas.SeverityHigh {
		return editHigh
	}
	return editNormal
}
