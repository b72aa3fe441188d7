package dispatch

import (
	"time"

	"confab/alerting"
	"confab/schemas"
)

// Message is what is posted, or about to be, in a channel.
type Message struct {
	ID       string // opaque
	Kind     schemas.AlertKind
	Severity schemas.Severity
	Cause    schemas.DigestCause
	Tenant   string
	Channel  *Channel

	Phase     Phase // changed by handle only
	Parts     map[*GroupPart]struct{}
	Pending   int64     // of all parts
	lastAdded time.Time // when a member was last added
	Receipt   schemas.Receipt
	SentAt    time.Time // when it was posted
	LastSent  time.Time // when it was last posted or edited
	PlannedAt time.Time
	NotBefore time.Time // no attempt before: the sink has refused the message as it is

	duplicateMarked  bool // what the channel shows says that it may duplicate another message
	duplicateCounted bool // the metric of possible duplicates includes it
}

// DigestKey is what the incidents of a digest have in common.
type DigestKey struct {
	Pool     string
	Severity schemas.Severity
	Cause    schemas.DigestCause
}

// handle moves the message to the phase that follows from e.
func (m *Message) handle(e event) {
	m.Phase = m.Phase.after(e)
}

// DigestKey is the key of the message as a digest.
func (m *Message) DigestKey() DigestKey {
	return DigestKey{Pool: m.Tenant, Severity: m.Severity, Cause: m.Cause}
}

// HasPending reports that the message does not show all of its incidents.
func (m *Message) HasPending() bool { return m.Pending > 0 }

// LastActivity is the later of the post and the last added member.
func (m *Message) LastActivity() time.Time { return Latest(m.SentAt, m.lastAdded) }

// correctTimes moves times after now to now.
func (m *Message) correctTimes(now time.Time) {
	for _, at := range []*time.Time{&m.SentAt, &m.LastSent, &m.lastAdded, &m.PlannedAt} {
		*at = NotAfter(*at, now)
	}
	m.NotBefore = NotAfter(m.NotBefore, now.Add(refusedPause))
}

// refusedPause is how long a message waits after the sink has refused it.
const refusedPause = time.Minute

// CountDuplicate reports whether this is its first call for the message.
func (m *Message) CountDuplicate() bool {
	first := !m.duplicateCounted
	m.duplicateCounted = true
	return first
}

// MarkSent notes that the sink has accepted a message, and returns what to write about it. After an unconfirmed attempt
// the channel may show an earlier version: an edit corrects it at once, and nothing counts as displayed before.
func (s *Store) MarkSent(m *Message, alert *schemas.Alert, shown DisplayedCounts, at schemas.Receipt, now time.Time) RecordChange {
	unconfirmed := m.Phase.IsUnconfirmed()
	m.handle(postAccepted)
	m.Receipt, m.SentAt, m.LastSent = at, now, now
	m.duplicateMarked = alert.PossiblyDuplicated && !at.Found // every edit keeps the mark: two messages may exist
	correct := s.CanEdit && unconfirmed && m.Phase == Sent
	if correct || s.CanEdit && m.hasChangedParts() {
		m.handle(editRequested)
	}
	s.AddReply(m, &alert.Flag)
	return m.sentChange(shown, correct, now)
}

// hasChangedParts reports that the lead or the top incidents of a part have changed since the message was announced.
func (m *Message) hasChangedParts() bool {
	for part := range m.Parts {
		if part.Record.Group.Changed {
			return true
		}
	}
	return false
}

// StartEdit returns what an edit of the message shows, and whether the edit was due at once. It returns no counts for a
// message that has lost a part: without the part it would show less than before.
func (s *Store) StartEdit(m *Message) (alert schemas.Alert, shown DisplayedCounts, due bool) {
	if !m.Phase.takesParts() {
		return schemas.Alert{}, nil, false
	}
	due = m.Phase.IsEditDue()
	m.handle(editStarted)
	alert, shown = s.Alert(m)
	return alert, shown, due
}

// FinishEdit notes the end of an edit; retry requests another one at once.
func (m *Message) FinishEdit(now time.Time, retry bool) {
	m.LastSent = now
	if retry {
		m.handle(editRequested)
	}
}

// MarkRecorded notes that the log has all that the message shows.
func (m *Message) MarkRecorded() { m.handle(editRecorded) }

// MarkFailed notes a failure of the sink.
func (m *Message) MarkFailed(e *alerting.Error, now time.Time) {
	if e.Ambiguous {
		m.handle(postUnconfirmed)
	}
	if e.Reason == alerting.ReasonRefused {
		m.NotBefore = now.Add(refusedPause)
	}
}

// DisplayedCounts is how many members of each part a message showed when it was handed to the sink.
type DisplayedCounts map[*GroupPart]int64

// Lost counts the members of revoked parts that the message shows and the log does not record as displayed.
func (c DisplayedCounts) Lost() (n int64) {
	for part, shown := range c {
		if part.Partition.Revoked() {
			n += shown - part.Record.Group.DisplayedCount
		}
	}
	return n
}

// Dissolve takes all parts out of an unsent message. They keep that an attempt may have reached the sink.
func (s *Store) Dissolve(m *Message) {
	unconfirmed := m.Phase.IsUnconfirmed()
	for part := range m.Parts {
		part.PossiblyDuplicated = part.PossiblyDuplicated || unconfirmed
		s.Detach(part)
	}
}

// DetachParts takes those of the parts out of the message that are still in it.
func (s *Store) DetachParts(m *Message, parts []*GroupPart) {
	for _, part := range parts {
		if part.Message == m {
			s.Detach(part)
		}
	}
}

// NewMessage adds a planned message without parts.
func (s *Store) NewMessage(id string, g *Group, kind schemas.AlertKind, cause schemas.DigestCause) *Message {
	m := &Message{
		ID: id, Kind: kind, Cause: cause, Severity: g.Severity, Tenant: g.Labels.Tenant, Channel: g.channel,
		Phase: Planned, Parts: make(map[*GroupPart]struct{}),
	}
	if kind == schemas.AlertDigest {
		m.Tenant = g.Pool
	}
	s.messages[id] = m
	m.Channel.Messages[m] = struct{}{}
	return m
}
