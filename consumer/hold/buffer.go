// Package hold keeps what waits for later records of its partition: a buffer of items that wait for a key, and a memory of
// what earlier records said about a key. Both are bounded by time, number and bytes, and read no clock.
package hold

import (
	"cmp"
	"slices"
	"time"
)

// maxTurns bounds how often an item goes on because its key arrived: each time may cost a decoding.
const maxTurns = 8

// maxPerKey bounds how many items wait for one key: each arrival of the key looks at all of them.
const maxPerKey = 1024

// Item waits in a Buffer.
type Item[V any] struct {
	ID    uint64 // its place in the partition
	Key   Key
	Value V
	Bytes int
	At    time.Time // when it came, by the wall clock
	Stamp time.Time // when it came, by the times of records
	Done  bool      // it needs no processing: only its offset waits
	Ended Reason    // why it waits no longer

	state itemState
	turns int
	kept  int // part of Bytes: what the codec keeps for it
}

type itemState uint8

const (
	stateWaiting itemState = iota
	stateReady             // to be taken
	stateTaken             // to be removed or to wait again
	stateRemoved
)

// Buffer holds items in the order of their ids until their key arrives or a limit ends. It is not safe for concurrent use.
type Buffer[V any] struct {
	limits  Limits
	order   []*Item[V] // by id; removed ones are dropped later
	removed int        // in order
	first   int        // those before it in order do not wait
	byID    map[uint64]*Item[V]
	byKey   map[Key][]*Item[V]
	ready   []*Item[V]
	waiting int
	bytes   int       // of those that wait
	oldest  time.Time // no stamp of those that wait is before it; zero for none

	unsorted bool // ready
}

// NewBuffer returns an empty buffer.
func NewBuffer[V any](limits Limits) *Buffer[V] {
	return &Buffer[V]{limits: limits, byID: map[uint64]*Item[V]{}, byKey: map[Key][]*Item[V]{}}
}

// Len is the number of items, also of those that are taken.
func (b *Buffer[V]) Len() int { return len(b.byID) }

// Find returns an item; nil for none.
func (b *Buffer[V]) Find(id uint64) *Item[V] { return b.byID[id] }

// Add adds an item, whose id is above all earlier ones. The oldest go on while there are too many.
func (b *Buffer[V]) Add(it Item[V]) {
	it.state, it.Ended, it.turns = stateWaiting, "", 0
	b.order = append(b.order, &it)
	b.byID[it.ID] = &it
	b.byKey[it.Key] = append(b.byKey[it.Key], &it)
	b.count(&it)
	if len(b.byKey[it.Key]) > maxPerKey && !it.Done {
		b.end(&it, BufferFull)
	}
	b.trim()
}

// count counts an item among those that wait.
func (b *Buffer[V]) count(it *Item[V]) {
	b.waiting++
	b.bytes += it.Bytes
	if b.oldest.IsZero() || it.Stamp.Before(b.oldest) {
		b.oldest = it.Stamp
	}
}

// trim ends the oldest items while a limit is exceeded.
func (b *Buffer[V]) trim() {
	for b.waiting > b.limits.Items || b.bytes > b.limits.Bytes {
		b.end(b.head(), BufferFull)
	}
}

// head returns the oldest item that waits; nil for none.
func (b *Buffer[V]) head() *Item[V] {
	for ; b.first < len(b.order); b.first++ {
		if b.order[b.first].state == stateWaiting {
			return b.order[b.first]
		}
	}
	return nil
}

func (b *Buffer[V]) end(it *Item[V], why Reason) {
	it.state, it.Ended = stateReady, why
	b.ready, b.unsorted = append(b.ready, it), true
	b.waiting--
	b.bytes -= it.Bytes
	if b.waiting == 0 {
		b.oldest = time.Time{}
	}
}

// Resize sets what is kept in memory for the item that waits for the key: it counts like the item's own bytes, so the oldest go
// on while there are too many.
func (b *Buffer[V]) Resize(key Key, bytes int) {
	for _, it := range b.byKey[key] {
		if it.Done || it.state == stateRemoved {
			continue
		}
		change := bytes - it.kept
		it.kept, it.Bytes = bytes, it.Bytes+change
		if it.state == stateWaiting {
			b.bytes += change
			b.trim()
		}
		return
	}
}

// Arrive lets items that wait for the key go on.
func (b *Buffer[V]) Arrive(key Key) {
	for _, it := range b.byKey[key] {
		if it.state == stateWaiting && !it.Done && it.turns < maxTurns {
			it.turns++
			b.end(it, KeyArrived)
		}
	}
}

// Settle lets items go on whose offsets are kept for the key.
func (b *Buffer[V]) Settle(key Key) {
	for _, it := range b.byKey[key] {
		if it.state == stateWaiting && it.Done {
			b.end(it, KeyArrived)
		}
	}
}

