package labels

import "strings"

const (
	heavyCapacity = 256     // names that are counted at a time
	heavyMinimum  = 10      // occurrences before a name is frequent
	heavyShare    = 100     // a frequent name is at least this fraction of all occurrences
	heavyHorizon  = 1 << 16 // occurrences after which older ones count half
)

// heavyHitters finds frequent names with bounded memory by the Space-Saving algorithm (Metwally, Agrawal, El Abbadi 2005): a
// new name replaces the rarest one and inherits its count as a possible error. It is not safe for concurrent use.
type heavyHitters struct {
	index     map[string]int // name → slot
	names     []string       // by slot
	counts    []uint64       // by slot, next to each other, since every new name searches the smallest
	inherited []uint64       // by slot: the name occurred at least counts-inherited times
	total     uint64
}

func newHeavyHitters() *heavyHitters {
	return &heavyHitters{
		index: make(map[string]int, heavyCapacity), names: make([]string, 0, heavyCapacity),
		counts: make([]uint64, 0, heavyCapacity), inherited: make([]uint64, 0, heavyCapacity),
	}
}

// observe counts an occurrence and reports whether the name is frequent.
func (h *heavyHitters) observe(name string) bool {
	if h.total++; h.total >= heavyHorizon {
		h.age()
	}
	at, known := h.index[name]
	if !known {
		at = h.place(strings.Clone(name))
	}
	h.counts[at]++
	certain := h.counts[at] - h.inherited[at]
	return certain >= heavyMinimum && certain*heavyShare >= h.total
}

// place gives a new name a slot: a free one, or that of the rarest name.
func (h *heavyHitters) place(name string) int {
	at := len(h.names)
	if at < heavyCapacity {
		h.names, h.counts, h.inherited = append(h.names, name), append(h.counts, 0), append(h.inherited, 0)
	} else {
		at = h.rarest()
		delete(h.index, h.names[at])
		h.names[at], h.inherited[at] = name, h.counts[at]
	}
	h.index[name] = at
	return at
}

func (h *heavyHitters) rarest() int {
	at, smallest := 0, h.counts[0]
	for i, n := range h.counts {
		if n < smallest {
			at, smallest = i, n
		}
	}
	return at
}

// age halves all counts, so that a name that became frequent recently is found.
func (h *heavyHitters) age() {
	h.total /= 2
	for i := range h.counts {
		h.counts[i] /= 2
		h.inherited[i] /= 2
	}
}
