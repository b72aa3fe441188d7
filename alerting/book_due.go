package alerting

import (
	"container/heap"
	"strings"
	"time"
)

// planner finds what a channel does next. It reads the book, and what it decides changes the book only in takeUp and dissolve.
// Its caller owns the lock and the clock.
type planner struct {
	book     *book
	buckets  map[bucketKey]*bucket
	channels map[*channel]*dueIndex
}

func newPlanner(b *book) *planner {
	return &planner{book: b, buckets: make(map[bucketKey]*bucket), channels: make(map[*channel]*dueIndex)}
}

// dueIndex indexes what is to be done in a channel, so that the cost of a choice does not grow with the groups. Changes mark
// a group or a message; whatever is marked, or has reached its time, is classified at the next choice.
type dueIndex struct {
	channel *channel
	waits   map[*group]*waitState
	actions map[*notice]*nextAction
	untold  map[*notice]struct{}    // messages that do not stand yet
	digests map[digestKey][]*notice // digests that stand
	queues  map[digestKey]*queue    // groups that wait, by how they are to be told

	groupTimes   *indexedHeap[*waitState]  // when groups are to be classified again
	messageTimes *indexedHeap[*nextAction] // when messages are to be classified again
	ready        *indexedHeap[*nextAction] // messages that stand and have something due, the most urgent first

	visits int // groups and messages classified, for tests
}

// waitState is where a group waits for a message.
type waitState struct {
	group   *group
	since   time.Time
	queue   *queue
	at      int // its index in queue
	joins   *notice
	due     time.Time // when it is classified again
	timesAt int
}

// nextAction is what is to be done for a message.
type nextAction struct {
	msg     *notice
	joining map[*group]struct{} // groups that wait to be attached to it
	digest  *digestKey          // under which it is indexed as a digest that stands
	urgency urgency
	since   time.Time
	readyAt int
	due     time.Time // when it is classified again
	timesAt int
}

// queue holds groups that are told alike, by the time since which they wait.
type queue struct {
	key digestKey
	indexedHeap[*waitState]
}

// index finds or makes the index of a channel.
func (pl *planner) index(ch *channel) *dueIndex {
	a, ok := pl.channels[ch]
	if !ok {
		a = newDueIndex(ch)
		pl.channels[ch] = a
	}
	return a
}

func newDueIndex(ch *channel) *dueIndex {
	return &dueIndex{
		channel: ch, waits: make(map[*group]*waitState), actions: make(map[*notice]*nextAction),
		untold: make(map[*notice]struct{}), digests: make(map[digestKey][]*notice), queues: make(map[digestKey]*queue),
		groupTimes: &indexedHeap[*waitState]{
			less:  func(a, b *waitState) bool { return a.due.Before(b.due) },
			index: func(w *waitState) *int { return &w.timesAt },
		},
		messageTimes: &indexedHeap[*nextAction]{
			less:  func(a, b *nextAction) bool { return a.due.Before(b.due) },
			index: func(x *nextAction) *int { return &x.timesAt },
		},
		ready: &indexedHeap[*nextAction]{
			less: func(a, b *nextAction) bool {
				if a.urgency != b.urgency {
					return a.urgency < b.urgency
				}
				return a.since.Before(b.since)
			},
			index: func(x *nextAction) *int { return &x.readyAt },
		},
	}
}

// queue finds or makes the queue of a key.
func (a *dueIndex) queue(k digestKey) *queue {
	q, ok := a.queues[k]
	if !ok {
		q = &queue{key: k, indexedHeap: indexedHeap[*waitState]{less: waitedLonger, index: func(w *waitState) *int { return &w.at }}}
		a.queues[k] = q
	}
	return q
}

// waitedLonger reports that a has waited longer than b.
func waitedLonger(a, b *waitState) bool {
	if c := a.since.Compare(b.since); c != 0 {
		return c < 0
	}
	return strings.Compare(a.group.key, b.group.key) < 0
}

// withdraw takes a group out of wherever it waits.
func (a *dueIndex) withdraw(g *group) {
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
	if x := a.actions[w.joins]; x != nil {
		delete(x.joining, g)
		w.joins.changed()
	}
	a.groupTimes.remove(w)
}

// wait notes that a group waits.
func (a *dueIndex) wait(g *group, since time.Time) *waitState {
	w := &waitState{group: g, since: since, at: notInHeap, timesAt: notInHeap}
	a.waits[g] = w
	return w
}

// action finds or makes what is to be done for a message.
func (a *dueIndex) action(m *notice) *nextAction {
	x, ok := a.actions[m]
	if !ok {
		x = &nextAction{msg: m, joining: make(map[*group]struct{}), readyAt: notInHeap, timesAt: notInHeap}
		a.actions[m] = x
	}
	return x
}

// forget takes a message out of the index, which is in none of its heaps.
func (a *dueIndex) forget(m *notice) {
	delete(a.untold, m)
	x, ok := a.actions[m]
	if !ok {
		return
	}
	a.removeDigest(x)
	delete(a.actions, m)
	for g := range x.joining {
		a.channel.changedGroups[g] = struct{}{}
	}
}

// notInHeap is the index of what is in no heap.
const notInHeap = -1

// indexedHeap is a heap whose items know their index, so that they can be removed.
type indexedHeap[T any] struct {
	items []T
	less  func(a, b T) bool
	index func(T) *int
}

// Len implements heap.Interface.
func (o *indexedHeap[T]) Len() int { return len(o.items) }

// Less implements heap.Interface.
func (o *indexedHeap[T]) Less(i, j int) bool { return o.less(o.items[i], o.items[j]) }

// Swap implements heap.Interface.
func (o *indexedHeap[T]) Swap(i, j int) {
	o.items[i], o.items[j] = o.items[j], o.items[i]
	*o.index(o.items[i]), *o.index(o.items[j]) = i, j
}

// Push implements heap.Interface.
func (o *indexedHeap[T]) Push(x any) {
	item, _ := x.(T)
	*o.index(item) = len(o.items)
	o.items = append(o.items, item)
}

// Pop implements heap.Interface.
func (o *indexedHeap[T]) Pop() any {
	var none T
	last := len(o.items) - 1
	item := o.items[last]
	o.items[last] = none
	o.items = o.items[:last]
	*o.index(item) = notInHeap
	return item
}

func (o *indexedHeap[T]) add(item T) { heap.Push(o, item) }

func (o *indexedHeap[T]) remove(item T) {
	if i := *o.index(item); i != notInHeap {
		heap.Remove(o, i)
	}
}

// first is the item that comes first.
func (o *indexedHeap[T]) first() (item T, ok bool) {
	if len(o.items) == 0 {
		return item, false
	}
	return o.items[0], true
}

// firstQueue is the queue whose first group has waited longest, nil when all are empty. Tenants of the configuration come first.
func (pl *planner) firstQueue(queues []*queue) (first *queue) {
	for _, q := range queues {
		if w, ok := q.first(); ok && (first == nil || pl.before(w, first.items[0])) {
			first = q
		}
	}
	return first
}

// before reports that x gets a message of its own before y.
func (pl *planner) before(x, y *waitState) bool {
	if named := pl.book.isNamed(x.group.pool); named != pl.book.isNamed(y.group.pool) {
		return named
	}
	return waitedLonger(x, y)
}
