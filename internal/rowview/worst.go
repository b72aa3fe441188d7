package rowview

import (
	"slices"
	"sync"
)

// Worst keeps the worst rows of many, at most a given number. It is safe for concurrent use.
type Worst struct {
	limit int

	mu    sync.Mutex
	rows  []*Row // worst first
	total int
}

// NewWorst keeps up to limit rows.
func NewWorst(limit int) *Worst { return &Worst{limit: limit} }

// Wants reports whether a row of that rank would be kept now. A row that is not wanted never will be.
func (w *Worst) Wants(r Rank) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.rows) < w.limit || w.limit > 0 && r.Compare(w.rows[w.limit-1].Rank) < 0
}

// Add counts a row and keeps it if it is among the worst so far; nil is a row that is only counted.
func (w *Worst) Add(r *Row) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total++
	if r == nil {
		return
	}
	at, _ := slices.BinarySearchFunc(w.rows, r.Rank, func(o *Row, rank Rank) int { return o.Rank.Compare(rank) })
	w.rows = slices.Insert(w.rows, at, r)
	w.rows = w.rows[:min(len(w.rows), w.limit)]
}

// Rows returns the rows kept, worst first, and how many were added in all.
func (w *Worst) Rows() (rows []*Row, total int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.rows), w.total
}
