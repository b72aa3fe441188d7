package labels

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Labels that stand for other names.
const (
	Other = "other" // every name without a label of its own
	None  = "none"  // the empty name
)

// Positions of these labels in a [Names].
const (
	otherIndex = iota
	noneIndex
	reserved // number of these positions
)

// MaxLength is the maximum number of bytes of a label.
const MaxLength = 64

// Options choose the names that get a label.
type Options struct {
	Allowed []string // these names and no others, if there are any
	Max     int      // else at most this many
	First   bool     // the first Max names; otherwise the most frequent ones
}

// Names gives each name of the traffic one of a bounded number of labels. A name keeps its label for the life of the process.
// Without an allow-list a name gets a label once it is known to be frequent: it was seen at least ten times, and it is at
// least one percent of the names that have no label. Memory is bounded, whatever the number of names.
//
// Names is safe for concurrent use. A name that has a label costs one map lookup and no allocation.
type Names struct {
	table atomic.Pointer[labelTable]
	size  int
	full  atomic.Bool // no further name gets a label

	mu      sync.Mutex
	first   bool
	heavies *heavyHitters
}

// labelTable is never changed after it was published.
type labelTable struct {
	index  map[string]int
	labels []string
}

// NewNames makes the names of the options.
func NewNames(o Options) *Names {
	n := &Names{size: reserved + max(0, o.Max), first: o.First}
	t := &labelTable{index: map[string]int{"": noneIndex, None: noneIndex, Other: otherIndex}, labels: []string{Other, None}}
	for _, name := range o.Allowed {
		name = Clean(name)
		if _, twice := t.index[name]; !twice {
			t.index[name] = len(t.labels)
			t.labels = append(t.labels, name)
		}
	}
	if len(o.Allowed) > 0 {
		n.size = len(t.labels)
	}
	n.table.Store(t)
	if n.size == len(t.labels) {
		n.full.Store(true)
	} else if !o.First {
		n.heavies = newHeavyHitters()
	}
	return n
}

// Size is the number of labels that there may be: [Names.Find] returns positions below it.
func (n *Names) Size() int { return n.size }

// Label returns the label at a position that [Names.Find] returned.
func (n *Names) Label(at int) string { return n.table.Load().labels[at] }

// Find counts the name and returns the position of its label. The name may point into memory that changes later.
func (n *Names) Find(name string) int {
	name = Clean(name)
	if at, ok := n.table.Load().index[name]; ok {
		return at
	}
	if n.full.Load() {
		return otherIndex
	}
	return n.observe(name)
}

// observe counts a name without a label and gives it one if it is frequent by now.
func (n *Names) observe(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.table.Load()
	if at, ok := t.index[name]; ok { // since the caller looked
		return at
	}
	if n.full.Load() || !n.first && !n.heavies.observe(name) {
		return otherIndex
	}
	name = strings.Clone(name)
	next := &labelTable{index: maps.Clone(t.index), labels: append(slices.Clip(t.labels), name)}
	at := len(t.labels)
	next.index[name] = at
	n.table.Store(next)
	if len(next.labels) == n.size {
		n.full.Store(true)
		n.heavies = nil
	}
	return at
}

// Clean returns the name as valid UTF-8 of visible characters, cut to MaxLength. Most names are returned as they are.
func Clean(name string) string {
	if len(name) > MaxLength {
		name = name[:MaxLength]
		for len(name) > 0 && !utf8.ValidString(name[len(name)-lastRune(name):]) {
			name = name[:len(name)-lastRune(name)]
		}
	}
	if isClean(name) {
		return name
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || r != ' ' && unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, name))
}

// lastRune is the number of bytes from the start of the last character, whole or cut.
func lastRune(s string) int {
	n := 1
	for n < min(len(s), utf8.UTFMax) && !utf8.RuneStart(s[len(s)-n]) {
		n++
	}
	return n
}

// isClean reports whether the name has only printable characters and no space around it.
func isClean(name string) bool {
	if name != "" && (name[0] == ' ' || name[len(name)-1] == ' ') {
		return false
	}
	for _, r := range name {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
