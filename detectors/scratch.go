package detectors

// Scratch is the document's value of type T: what one package keeps of every document, such as an index that it builds of
// the texts or room for intermediate results. The type is the key, so that a package which passes an unexported type has
// the value to itself. The first call makes a zero T; later documents of the same pool get it back as it was left, so that
// its storage is used again. fresh is true on the first call after a Reset: what T holds then belongs to another
// interaction.
func Scratch[T any](d *Document) (value *T, fresh bool) {
	for i := range d.scratch {
		s := &d.scratch[i]
		if value, ok := s.value.(*T); ok {
			fresh = s.resets != d.resets
			s.resets = d.resets
			return value, fresh
		}
	}
	value = new(T)
	d.scratch = append(d.scratch, scratchSlot{value: value, resets: d.resets})
	return value, true
}

// scratchSlot holds one package's value.
type scratchSlot struct {
	value  any    // a pointer
	resets uint64 // of the document, when the value was asked for last
}
