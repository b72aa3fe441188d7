package otlp

import (
	"cmp"
	"slices"
	"strings"

	"confab/schemas/otlp/wire"
)

// fieldValues are the attributes of one entry by slot, with those of its events.
type fieldValues struct {
	values [slots]*wire.Value
	flat   []flatItem
	sorted bool
}

func (f *fieldValues) reset() {
	f.values = [slots]*wire.Value{}
	clear(f.flat)
	f.flat, f.sorted = f.flat[:0], false
}

// read replaces the values by those of an entry.
func (f *fieldValues) read(e *wire.Entry) {
	f.reset()
	f.add(e.Attributes)
	for i := range e.Events {
		if name := e.Events[i].Name; name == eventDetails || strings.HasPrefix(name, eventPrompt) || strings.HasPrefix(name, eventCompletion) {
			f.add(e.Events[i].Attributes)
		}
	}
}

// add adds attributes. The first value of a slot counts.
func (f *fieldValues) add(list []wire.Attribute) {
	for i := range list {
		a := &list[i]
		if at := slotOf(a.Key); at != slotNone {
			if f.values[at] == nil && a.Value.Kind != wire.Absent {
				f.values[at] = &a.Value
			}
		} else if it, ok := parseFlat(a.Key); ok {
			it.value = &a.Value
			f.flat = append(f.flat, it)
		}
	}
}

// has reports whether the entry has a value in one of the slots.
func (f *fieldValues) has(any ...slot) bool {
	return slices.ContainsFunc(any, func(at slot) bool { return f.values[at] != nil })
}

// items returns the members of a flattened list in the order of its items.
func (f *fieldValues) items(list family) []flatItem {
	if !f.sorted {
		slices.SortStableFunc(f.flat, func(a, b flatItem) int { return cmp.Or(int(a.list)-int(b.list), a.index-b.index, a.part-b.part) })
		f.sorted = true
	}
	from, _ := slices.BinarySearchFunc(f.flat, list, func(it flatItem, l family) int { return int(it.list) - int(l) })
	to := from
	for to < len(f.flat) && f.flat[to].list == list {
		to++
	}
	return f.flat[from:to]
}
