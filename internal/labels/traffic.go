package labels

import "sync/atomic"

// Traffic gives interactions the labels service and model.
type Traffic struct{ services, models *Names }

// NewTraffic makes the labels of services and of models.
func NewTraffic(services, models Options) *Traffic {
	return &Traffic{services: NewNames(services), models: NewNames(models)}
}

// Table holds a T for each pair of service and model labels, usually metric series that are looked up once. It is safe for
// concurrent use.
type Table[T any] struct {
	traffic *Traffic
	create  func(service, model string) *T
	cells   []atomic.Pointer[T]
}

// NewTable makes a table. create makes the T of a pair of labels when the pair is first seen; it may be called more than once
// for a pair and must then return equivalent values. It is called now for [Other], so that series exist from the start.
func NewTable[T any](t *Traffic, create func(service, model string) *T) *Table[T] {
	table := &Table[T]{traffic: t, create: create, cells: make([]atomic.Pointer[T], t.services.Size()*t.models.Size())}
	table.cells[otherIndex].Store(create(Other, Other))
	return table
}

// At counts both names and returns the T of their labels.
func (t *Table[T]) At(service, model string) *T {
	s, m := t.traffic.services.Find(service), t.traffic.models.Find(model)
	cell := &t.cells[s*t.traffic.models.Size()+m]
	if v := cell.Load(); v != nil {
		return v
	}
	cell.CompareAndSwap(nil, t.create(t.traffic.services.Label(s), t.traffic.models.Label(m)))
	return cell.Load()
}
