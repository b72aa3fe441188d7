// Package indexheap has a heap whose items can be removed, and a cursor that visits it in order.
package indexheap

import "container/heap"

// Heap is a heap whose items know their index, so that they can be removed.
type Heap[T any] struct {
	items []T
	less  func(a, b T) bool
	index func(T) *int
}

// New makes a heap. less orders items, index returns where an item keeps its index; [Absent] before it is added.
func New[T any](less func(a, b T) bool, index func(T) *int) *Heap[T] {
	return &Heap[T]{less: less, index: index}
}

// Items are the items in no particular order, read-only.
func (h *Heap[T]) Items() []T { return h.items }

// Len implements heap.Interface.
func (h *Heap[T]) Len() int { return len(h.items) }

// Less implements heap.Interface.
func (h *Heap[T]) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

// Swap implements heap.Interface.
func (h *Heap[T]) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.index(h.items[i]), *h.index(h.items[j]) = i, j
}

// Push implements heap.Interface.
func (h *Heap[T]) Push(x any) {
	item, _ := x.(T)
	*h.index(item) = len(h.items)
	h.items = append(h.items, item)
}

// Pop implements heap.Interface.
func (h *Heap[T]) Pop() any {
	var none T
	last := len(h.items) - 1
	item := h.items[last]
	h.items[last] = none
	h.items = h.items[:last]
	*h.index(item) = Absent
	return item
}

// Add adds an item that is not in the heap.
func (h *Heap[T]) Add(item T) { heap.Push(h, item) }

// Remove removes an item if it is in the heap.
func (h *Heap[T]) Remove(item T) {
	if i := *h.index(item); i != Absent {
		heap.Remove(h, i)
	}
}

// First is the least item.
func (h *Heap[T]) First() (item T, ok bool) {
	if len(h.items) == 0 {
		return item, false
	}
	return h.items[0], true
}

// Absent is the index of an item that is in no heap.
const Absent = -1

// Cursor visits the items of a heap in order and leaves the heap as it is. It costs as much as it visits.
type Cursor[T any] struct {
	heap *Heap[T]
	open []int // indexes of the items that may be next
}

// Cursor is a cursor before the least item. It is valid until the heap changes.
func (h *Heap[T]) Cursor() Cursor[T] {
	c := Cursor[T]{heap: h}
	c.push(0)
	return c
}

func (c *Cursor[T]) push(i int) {
	if i < len(c.heap.items) {
		c.open = append(c.open, i)
	}
}

// Next returns the next item without moving on.
func (c *Cursor[T]) Next() (item T, ok bool) {
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

// Skip moves on behind the item that Next has returned.
func (c *Cursor[T]) Skip() {
	i := c.open[0]
	c.open = c.open[1:]
	c.push(2*i + 1)
	c.push(2*i + 2)
}
