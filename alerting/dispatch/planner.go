package dispatch

import (
	"strings"
	"time"

	"golang.org/x/time/rate"

	"confab/alerting/dispatch/dailylimit"
	"confab/alerting/dispatch/indexheap"
	"confab/alerting/dispatch/state"
)

// workPlanner finds the next work of a channel. advance and startWork change the store and the index; selectWork only reads.
// The caller owns the lock and the clock.
type workPlanner struct {
	store    *state.Store
	limiters map[limiterKey]*rate.Limiter
	daily    *dailylimit.Limiter
	channels map[*state.Channel]*dueIndex
}

func newPlanner(s *state.Store, partitions int) *workPlanner {
	return &workPlanner{
		store: s, daily: dailylimit.NewLimiter(s, partitions), limiters: make(map[limiterKey]*rate.Limiter), channels: make(map[*state.Channel]*dueIndex),
	}
}

// dueIndex indexes the work of a channel, so that the cost of a selection does not grow with the groups. A change marks a
// group or a message; advance classifies what is marked or has reached its time.
type dueIndex struct {
	channel *state.Channel
	waits   map[*state.Group]*waitingGroup
	actions map[*state.Message]*nextAction
	unsent  map[*state.Message]struct{}          // messages that are not sent
	digests map[state.DigestKey][]*state.Message // digests that are sent
	queues  map[state.DigestKey]*groupQueue      // waiting groups by pool, severity and cause

	groupTimes   *indexheap.Heap[*waitingGroup] // when groups are to be classified again
	messageTimes *indexheap.Heap[*nextAction]   // when messages are to be classified again
	ready        *indexheap.Heap[*nextAction]   // sent messages with work that is due, the most urgent first

	visits int // groups and messages classified, for tests
}

// waitingGroup is a group with parts that wait for a message.
type waitingGroup struct {
	group   *state.Group
	since   time.Time
	queue   *groupQueue
	at      int            // its index in queue
	target  *state.Message // its parts are to be attached to it
	due     time.Time      // when it is classified again
	timesAt int
}

// nextAction is the next work for a message.
type nextAction struct {
	msg       *state.Message
	attaching map[*state.Group]struct{} // groups with parts to be attached to it
	digest    *state.DigestKey          // under which it is indexed as a sent digest
	priority  priority
	since     time.Time
	readyAt   int
	due       time.Time // when it is classified again
	timesAt   int
}

// groupQueue holds waiting groups of one key, the longest wait first.
type groupQueue struct {
	key state.DigestKey
	*indexheap.Heap[*waitingGroup]
}

// index finds or makes the index of a channel.
func (pl *workPlanner) index(ch *state.Channel) *dueIndex {
	index, ok := pl.channels[ch]
	if !ok {
		index = newDueIndex(ch)
		pl.channels[ch] = index
	}
	return index
}

func newDueIndex(ch *state.Channel) *dueIndex {
	return &dueIndex{
		channel: ch, waits: make(map[*state.Group]*waitingGroup), actions: make(map[*state.Message]*nextAction),
		unsent: make(map[*state.Message]struct{}), digests: make(map[state.DigestKey][]*state.Message), queues: make(map[state.DigestKey]*groupQueue),
		groupTimes: indexheap.New(
			func(a, b *waitingGroup) bool { return a.due.Before(b.due) },
			func(w *waitingGroup) *int { return &w.timesAt },
		),
		messageTimes: indexheap.New(
			func(a, b *nextAction) bool { return a.due.Before(b.due) },
			func(x *nextAction) *int { return &x.timesAt },
		),
		ready: indexheap.New(moreUrgent, func(x *nextAction) *int { return &x.readyAt }),
	}
}

// moreUrgent reports that the work of a comes before that of b.
func moreUrgent(a, b *nextAction) bool {
	if a.priority != b.priority {
		return a.priority < b.priority
	}
	if c := a.since.Compare(b.since); c != 0 {
		return c < 0
	}
	return a.msg.ID < b.msg.ID
}

// queue finds or makes the queue of a key.
func (index *dueIndex) queue(k state.DigestKey) *groupQueue {
	q, ok := index.queues[k]
	if !ok {
		q = &groupQueue{key: k, Heap: indexheap.New(waitedLonger, func(w *waitingGroup) *int { return &w.at })}
		index.queues[k] = q
	}
	return q
}

// waitedLonger reports that a has waited longer than b, or as long with the lower key.
func waitedLonger(a, b *waitingGroup) bool {
	if c := a.since.Compare(b.since); c != 0 {
		return c < 0
	}
	return strings.Compare(a.group.Key, b.group.Key) < 0
}

// removeWaiting takes a group out of its queue, its target and the heap.
func (index *dueIndex) removeWaiting(g *state.Group) {
	w, ok := index.waits[g]
	if !ok {
		return
	}
	delete(index.waits, g)
	if q := w.queue; q != nil {
		q.Remove(w)
		if q.Len() == 0 {
			delete(index.queues, q.key)
		}
	}
	if x := index.actions[w.target]; x != nil {
		delete(x.attaching, g)
		w.target.MarkChanged()
	}
	index.groupTimes.Remove(w)
}

// addWaiting makes the entry of a waiting group.
func (index *dueIndex) addWaiting(g *state.Group, since time.Time) *waitingGroup {
	w := &waitingGroup{group: g, since: since, at: indexheap.Absent, timesAt: indexheap.Absent}
	index.waits[g] = w
	return w
}

// action finds or makes the entry of a message.
func (index *dueIndex) action(m *state.Message) *nextAction {
	x, ok := index.actions[m]
	if !ok {
		x = &nextAction{msg: m, attaching: make(map[*state.Group]struct{}), readyAt: indexheap.Absent, timesAt: indexheap.Absent}
		index.actions[m] = x
	}
	return x
}

// removeMessage takes a message out of the index. It must be in no heap.
func (index *dueIndex) removeMessage(m *state.Message) {
	delete(index.unsent, m)
	x, ok := index.actions[m]
	if !ok {
		return
	}
	index.removeDigest(x)
	delete(index.actions, m)
	for g := range x.attaching {
		index.channel.ChangedGroups[g] = struct{}{}
	}
}
