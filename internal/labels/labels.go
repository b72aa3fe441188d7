// Package labels bounds the values of metric labels that come from the traffic, where the number of names has no limit.
package labels

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Labels that stand for other names.
const (
	Other = "other" // every name without a label of its own
	None  = "none"  // the empty name
)

// MaxLength is the maximum number of bytes of a label.
const MaxLength = 64

// Options choose the names that get a label.
type Options struct {
	Allowed []string // these names and no others, if there are any
	Max     int      // else the first Max names
}

// Names gives each name of the traffic one of a bounded number of labels, the same for the life of the process. It is safe
// for concurrent use.
type Names struct {
	mu     sync.RWMutex
	labels map[string]string
	room   int // further names that get a label
}

// NewNames makes the names of the options.
func NewNames(o Options) *Names {
	n := &Names{labels: map[string]string{"": None, None: None, Other: Other}, room: max(0, o.Max)}
	for _, name := range o.Allowed {
		n.labels[Clean(name)], n.room = Clean(name), 0
	}
	return n
}

// Label returns the label of a name, which may point into memory that changes later.
func (n *Names) Label(name string) string {
	name = Clean(name)
	n.mu.RLock()
	label, known := n.labels[name]
	full := n.room == 0
	n.mu.RUnlock()
	switch {
	case known:
		return label
	case full:
		return Other
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if label, known := n.labels[name]; known || n.room == 0 { // since the first look
		return cmp.Or(label, Other)
	}
	name = strings.Clone(name)
	n.labels[name] = name
	n.room--
	return name
}

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

	mu    sync.RWMutex
	cells map[[2]string]*T
}

// NewTable makes a table. create makes the T of a pair of labels when the pair is first seen, and now for [Other], so that
// series exist from the start.
func NewTable[T any](t *Traffic, create func(service, model string) *T) *Table[T] {
	return &Table[T]{traffic: t, create: create, cells: map[[2]string]*T{{Other, Other}: create(Other, Other)}}
}

// At returns the T of the labels of both names.
func (t *Table[T]) At(service, model string) *T {
	at := [2]string{t.traffic.services.Label(service), t.traffic.models.Label(model)}
	t.mu.RLock()
	cell := t.cells[at]
	t.mu.RUnlock()
	if cell != nil {
		return cell
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cells[at] == nil {
		t.cells[at] = t.create(at[0], at[1])
	}
	return t.cells[at]
}

// Clean returns the name as valid UTF-8 of visible characters, cut to MaxLength. Most names are returned as they are.
func Clean(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || r != ' ' && unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, name[:min(len(name), MaxLength)]))
}
