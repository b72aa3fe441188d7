package alerting

import (
	"container/heap"
	"slices"
	"strings"
	"time"
)

// dueIndex indexes what is to be done in a channel, so that the cost of a choice does not grow with the groups. Changes mark
// a group or a message; whatever is marked, or has reached its time, is classified at the next choice.
type dueIndex struct {
	groups   map[*group]struct{}     // marked
	messages map[*notice]struct{}    // marked
	untold   map[*notice]struct{}    // messages that do not stand yet
	digests  map[digestKey][]*notice // digests that stand
	torn     map[digestKey]time.Time // when the last digest was posted that was left for want of memory
	queues   map[digestKey]*queue    // groups that wait, by how they are to be told

	groupTimes   *indexedHeap[*group]  // when groups are to be classified again
	messageTimes *indexedHeap[*notice] // when messages are to be classified again
	ready        *indexedHeap[*notice] // messages that stand and have something due, the most urgent first

	visits int // groups and messages classified, for tests
}

// waitState is where a group waits for a message.
type waitState struct {
	since   time.Time
	queue   *queue
	at      int // its index in queue
	joins   *notice
	due     time.Time // when it is classified again
	timesAt int
}

// nextAction is what is to be done for a message that stands.
type nextAction struct {
	urgency urgency
	since   time.Time
	readyAt int
	due     time.Time // when it is classified again
	timesAt int
}

// queue holds groups that are told alike, by the time since which they wait.
type queue struct {
	key digestKey
	indexedHeap[*group]
}

func newDueIndex() dueIndex {
	return dueIndex{
		groups: make(map[*group]struct{}), messages: make(map[*notice]struct{}), untold: make(map[*notice]struct{}),
		digests: make(map[digestKey][]*notice), torn: make(map[digestKey]time.Time), queues: make(map[digestKey]*queue),
		groupTimes: &indexedHeap[*group]{
			less:  func(a, b *group) bool { return a.wait.due.Before(b.wait.due) },
			index: func(g *group) *int { return &g.wait.timesAt },
		},
		messageTimes: &indexedHeap[*notice]{
			less:  func(a, b *notice) bool { return a.action.due.Before(b.action.due) },
			index: func(m *notice) *int { return &m.action.timesAt },
		},
		ready: &indexedHeap[*notice]{
			less: func(a, b *notice) bool {
				if a.action.urgency != b.action.urgency {
					return a.action.urgency < b.action.urgency
				}
				return a.action.since.Before(b.action.since)
			},
			index: func(m *notice) *int { return &m.action.readyAt },
		},
	}
}

// queue finds or makes the queue of a key.
func (a *dueIndex) queue(k digestKey) *queue {
	q, ok := a.queues[k]
	if !ok {
		q = &queue{key: k, indexedHeap: indexedHeap[*group]{less: waitedLonger, index: func(g *group) *int { return &g.wait.at }}}
		a.queues[k] = q
	}
	return q
}

// waitedLonger reports that a has waited longer than b.
func waitedLonger(a, b *group) bool {
	if c := a.wait.since.Compare(b.wait.since); c != 0 {
		return c < 0
	}
	return strings.Compare(a.key, b.key) < 0
}

// withdraw takes a group out of wherever it waits.
func (a *dueIndex) withdraw(g *group) {
	w := &g.wait
	if q := w.queue; q != nil {
		q.remove(g)
		if q.Len() == 0 {
			delete(a.queues, q.key)
		}
	}
	if w.joins != nil {
		delete(w.joins.joining, g)
		w.joins.changed()
	}
	a.groupTimes.remove(g)
	*w = waitState{at: notInHeap, timesAt: notInHeap}
}

// forget takes a message out of the index.
func (a *dueIndex) forget(m *notice) {
	delete(a.messages, m)
	delete(a.untold, m)
	a.ready.remove(m)
	a.messageTimes.remove(m)
	k := m.digestKey()
	a.digests[k] = slices.DeleteFunc(a.digests[k], func(d *notice) bool { return d == m })
	if len(a.digests[k]) == 0 {
		delete(a.digests, k)
	}
	for g := range m.joining {
		a.groups[g] = struct{}{}
	}
}

// changed marks a message.
func (m *notice) changed() { m.channel.due.messages[m] = struct{}{} }

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
