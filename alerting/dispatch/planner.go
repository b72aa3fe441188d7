package dispatch

import (
	"strings"
	"time"

	"confab/alerting/dispatch/state"
)

// planner finds what a channel does next. It reads the book, and what it decides changes the book only in startWork and dissolve.
// Its caller owns the lock and the clock.
type planner struct {
	store    *state.Store
	buckets  map[bucketKey]*bucket
	channels map[*state.Channel]*dueIndex
}

func newPlanner(b *state.Store) *planner {
	return &planner{store: b, buckets: make(map[bucketKey]*bucket), channels: make(map[*state.Channel]*dueIndex)}
}

// dueIndex indexes what is to be done in a channel, so that the cost of a choice does not grow with the groups. Changes mark
// a group or a message; whatever is marked, or has reached its time, is classified at the next choice.
type dueIndex struct {
	channel *state.Channel
	waits   map[*state.Group]*waitingGroup
	actions map[*state.Message]*nextAction
	unsent  map[*state.Message]struct{}          // messages that do not stand yet
	digests map[state.DigestKey][]*state.Message // digests that stand
	queues  map[state.DigestKey]*groupQueue      // groups that wait, by how they are to be told

	groupTimes   *indexedHeap[*waitingGroup] // when groups are to be classified again
	messageTimes *indexedHeap[*nextAction]   // when messages are to be classified again
	ready        *indexedHeap[*nextAction]   // messages that stand and have something due, the most urgent first

	visits int // groups and messages classified, for tests
}

// waitingGroup is where a group waits for a message.
type waitingGroup struct {
	group   *state.Group
	since   time.Time
	queue   *groupQueue
	at      int // its index in queue
	target  *state.Message
	due     time.Time // when it is classified again
	timesAt int
}

// nextAction is what is to be done for a message.
type nextAction struct {
	msg       *state.Message
	attaching map[*state.Group]struct{} // groups that wait to be attached to it
	digest    *state.DigestKey          // under which it is indexed as a digest that stands
	priority  priority
	since     time.Time
	readyAt   int
	due       time.Time // when it is classified again
	timesAt   int
}

// groupQueue holds groups that are told alike, by the time since which they wait.
type groupQueue struct {
	key state.DigestKey
	indexedHeap[*waitingGroup]
}

// index finds or makes the index of a channel.
func (pl *planner) index(ch *state.Channel) *dueIndex {
	a, ok := pl.channels[ch]
	if !ok {
		a = newDueIndex(ch)
		pl.channels[ch] = a
	}
	return a
}

func newDueIndex(ch *state.Channel) *dueIndex {
	return &dueIndex{
		channel: ch, waits: make(map[*state.Group]*waitingGroup), actions: make(map[*state.Message]*nextAction),
		unsent: make(map[*state.Message]struct{}), digests: make(map[state.DigestKey][]*state.Message), queues: make(map[state.DigestKey]*groupQueue),
		groupTimes: &indexedHeap[*waitingGroup]{
			less:  func(a, b *waitingGroup) bool { return a.due.Before(b.due) },
			index: func(w *waitingGroup) *int { return &w.timesAt },
		},
		messageTimes: &indexedHeap[*nextAction]{
			less:  func(a, b *nextAction) bool { return a.due.Before(b.due) },
			index: func(x *nextAction) *int { return &x.timesAt },
		},
		ready: &indexedHeap[*nextAction]{
			less: func(a, b *nextAction) bool {
				if a.priority != b.priority {
					return a.priority < b.priority
				}
				return a.since.Before(b.since)
			},
			index: func(x *nextAction) *int { return &x.readyAt },
		},
	}
}

// queue finds or makes the queue of a key.
func (a *dueIndex) queue(k state.DigestKey) *groupQueue {
	q, ok := a.queues[k]
	if !ok {
		q = &groupQueue{key: k, indexedHeap: indexedHeap[*waitingGroup]{less: waitedLonger, index: func(w *waitingGroup) *int { return &w.at }}}
		a.queues[k] = q
	}
	return q
}

// waitedLonger reports that a has waited longer than b.
func waitedLonger(a, b *waitingGroup) bool {
	if c := a.since.Compare(b.since); c != 0 {
		return c < 0
	}
	return strings.Compare(a.group.Key, b.group.Key) < 0
}

// removeWaiting takes a group out of wherever it waits.
func (a *dueIndex) removeWaiting(g *state.Group) {
	w, ok := a.waits[g]
	if !ok {
		return
	}
	delete(a.waits, g)
	if q := w.queue; q != nil {
		q.remove(w)
		if q.Len() == 0 {
			delete(a.queues, q.key)
		}
	}
	if x := a.actions[w.target]; x != nil {
		delete(x.attaching, g)
		w.target.MarkChanged()
	}
	a.groupTimes.remove(w)
}

// addWaiting notes that a group waits.
func (a *dueIndex) addWaiting(g *state.Group, since time.Time) *waitingGroup {
	w := &waitingGroup{group: g, since: since, at: notInHeap, timesAt: notInHeap}
	a.waits[g] = w
	return w
}

// action finds or makes what is to be done for a message.
func (a *dueIndex) action(m *state.Message) *nextAction {
	x, ok := a.actions[m]
	if !ok {
		x = &nextAction{msg: m, attaching: make(map[*state.Group]struct{}), readyAt: notInHeap, timesAt: notInHeap}
		a.actions[m] = x
	}
	return x
}

// removeMessage takes a message out of the index, which is in none of its heaps.
func (a *dueIndex) removeMessage(m *state.Message) {
	delete(a.unsent, m)
	x, ok := a.actions[m]
	if !ok {
		return
	}
	a.removeDigest(x)
	delete(a.actions, m)
	for g := range x.attaching {
		a.channel.ChangedGroups[g] = struct{}{}
	}
}

// firstQueue is the queue whose first group has waited longest, nil when all are empty. Tenants of the configuration come first.
func (pl *planner) firstQueue(queues []*groupQueue) (first *groupQueue) {
	for _, q := range queues {
		if w, ok := q.first(); ok && (first == nil || pl.precedes(w, first.items[0])) {
			first = q
		}
	}
	return first
}

// precedes reports that x gets a message of its own before y.
func (pl *planner) precedes(x, y *waitingGroup) bool {
	if named := pl.store.IsConfiguredTenant(x.group.Pool); named != pl.store.IsConfiguredTenant(y.group.Pool) {
		return named
	}
	return waitedLonger(x, y)
}
