package hold

import (
	"container/list"
	"time"
)

// Memory keeps a value by key for Limits.Wait after it was put, the latest ones if there are too many. It is not safe for
// concurrent use.
type Memory[V any] struct {
	limits Limits
	byKey  map[Key]*list.Element
	order  *list.List // of *kept[V], by the time they were put
	bytes  int
}

type kept[V any] struct {
	key   Key
	value V
	bytes int
	at    time.Time
}

// NewMemory returns an empty memory.
func NewMemory[V any](limits Limits) *Memory[V] {
	return &Memory[V]{limits: limits, byKey: map[Key]*list.Element{}, order: list.New()}
}

// Len is the number of values.
func (m *Memory[V]) Len() int { return len(m.byKey) }

// Get returns the value of a key.
func (m *Memory[V]) Get(key Key, now time.Time) (value V, ok bool) {
	m.expire(now)
	at := m.byKey[key]
	if at == nil {
		return value, false
	}
	k, ok := at.Value.(*kept[V])
	return k.value, ok
}

// Put sets the value of a key, which needs that many bytes. A value that alone exceeds the limit is not kept.
func (m *Memory[V]) Put(key Key, value V, bytes int, now time.Time) {
	if at := m.byKey[key]; at != nil {
		m.drop(at)
	}
	m.byKey[key] = m.order.PushBack(&kept[V]{key, value, bytes, now})
	m.bytes += bytes
	for m.bytes > m.limits.Bytes || len(m.byKey) > m.limits.Items {
		m.drop(m.order.Front())
	}
	m.expire(now)
}

// Delete forgets the value of a key.
func (m *Memory[V]) Delete(key Key) {
	if at := m.byKey[key]; at != nil {
		m.drop(at)
	}
}

func (m *Memory[V]) expire(now time.Time) {
	for at := m.order.Front(); at != nil; at = m.order.Front() {
		if k, ok := at.Value.(*kept[V]); ok && now.Sub(k.at) < m.limits.Wait {
			return
		}
		m.drop(at)
	}
}

func (m *Memory[V]) drop(at *list.Element) {
	if k, ok := m.order.Remove(at).(*kept[V]); ok {
		m.bytes -= k.bytes
		delete(m.byKey, k.key)
	}
}
