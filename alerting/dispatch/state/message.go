package state

import (
	"time"

	"confab/alerting"
	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Message is a message: what stands, or is about to stand, in a channel.
type Message struct {
	id       string
	Kind     schemas.AlertKind
	Severity schemas.Severity
	Cause    schemas.DigestCause
	Tenant   string
	Channel  *Channel

	Parts     map[*GroupPart]struct{}
	Pending   int64     // of all portions
	lastAdded time.Time // when a member last joined
	Sent      bool
	Receipt   schemas.Receipt
	SentAt    time.Time // when it was posted
	LastSent  time.Time
	PlannedAt time.Time // when it was first about to be posted

	PossiblyDuplicated bool      // an attempt of unknown end was made
	marked             bool      // it says so where it stands, beside the other one perhaps
	counted            bool      // as one that may repeat
	Urgent             bool      // due at once
	Unsynced           bool      // it may show more than the log knows, so it is edited before portions leave it
	edits              bool      // its sink can edit
	Orphaned           bool      // it has lost a portion, so it can no longer be edited
	NotBefore          time.Time // the sink refuses it as it is
}

// DigestKey is what the incidents of a digest have in common.
type DigestKey struct {
	Pool     string
	Severity schemas.Severity
	Cause    schemas.DigestCause
}

// MarkChanged marks a message.
func (m *Message) MarkChanged() { m.Channel.ChangedMessages[m] = struct{}{} }

// DigestKey is the key of the message as a digest.
func (m *Message) DigestKey() DigestKey {
	return DigestKey{Pool: m.Tenant, Severity: m.Severity, Cause: m.Cause}
}

// HasPending reports that the message does not show all of its incidents.
func (m *Message) HasPending() bool { return m.Pending > 0 }

// LastActivity is when something last came of the message: a member, or the message itself.
func (m *Message) LastActivity() time.Time { return alertlog.Latest(m.SentAt, m.lastAdded) }

// correctTimes corrects the message's times.
func (m *Message) correctTimes(now time.Time) {
	for _, at := range []*time.Time{&m.SentAt, &m.LastSent, &m.lastAdded, &m.PlannedAt} {
		*at = alertlog.NotAfter(*at, now)
	}
	m.NotBefore = alertlog.NotAfter(m.NotBefore, now.Add(refusedPause))
	m.MarkChanged()
}

// refusedPause is how long a message waits that the sink refuses.
const refusedPause = time.Minute

// CountDuplicate notes that the message may repeat another one, and reports whether it does so for the first time.
func (m *Message) CountDuplicate() bool {
	first := !m.counted
	m.counted = true
	return first
}

// MarkSent notes that the sink has accepted a message, and returns what is to be written of that.
func (b *Store) MarkSent(m *Message, alert *schemas.Alert, shown DisplayedCounts, at schemas.Receipt, now time.Time) Change {
	m.Sent, m.Receipt, m.SentAt, m.LastSent = true, at, now, now
	m.marked = alert.PossiblyDuplicated && !at.Found // every edit keeps the mark: two messages may stand
	correct := b.CanEdit && m.PossiblyDuplicated && !m.Orphaned
	m.Urgent = correct
	m.MarkChanged()
	b.AddReply(m, &alert.Flag)
	return m.posted(shown, correct, now)
}

// StartEdit is what an edit of the message shows, and whether it was urgent. Nothing is shown of a message that has just
// lost a partition: without what that holds it would show less than it has told.
func (b *Store) StartEdit(m *Message) (alert schemas.Alert, shown DisplayedCounts, urgent bool) {
	if m.Orphaned {
		return schemas.Alert{}, nil, false
	}
	urgent = m.Urgent
	m.Unsynced = true
	m.Urgent = false // what comes from now on is due again
	m.MarkChanged()
	alert, shown = b.Alert(m)
	return alert, shown, urgent
}

// FinishEdit notes the end of an edit; again says that the next one is urgent.
func (m *Message) FinishEdit(now time.Time, again bool) {
	m.LastSent = now
	m.Urgent = m.Urgent || again
	m.MarkChanged()
}

// MarkSynced notes that the log knows all that the message shows.
func (m *Message) MarkSynced() {
	m.Unsynced = false
	m.MarkChanged()
}

// MarkFailed notes a failure of the sink.
func (m *Message) MarkFailed(e *alerting.Error, now time.Time) {
	if e.Ambiguous && !m.Sent {
		m.PossiblyDuplicated = true
	}
	if e.Reason == alerting.ReasonRefused {
		m.NotBefore = now.Add(refusedPause)
	}
	m.MarkChanged()
}

// DisplayedCounts is what a message showed of each portion when it was handed to the sink.
type DisplayedCounts map[*GroupPart]int64

// Lost counts what was shown of portions that have been taken away since, and that the log does not have as shown.
func (s DisplayedCounts) Lost() (n int64) {
	for p, shown := range s {
		if p.Partition.Revoked() {
			n += shown - p.Record.Group.DisplayedCount
		}
	}
	return n
}

// DetachParts takes those of the portions out of the message that are still in it.
func (b *Store) DetachParts(m *Message, portions []*GroupPart) {
	for _, p := range portions {
		if p.Message == m {
			b.Detach(p)
		}
	}
}

// NewMessage makes a message that is not told yet.
func (b *Store) NewMessage(id string, g *Group, kind schemas.AlertKind, cause schemas.DigestCause) *Message {
	m := &Message{
		id: id, Kind: kind, Cause: cause, Severity: g.Severity, Tenant: g.Labels.Tenant, Channel: g.channel,
		Parts: make(map[*GroupPart]struct{}), edits: b.CanEdit,
	}
	if kind == schemas.AlertDigest {
		m.Tenant = g.Pool
	}
	b.messages[id] = m
	m.Channel.Messages[m] = struct{}{}
	m.MarkChanged()
	return m
}

func (m *Message) size() alertlog.Size {
	out := alertlog.Size{Groups: len(m.Parts)}
	for p := range m.Parts {
		out.Bytes += p.size
	}
	return out
}
