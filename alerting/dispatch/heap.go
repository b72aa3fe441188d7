package dispatch

import "container/heap"

// indexedHeap is a heap whose items know their index, so that they can be removed.
type indexedHeap[T any] struct {
	items []T
	less  func(a, b T) bool
	index func(T) *int
}

// Len implements heap.Interface.
func (h *indexedHeap[T]) Len() int { return len(h.items) }

// Less implements heap.Interface.
func (h *indexedHeap[T]) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

// Swap implements heap.Interface.
func (h *indexedHeap[T]) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.index(h.items[i]), *h.index(h.items[j]) = i, j
}

// Push implements heap.Interface.
func (h *indexedHeap[T]) Push(x any) {
	item, _ := x.(T)
	*h.index(item) = len(h.items)
	h.items = append(h.items, item)
}

// Pop implements heap.Interface.
func (h *indexedHeap[T]) Pop() any {
	var none T
	last := len(h.items) - 1
	item := h.items[last]
	h.items[last] = none
	h.items = h.items[:last]
	*h.index(item) = notInHeap
	return item
}

func (h *indexedHeap[T]) add(item T) { heap.Push(h, item) }

func (h *indexedHeap[T]) remove(item T) {
	if i := *h.index(item); i != notInHeap {
		heap.Remove(h, i)
	}
}

func (h *indexedHeap[T]) first() (item T, ok bool) {
	if len(h.items) == 0 {
		return item, false
	}
	return h.items[0], true
}

// notInHeap is the index of an item that is in no heap.
const notInHeap = -1

// heapCursor visits the items of a heap in order and leaves the heap as it is. It costs as much as it visits.
type heapCursor[T any] struct {
	heap *indexedHeap[T]
	open []int // indexes of the items that may be next
}

func (h *indexedHeap[T]) cursor() heapCursor[T] {
	c := heapCursor[T]{heap: h}
	c.push(0)
	return c
}

func (c *heapCursor[T]) push(i int) {
	if i < len(c.heap.items) {
		c.open = append(c.open, i)
	}
}

// next returns the next item without moving on.
func (c *heapCursor[T]) next() (item T, ok bool) {
	if len(c.open) == 0 {
		return item, false
	}
	for i := 1; i < len(c.open); i++ { // the first of open becomes the least
		if c.heap.Less(c.open[i], c.open[0]) {
			c.open[0], c.open[i] = c.open[i], c.open[0]
		}
	}
	return c.heap.items[c.open[0]], true
}

// skip moves on behind the item that next has returned.
func (c *heapCursor[T]) skip() {
	i := c.open[0]
	c.open = c.open[1:]
	c.push(2*i + 1)
	c.push(2*i + 2)
}
