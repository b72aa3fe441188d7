package dispatch

import "confab/schemas"

// Channel is one destination of messages. Channels do not wait for each other.
type Channel struct {
	name          string
	Messages      map[*Message]struct{}
	WaitingGroups map[*Group]struct{} // groups with unassigned parts

	Replies  []Reply
	Ended    []Ended
	Changes  chan struct{} // signals a change
	Busy     bool
	Failures int // in a row
}

// Channel finds or makes the channel of a name.
func (s *Store) Channel(name string) *Channel {
	c, ok := s.Channels[name]
	if !ok {
		c = &Channel{
			name: name, Messages: make(map[*Message]struct{}), WaitingGroups: make(map[*Group]struct{}),
			Changes: make(chan struct{}, 1),
		}
		s.Channels[name] = c
		Notify(s.NewChannels)
	}
	return c
}

// Reply is a detail to be added below a message.
type Reply struct {
	Message *Message
	Flag    schemas.Flag
}

const maxReplies = 100 // waiting in a channel; further ones are dropped

// AddReply queues details to be added below a message.
func (s *Store) AddReply(m *Message, f *schemas.Flag) {
	if s.replies && m.Kind == schemas.AlertGroup && len(m.Channel.Replies) < maxReplies {
		m.Channel.Replies = append(m.Channel.Replies, Reply{m, *f})
	}
}

// Notify sends a signal without blocking. Signals that are not received yet are merged.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// NotifyAll signals a change to every channel.
func (s *Store) NotifyAll() {
	for _, ch := range s.Channels {
		Notify(ch.Changes)
	}
}

// updateWaiting notes whether the group has unassigned parts.
func (s *Store) updateWaiting(g *Group) {
	for _, part := range g.Parts {
		if part.Unassigned() {
			g.channel.WaitingGroups[g] = struct{}{}
			return
		}
	}
	delete(g.channel.WaitingGroups, g)
}
