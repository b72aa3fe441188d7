package hashtable

import "math/bits"

// Table maps hashes of text.Hash to values. Open addressing by their high bits; at most a quarter of the slots is used.
type Table[V any] struct {
	filter filter
	shift  uint8
	slots  []slot[V]
}

type slot[V any] struct {
	hash  uint64
	used  bool
	value V
}

// New returns the table of the map.
func New[V any](values map[uint64]V) *Table[V] {
	size := max(2, bits.Len(uint(4*len(values)))) // bits of an index
	t := &Table[V]{shift: uint8(64 - size), slots: make([]slot[V], 1<<size)}
	for h, v := range values {
		i := h >> t.shift
		for t.slots[i].used {
			i = (i + 1) & uint64(len(t.slots)-1)
		}
		t.slots[i] = slot[V]{hash: h, used: true, value: v}
		t.filter.add(h)
	}
	return t
}

// Find returns the value of the hash, the zero value and false for none.
func (t *Table[V]) Find(h uint64) (value V, ok bool) {
	if !t.filter.mayHold(h) {
		return value, false
	}
	return t.find(h)
}

func (t *Table[V]) find(h uint64) (value V, ok bool) {
	for i := h >> t.shift; t.slots[i].used; i = (i + 1) & uint64(len(t.slots)-1) {
		if t.slots[i].hash == h {
			return t.slots[i].value, true
		}
	}
	return value, false
}

// Get returns the value of the hash, the zero value for none.
func (t *Table[V]) Get(h uint64) V {
	value, _ := t.Find(h)
	return value
}
