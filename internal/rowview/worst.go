package rowview

import (
	"container/heap"
	"slices"
	"sync"
)

// Worst keeps the worst rows of many, at most a given number. It is safe for concurrent use.
type Worst struct {
	limit int

	mu    sync.Mutex
	rows  rowHeap
	total int
}

// NewWorst keeps up to limit rows.
func NewWorst(limit int) *Worst { return &Worst{limit: limit} }

// Wants reports whether a row of that rank would be kept now. A row that is not wanted never will be.
func (w *Worst) Wants(r Rank) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wants(r)
}

func (w *Worst) wants(r Rank) bool {
	return w.limit > 0 && (len(w.rows) < w.limit || r.Compare(w.rows[0].Rank) < 0)
}

// Add counts a row and keeps it if it is among the worst so far; nil is a row that is only counted.
func (w *Worst) Add(r *Row) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total++
	if r == nil || !w.wants(r.Rank) {
		return
	}
	if len(w.rows) == w.limit {
		heap.Pop(&w.rows)
	}
	heap.Push(&w.rows, r)
}

// Rows returns the rows kept, worst first, and how many were added in all.
func (w *Worst) Rows() (rows []*Row, total int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows = slices.Clone(w.rows)
	slices.SortFunc(rows, func(a, b *Row) int { return a.Rank.Compare(b.Rank) })
	return rows, w.total
}

// rowHeap has the least bad row at its root.
type rowHeap []*Row

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return h[i].Rank.Compare(h[j].Rank) > 0 }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *rowHeap) Push(x any) { *h = append(*h, x.(*Row)) }

// Pop implements heap.Interface.
func (h *rowHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
