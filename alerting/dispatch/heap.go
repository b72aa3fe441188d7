package dispatch

import "container/heap"

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

// notInHeap is the index of what is in no heap.
const notInHeap = -1
