package hashtable

import "math/bits"

// Set is a read-only set of hashes of text.Hash, none of which is 0. A miss, which nearly every word is, costs one load.
type Set struct {
	filter filter
	shift  uint8
	slots  []uint64 // by the high bits of the hash, at most a quarter of them used; 0 is free
}

// NewSet returns the set of the hashes.
func NewSet(hashes []uint64) *Set {
	size := max(2, bits.Len(uint(4*len(hashes)))) // bits of an index
	s := &Set{shift: uint8(64 - size), slots: make([]uint64, 1<<size)}
	for _, h := range hashes {
		i := h >> s.shift
		for s.slots[i] != 0 && s.slots[i] != h {
			i = (i + 1) & uint64(len(s.slots)-1)
		}
		s.slots[i] = h
		s.filter.add(h)
	}
	return s
}

// Has reports whether the set has the hash.
func (s *Set) Has(h uint64) bool { return s.filter.mayHold(h) && s.holds(h) }

func (s *Set) holds(h uint64) bool {
	for i := h >> s.shift; s.slots[i] != 0; i = (i + 1) & uint64(len(s.slots)-1) {
		if s.slots[i] == h {
			return true
		}
	}
	return false
}
