package dispatch

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// message is what is posted, or about to be, in a channel.
type message struct {
	id       string // opaque
	kind     schemas.AlertKind
	severity schemas.Severity
	cause    schemas.DigestCause
	tenant   string
	channel  *channel

	phase     phase // changed by handle only
	parts     map[*groupPart]struct{}
	pending   int64     // of all parts
	lastAdded time.Time // when a member was last added
	receipt   schemas.Receipt
	sentAt    time.Time // when it was posted
	lastSent  time.Time // when it was last posted or edited
	plannedAt time.Time
	notBefore time.Time // no attempt before: the sink has refused the message as it is

	duplicateMarked  bool // what the channel shows says that it may duplicate another message
	duplicateCounted bool // the metric of possible duplicates includes it
}

// digestKey is what the incidents of a digest have in common.
type digestKey struct {
	pool     string
	severity schemas.Severity
	cause    schemas.DigestCause
}

// handle moves the message to the phase that follows from e.
func (m *message) handle(e event) {
	m.phase = m.phase.after(e)
}

// hasPending reports that the message does not show all of its incidents.
func (m *message) hasPending() bool { return m.pending > 0 }

// lastActivity is the later of the post and the last added member.
func (m *message) lastActivity() time.Time { return latest(m.sentAt, m.lastAdded) }

// refusedPause is how long a message waits after the sink has refused it.
const refusedPause = time.Minute

// markSent notes that the sink has accepted a message, and returns what to write about it. After an unconfirmed attempt
// the channel may show an earlier version: an edit corrects it at once, and nothing counts as displayed before.
func (s *store) markSent(m *message, alert *schemas.Alert, shown displayedCounts, at schemas.Receipt, now time.Time) recordChange {
	unconfirmed := m.phase.isUnconfirmed()
	m.handle(postAccepted)
	m.receipt, m.sentAt, m.lastSent = at, now, now
	m.duplicateMarked = alert.PossiblyDuplicated && !at.Found // every edit keeps the mark: two messages may exist
	correct := s.canEdit && unconfirmed && m.phase == sent
	changed := slices.ContainsFunc(m.sortedParts(), func(part *groupPart) bool { return part.record.Group.Changed })
	if correct || s.canEdit && changed { // what it shows may have changed since it was announced
		m.handle(editRequested)
	}
	return m.sentChange(shown, correct, now)
}

// markFailed notes a failure of the sink.
func (m *message) markFailed(e *alerting.Error, now time.Time) {
	if e.Ambiguous {
		m.handle(postUnconfirmed)
	}
	if e.Reason == alerting.ReasonRefused {
		m.notBefore = now.Add(refusedPause)
	}
}

// displayedCounts is how many members of each part a message showed when it was handed to the sink.
type displayedCounts map[*groupPart]int64

// dissolve takes all parts out of an unsent message. They keep that an attempt may have reached the sink.
func (s *store) dissolve(m *message) {
	unconfirmed := m.phase.isUnconfirmed()
	for part := range m.parts {
		part.possiblyDuplicated = part.possiblyDuplicated || unconfirmed
		s.detach(part)
	}
}

// detachParts takes those of the parts out of the message that are still in it.
func (s *store) detachParts(m *message, parts []*groupPart) {
	for _, part := range parts {
		if part.message == m {
			s.detach(part)
		}
	}
}

// newMessage adds a planned message without parts.
func (s *store) newMessage(id string, g *group, kind schemas.AlertKind, cause schemas.DigestCause) *message {
	m := &message{
		id: id, kind: kind, cause: cause, severity: g.severity, tenant: g.labels.Tenant, channel: g.channel,
		phase: planned, parts: make(map[*groupPart]struct{}),
	}
	if kind == schemas.AlertDigest {
		m.tenant = g.pool
	}
	s.messages[id] = m
	m.channel.messages[m] = struct{}{}
	return m
}
