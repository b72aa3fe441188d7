package scan

import (
	"hash/maphash"
	"slices"
)

// fewMembers is how many names of one object are compared one by one, which is faster than hashing.
const fewMembers = 32

// keepMembers is the size up to which the table of hashes is kept for the next text.
const keepMembers = 4096

// objectStep spreads object numbers over all bits.
const objectStep = 0x9e3779b97f4a7c15

// memberNames tracks the names in the open objects, innermost last, to find duplicates.
type memberNames struct {
	few     []string
	high    int // the longest few was
	objects int

	// many holds the further names of large objects as hashes of object and name, a third of the memory. The seed is
	// random, so that a false duplicate is accidental: below 1 in 10^9 for a whole MiB of names.
	many hashSet
	seed maphash.Seed
}

// objectScope is the part of memberNames of one open object.
type objectScope struct{ base, object int }

func (m *memberNames) open() objectScope {
	m.objects++
	return objectScope{base: len(m.few), object: m.objects}
}

// add adds a name; false when the object has it already.
func (m *memberNames) add(sc *objectScope, name string) bool {
	known := m.few[sc.base:]
	if slices.Contains(known, name) {
		return false
	}
	if len(known) < fewMembers {
		m.few = append(m.few, name)
		return true
	}
	if m.many.slots == nil {
		m.seed = maphash.MakeSeed()
	}
	return m.many.add(maphash.String(m.seed, name) + uint64(sc.object)*objectStep)
}

func (m *memberNames) close(sc objectScope) {
	m.high = max(m.high, len(m.few))
	m.few = m.few[:sc.base]
}

// rewind removes the names that were added since there were n, with their objects. Hashes of larger objects stay: their
// object numbers are not used again.
func (m *memberNames) rewind(n int) {
	m.high = max(m.high, len(m.few))
	m.few = m.few[:n]
}

// reset removes all names, and the references to their bytes.
func (m *memberNames) reset() {
	m.high = max(m.high, len(m.few)) // objects that a fault left open are not closed
	clear(m.few[:m.high])
	m.few, m.high, m.objects = m.few[:0], 0, 0
	m.many.reset()
}

// hashSet is a set of hashes in a table with open addressing, at most half of it used. The zero value is empty.
type hashSet struct {
	slots []uint64 // 0 is free
	used  int
}

// add adds a hash; false when the set has it already.
func (s *hashSet) add(h uint64) bool {
	h = max(h, 1)
	if 2*s.used >= len(s.slots) {
		s.grow()
	}
	slot := s.slot(h)
	if *slot == h {
		return false
	}
	*slot = h
	s.used++
	return true
}

// slot is the slot of the hash, or the free slot for it.
func (s *hashSet) slot(h uint64) *uint64 {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if slot := &s.slots[i]; *slot == h || *slot == 0 {
			return slot
		}
	}
}

func (s *hashSet) grow() {
	old := s.slots
	s.slots = make([]uint64, max(2*fewMembers, 4*len(old)))
	for _, h := range old {
		if h != 0 {
			*s.slot(h) = h
		}
	}
}

// reset empties the set and drops a large table.
func (s *hashSet) reset() {
	if len(s.slots) > keepMembers {
		s.slots = nil
	}
	if s.used > 0 {
		clear(s.slots)
	}
	s.used = 0
}
