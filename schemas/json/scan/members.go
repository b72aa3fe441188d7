package scan

import (
	"hash/maphash"
	"slices"
)

// fewMembers is how many names of one object are compared one by one, which is faster than hashing.
const fewMembers = 32

// keepMembers is the size up to which the table of hashes is kept for the next text.
const keepMembers = 1024

// objectStep spreads object numbers over all bits.
const objectStep = 0x9e3779b97f4a7c15

// memberNames tracks the names in the open objects, innermost last, to find duplicates.
type memberNames struct {
	few     []string
	high    int // the longest few was
	objects int

	// many holds the further names of large objects as hashes of object and name, a third of the memory. The seed is
	// random, so that a false duplicate is accidental: below 1 in 10^9 for a whole MiB of names.
	many map[uint64]struct{}
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
	if m.many == nil {
		m.many = make(map[uint64]struct{})
		m.seed = maphash.MakeSeed()
	}
	before := len(m.many)
	m.many[maphash.String(m.seed, name)+uint64(sc.object)*objectStep] = struct{}{}
	return len(m.many) > before
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
	if len(m.many) > keepMembers {
		m.many = nil
	}
	clear(m.many)
}
