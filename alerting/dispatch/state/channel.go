package state

import (
	"time"

	"confab/schemas"
)

// Channel is one place where messages go. Channels do not wait for each other.
type Channel struct {
	name           string
	Messages       map[*Message]struct{}
	WaitingGroups  map[*Group]struct{}     // groups with portions that no message tells
	EvictedDigests map[DigestKey]time.Time // when the last digest was posted that was left for want of memory

	ChangedGroups   map[*Group]struct{}   // since the planner last classified them
	ChangedMessages map[*Message]struct{} // likewise, those that are forgotten included

	Replies  []Reply
	Changes  chan struct{} // something changed
	Busy     bool
	Failures int // in a row
}

// Channel finds or makes the channel of a name.
func (s *Store) Channel(name string) *Channel {
	c, ok := s.Channels[name]
	if !ok {
		c = &Channel{
			name: name, Messages: make(map[*Message]struct{}), WaitingGroups: make(map[*Group]struct{}),
			EvictedDigests: make(map[DigestKey]time.Time), Changes: make(chan struct{}, 1),
			ChangedGroups: make(map[*Group]struct{}), ChangedMessages: make(map[*Message]struct{}),
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

const maxReplies = 100 // waiting in a channel; further ones are left out

// AddReply notes details to be added below a message.
func (s *Store) AddReply(m *Message, f *schemas.Flag) {
	if s.replies && m.Kind == schemas.AlertGroup && len(m.Channel.Replies) < maxReplies {
		m.Channel.Replies = append(m.Channel.Replies, Reply{m, *f})
	}
}

// Notify leaves a note that something changed.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// NotifyAll wakes whoever tells, in every channel.
func (s *Store) NotifyAll() {
	for _, ch := range s.Channels {
		Notify(ch.Changes)
	}
}

// updateWaiting notes whether the group has portions that wait for a message.
func (s *Store) updateWaiting(g *Group) {
	g.channel.ChangedGroups[g] = struct{}{}
	for _, part := range g.Parts {
		if part.Unassigned() {
			g.channel.WaitingGroups[g] = struct{}{}
			return
		}
	}
	delete(g.channel.WaitingGroups, g)
}
