package consumer

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// holder is a loop's own part of an assignment: a pointer to a type that embeds *assignment.
type holder interface {
	comparable
	Assignment() *assignment
}

// Assignment implements [holder].
func (p *assignment) Assignment() *assignment { return p }

// ownedSet are the assignments of a loop, and whether it takes part in its group. The zero value is empty. It is safe for
// concurrent use.
type ownedSet[P holder] struct {
	count atomic.Int32

	mu        sync.Mutex
	all       map[partitionID]P
	abandoned []P // removed ones with a batch in work
	joined    bool
	draining  bool
}

// Add adds an assignment. It returns false after Drain: then the caller halts it.
func (o *ownedSet[P]) Add(p P) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = make(map[partitionID]P)
	}
	o.all[p.Assignment().ID] = p
	o.count.Store(int32(len(o.all)))
	return !o.draining
}

// Remove removes an assignment, unless a later one of the same partition has replaced it. Progress reports its batch in work
// until that ends: a handler that never returns keeps a worker busy after its partition is given back, too.
func (o *ownedSet[P]) Remove(p P) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !p.Assignment().BatchStart().IsZero() {
		o.abandoned = append(o.abandoned, p)
	}
	if id := p.Assignment().ID; o.all[id] == p {
		delete(o.all, id)
		o.count.Store(int32(len(o.all)))
	}
}

// Find returns the assignment of a partition; nil for none.
func (o *ownedSet[P]) Find(id partitionID) P {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// FindPartition is Find without the loop's own part.
func (o *ownedSet[P]) FindPartition(id partitionID) *assignment {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p, ok := o.all[id]; ok {
		return p.Assignment()
	}
	return nil
}

// All returns the assignments.
func (o *ownedSet[P]) All() []P {
	o.mu.Lock()
	defer o.mu.Unlock()
	ps := make([]P, 0, len(o.all))
	for _, p := range o.all {
		ps = append(ps, p)
	}
	return ps
}

// Partitions is All without the loop's own parts.
func (o *ownedSet[P]) Partitions() []*assignment {
	o.mu.Lock()
	defer o.mu.Unlock()
	ps := make([]*assignment, 0, len(o.all))
	for _, p := range o.all {
		ps = append(ps, p.Assignment())
	}
	return ps
}

// Count returns the number of assignments. It takes no lock, so that a partition may call it under its own.
func (o *ownedSet[P]) Count() int { return int(o.count.Load()) }

// Join makes the loop ready: it has joined its group.
func (o *ownedSet[P]) Join() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.joined = true
}

// Drain makes the loop unready for good, since it is asked to stop. It returns the assignments.
func (o *ownedSet[P]) Drain() []P {
	o.mu.Lock()
	o.draining = true
	o.mu.Unlock()
	return o.All()
}

// Ready reports whether the loop has joined its group and is not asked to stop.
func (o *ownedSet[P]) Ready() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.joined && !o.draining
}

// Progress is the state that a liveness probe needs.
type Progress struct {
	Busy  bool      // a codec or handler is running
	Since time.Time // start of the oldest such record; zero when not Busy

	Topic     string // of the oldest such work
	Partition int32
	Offset    int64
}

// Progress returns the record that a codec or handler has worked on for longest. Waits for brokers, slots or the next
// attempt do not count: a restart would not end them.
func (o *ownedSet[P]) Progress() Progress {
	var pr Progress
	for _, held := range append(o.All(), o.inWork()...) {
		p := held.Assignment()
		if offset, busy := p.CurrentRecord(); !busy.IsZero() && (!pr.Busy || busy.Before(pr.Since)) {
			pr = Progress{Busy: true, Since: busy, Topic: p.ID.Topic, Partition: p.ID.Partition, Offset: offset}
		}
	}
	return pr
}

// inWork returns the removed assignments whose batch has not ended.
func (o *ownedSet[P]) inWork() []P {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.abandoned = slices.DeleteFunc(o.abandoned, func(p P) bool { return p.Assignment().BatchStart().IsZero() })
	return slices.Clone(o.abandoned)
}

// StuckFor returns the age of the oldest batch in work.
func (o *ownedSet[P]) StuckFor() time.Duration {
	var oldest time.Duration
	for _, held := range o.All() {
		if head := held.Assignment().BatchStart(); !head.IsZero() {
			oldest = max(oldest, time.Since(head))
		}
	}
	return oldest
}
