package conventions

import (
	"cmp"
	"slices"
	"strings"

	"confab/schemas/otlp/wire"
)

// Values are the attributes of one entry by slot, with those of its events.
type Values struct {
	values [slots]*wire.Value
	flat   []FlatItem
	sorted bool
}

// Reset empties the values, without references to a record.
func (f *Values) Reset() {
	f.values = [slots]*wire.Value{}
	clear(f.flat)
	f.flat, f.sorted = f.flat[:0], false
}

// Read replaces the values by those of an entry.
func (f *Values) Read(e *wire.Entry) {
	f.Reset()
	f.add(e.Attributes)
	for i := range e.Events {
		if name := e.Events[i].Name; name == EventDetails || strings.HasPrefix(name, EventPrompt) || strings.HasPrefix(name, EventCompletion) {
			f.add(e.Events[i].Attributes)
		}
	}
}

// add adds attributes. The first value of a slot counts.
func (f *Values) add(list []wire.Attribute) {
	for i := range list {
		a := &list[i]
		if at := SlotOf(a.Key); at != SlotNone {
			if f.values[at] == nil && a.Value.Kind != wire.Absent {
				f.values[at] = &a.Value
			}
		} else if it, ok := parseFlat(a.Key); ok {
			it.Value = &a.Value
			f.flat = append(f.flat, it)
		}
	}
}

// At returns the value in a slot; nil for none.
func (f *Values) At(at Slot) *wire.Value { return f.values[at] }

// Has reports whether the entry has a value in one of the slots.
func (f *Values) Has(which ...Slot) bool {
	return slices.ContainsFunc(which, func(at Slot) bool { return f.values[at] != nil })
}

// Items returns the members of a flattened list in the order of its items.
func (f *Values) Items(list Family) []FlatItem {
	if !f.sorted {
		slices.SortStableFunc(f.flat, func(a, b FlatItem) int { return cmp.Or(int(a.List)-int(b.List), a.Index-b.Index, a.Part-b.Part) })
		f.sorted = true
	}
	from, _ := slices.BinarySearchFunc(f.flat, list, func(it FlatItem, l Family) int { return int(it.List) - int(l) })
	to := from
	for to < len(f.flat) && f.flat[to].List == list {
		to++
	}
	return f.flat[from:to]
}