// Advance ends the items that have waited for the limit: until now, or until stamp, the time of a later record.
func (b *Buffer[V]) Advance(now, stamp time.Time) {
	for it := b.head(); it != nil && now.Sub(it.At) >= b.limits.Wait; it = b.head() {
		b.end(it, TimeLimit)
	}
	if stamp.IsZero() || b.oldest.IsZero() || stamp.Sub(b.oldest) < b.limits.Wait {
		return
	}
	b.oldest = time.Time{}
	for _, it := range b.order[b.first:] {
		switch {
		case it.state != stateWaiting:
		case stamp.Sub(it.Stamp) >= b.limits.Wait:
			b.end(it, TimeLimit)
		case b.oldest.IsZero() || it.Stamp.Before(b.oldest):
			b.oldest = it.Stamp
		}
	}
}

// EndBefore ends the items whose id is below the given one.
func (b *Buffer[V]) EndBefore(id uint64) {
	for it := b.head(); it != nil && it.ID < id; it = b.head() {
		b.end(it, BufferFull)
	}
}

// Deadline returns when the limit of the oldest item ends; false if none waits.
func (b *Buffer[V]) Deadline() (at time.Time, ok bool) {
	if it := b.head(); it != nil {
		return it.At.Add(b.limits.Wait), true
	}
	return at, false
}

// Next returns the item with the lowest id that waits no longer, without taking it; nil for none.
func (b *Buffer[V]) Next() *Item[V] {
	if b.unsorted {
		slices.SortFunc(b.ready, func(x, y *Item[V]) int { return cmp.Compare(x.ID, y.ID) })
		b.unsorted = false
	}
	if len(b.ready) == 0 {
		return nil
	}
	return b.ready[0]
}

// Take takes the item that Next returns. It is to be removed or returned.
func (b *Buffer[V]) Take() *Item[V] {
	it := b.Next()
	if it != nil {
		it.state = stateTaken
		b.ready[0] = nil
		b.ready = b.ready[1:]
	}
	return it
}

// Return makes a taken item wait again, for the rest of its time. It returns false for an item whose limit has ended.
func (b *Buffer[V]) Return(it *Item[V]) bool {
	if it.state != stateTaken || it.Ended != KeyArrived || it.Done {
		return false
	}
	it.state, it.Ended = stateWaiting, ""
	b.first = min(b.first, b.place(it))
	b.count(it)
	b.trim()
	return true
}

// place returns the index of an item in order.
func (b *Buffer[V]) place(it *Item[V]) int {
	i, _ := slices.BinarySearchFunc(b.order, it.ID, func(x *Item[V], id uint64) int { return cmp.Compare(x.ID, id) })
	return i
}

// Remove removes a taken item.
func (b *Buffer[V]) Remove(it *Item[V]) {
	if it.state != stateTaken {
		return
	}
	it.state = stateRemoved
	delete(b.byID, it.ID)
	if rest := slices.DeleteFunc(b.byKey[it.Key], func(o *Item[V]) bool { return o == it }); len(rest) > 0 {
		b.byKey[it.Key] = rest
	} else {
		delete(b.byKey, it.Key)
	}
	if b.removed++; b.removed > len(b.order)/2 {
		b.order = slices.DeleteFunc(b.order, func(o *Item[V]) bool { return o.state == stateRemoved })
		b.removed, b.first = 0, 0
	}
}

// Key is what an item waits for, such as a trace.
type Key [16]byte

// Limits bound a buffer and a memory.
type Limits struct {
	Wait  time.Duration // how long an item waits, by the wall clock and by the times of records
	Items int
	Bytes int
}

// Reason is why an item waits no longer.
type Reason string

// The reasons.
const (
	KeyArrived Reason = "arrived"     // its key arrived; it may wait again
	TimeLimit  Reason = "time_limit"  // it has waited for Limits.Wait
	BufferFull Reason = "buffer_full" // too many others wait
)

// Reasons lists all reasons.
func Reasons() []Reason { return []Reason{KeyArrived, TimeLimit, BufferFull} }

// Request is what a codec asks for a record.
type Request uint8

// The requests.
const (
	ProcessNow   Request = iota // the record does not wait
	WaitForKey                  // decode it again when its key has arrived or its limit ends; nothing of it was returned
	KeepUnmarked                // it is processed now, but its offset is not committed until its key is settled
)

// Turn is one decoding of a record of a partition that holds records. The zero Turn is of a partition that holds none.
type Turn struct {
	Open  bool   // the record may wait
	Ended Reason // why it waits no longer, if it has waited

	// The codec sets the rest.
	Ask     Request
	Key     Key
	Bytes   int  // what the codec keeps in memory for the item that waits for the key; 0: as before
	Arrives bool // items that wait for the key go on
	Settles bool // items whose offsets are kept for the key are done
}
