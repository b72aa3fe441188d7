package dispatch

// phase is how far the delivery of a message has come.
type phase int

// The phases of a message. An unsent message that loses a part dissolves: its parts get other messages. A sent message that
// loses a part detaches: it is not edited any more, and its parts leave it.
const (
	planned               phase = iota + 1 // not sent; no attempt to post has an unknown result
	unconfirmed                            // the result of an attempt to post is unknown
	dissolving                             // planned, has lost a part
	dissolvingUnconfirmed                  // unconfirmed, has lost a part
	sent
	editDue    // sent; an edit is due at once
	detaching  // sent, has lost a part
	closed     // without parts; out of the store
	phaseCount = int(iota)
)

// event is what changes the phase of a message.
type event int

const (
	postUnconfirmed event = iota // an attempt to post may have reached the sink
	postAccepted                 // the sink has accepted the message
	editRequested                // the message shows something outdated
	editStarted                  // an edit is handed to the sink
	partLost                     // a part was revoked or replaced
	emptied                      // the last part has left
	eventCount      = int(iota)
)

// after is the phase that follows p. An event that is not in the row of a phase leaves the phase as it is.
func (p phase) after(e event) phase {
	table := [phaseCount + 1][eventCount]phase{
		planned:               {postUnconfirmed: unconfirmed, postAccepted: sent, partLost: dissolving, emptied: closed},
		unconfirmed:           {postAccepted: sent, partLost: dissolvingUnconfirmed, emptied: closed},
		dissolving:            {postUnconfirmed: dissolvingUnconfirmed, postAccepted: detaching, emptied: closed},
		dissolvingUnconfirmed: {postAccepted: detaching, emptied: closed},
		sent:                  {editRequested: editDue, partLost: detaching, emptied: closed},
		editDue:               {editStarted: sent, partLost: detaching, emptied: closed},
		detaching:             {emptied: closed},
	}
	if next := table[p][e]; next != 0 {
		return next
	}
	return p
}

// isSent reports that the sink has accepted the message.
func (p phase) isSent() bool { return p >= sent && p != closed }

// isUnconfirmed reports that an attempt to post may have reached the sink.
func (p phase) isUnconfirmed() bool { return p == unconfirmed || p == dissolvingUnconfirmed }

// isDissolving reports that the message is not sent and its parts are to leave it.
func (p phase) isDissolving() bool { return p == dissolving || p == dissolvingUnconfirmed }

// takesParts reports that the message has all of its parts and further ones may be attached.
func (p phase) takesParts() bool { return !p.isDissolving() && p != detaching && p != closed }
