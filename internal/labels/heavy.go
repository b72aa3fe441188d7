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
	slots []nameCount
	index map[string]int // name → slot
	total uint64
}

// nameCount counts a name. It occurred at least count-inherited times.
type nameCount struct {
	name             string
	count, inherited uint64
}

func newHeavyHitters() *heavyHitters {
	return &heavyHitters{slots: make([]nameCount, 0, heavyCapacity), index: make(map[string]int, heavyCapacity)}
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
	s := &h.slots[at]
	s.count++
	certain := s.count - s.inherited
	return certain >= heavyMinimum && certain*heavyShare >= h.total
}

// place gives a new name a slot: a free one, or that of the rarest name.
func (h *heavyHitters) place(name string) int {
	at := len(h.slots)
	if at < heavyCapacity {
		h.slots = append(h.slots, nameCount{name: name})
	} else {
		at = h.rarest()
		delete(h.index, h.slots[at].name)
		count := h.slots[at].count
		h.slots[at] = nameCount{name: name, count: count, inherited: count}
	}
	h.index[name] = at
	return at
}

func (h *heavyHitters) rarest() int {
	at := 0
	for i := range h.slots {
		if h.slots[i].count < h.slots[at].count {
			at = i
		}
	}
	return at
}

// age halves all counts, so that a name that became frequent recently is found.
func (h *heavyHitters) age() {
	h.total /= 2
	for i := range h.slots {
		h.slots[i].count /= 2
		h.slots[i].inherited /= 2
	}
}
