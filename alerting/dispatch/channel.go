package dispatch

import "slices"

// channel is one destination of messages. Channels do not wait for each other.
type channel struct {
	name          string
	messages      map[*message]struct{}
	waitingGroups map[*group]struct{} // groups with unassigned parts

	changes  chan struct{} // signals a change
	failures int           // in a row
}

// channel finds or makes the channel of a name.
func (s *store) channel(name string) *channel {
	c, ok := s.channels[name]
	if !ok {
		c = &channel{
			name: name, messages: make(map[*message]struct{}), waitingGroups: make(map[*group]struct{}),
			changes: make(chan struct{}, 1),
		}
		s.channels[name] = c
		notify(s.newChannels)
	}
	return c
}

// notify sends a signal without blocking. Signals that are not received yet are merged.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// notifyAll signals a change to every channel.
func (s *store) notifyAll() {
	for _, ch := range s.channels {
		notify(ch.changes)
	}
}

// updateWaiting notes whether the group has unassigned parts.
func (s *store) updateWaiting(g *group) {
	if delete(g.channel.waitingGroups, g); slices.ContainsFunc(g.parts, (*groupPart).unassigned) {
		g.channel.waitingGroups[g] = struct{}{}
	}
}
