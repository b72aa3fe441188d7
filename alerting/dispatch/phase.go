package dispatch

// Phase is how far the delivery of a message has come.
type Phase int

// The phases of a message. An unsent message that loses a part dissolves: its parts get other messages. A sent message that
// loses a part detaches: it is not edited any more, and its parts leave it.
const (
	Planned               Phase = iota + 1 // not sent; no attempt to post has an unknown result
	Unconfirmed                            // the result of an attempt to post is unknown
	Dissolving                             // planned, has lost a part
	DissolvingUnconfirmed                  // unconfirmed, has lost a part
	Sent                                   // the log has all that the message shows
	EditDue                                // sent; an edit is due at once
	Unrecorded                             // sent; it may show more than the log has, so it is edited before parts leave it
	UnrecordedEditDue                      // unrecorded; an edit is due at once
	Detaching                              // sent, has lost a part
	Closed                                 // without parts; out of the store
	phaseCount            = int(iota)
)

// event is what changes the phase of a message.
type event int

const (
	postUnconfirmed event = iota // an attempt to post may have reached the sink
	postAccepted                 // the sink has accepted the message
	editRequested                // the message shows something outdated
	editStarted                  // an edit is handed to the sink
	editRecorded                 // the log has all that the message shows
	logBehind                    // the message was loaded, and the log may lack what it shows
	partLost                     // a part was revoked, replaced or evicted
	emptied                      // the last part has left
	eventCount      = int(iota)
)

// after is the phase that follows p. An event that is not in the row of a phase leaves the phase as it is.
func (p Phase) after(e event) Phase {
	table := [phaseCount + 1][eventCount]Phase{
		Planned:               {postUnconfirmed: Unconfirmed, postAccepted: Sent, partLost: Dissolving, emptied: Closed},
		Unconfirmed:           {postAccepted: Sent, partLost: DissolvingUnconfirmed, emptied: Closed},
		Dissolving:            {postUnconfirmed: DissolvingUnconfirmed, postAccepted: Detaching, emptied: Closed},
		DissolvingUnconfirmed: {postAccepted: Detaching, emptied: Closed},
		Sent:                  {editRequested: EditDue, editStarted: Unrecorded, logBehind: Unrecorded, partLost: Detaching, emptied: Closed},
		EditDue:               {editStarted: Unrecorded, logBehind: UnrecordedEditDue, partLost: Detaching, emptied: Closed},
		Unrecorded:            {editRequested: UnrecordedEditDue, editRecorded: Sent, partLost: Detaching, emptied: Closed},
		UnrecordedEditDue:     {editStarted: Unrecorded, editRecorded: EditDue, partLost: Detaching, emptied: Closed},
		Detaching:             {emptied: Closed},
	}
	if next := table[p][e]; next != 0 {
		return next
	}
	return p
}

// IsSent reports that the sink has accepted the message.
func (p Phase) IsSent() bool { return p >= Sent && p != Closed }

// IsUnconfirmed reports that an attempt to post may have reached the sink.
func (p Phase) IsUnconfirmed() bool { return p == Unconfirmed || p == DissolvingUnconfirmed }

// IsDissolving reports that the message is not sent and its parts are to leave it.
func (p Phase) IsDissolving() bool { return p == Dissolving || p == DissolvingUnconfirmed }

// IsEditDue reports that an edit does not wait for the group interval.
func (p Phase) IsEditDue() bool { return p == EditDue || p == UnrecordedEditDue }

// IsUnrecorded reports that the message may show more than the log has.
func (p Phase) IsUnrecorded() bool { return p == Unrecorded || p == UnrecordedEditDue }

// takesParts reports that the message has all of its parts and further ones may be attached.
func (p Phase) takesParts() bool { return !p.IsDissolving() && p != Detaching && p != Closed }
