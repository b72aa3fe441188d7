package detectors

// Scratch returns the document's value of type T, in which one package keeps data about a document, such as an index or
// buffers. The type is the key: a value of an unexported type is private to its package. The first call makes a zero T.
// The value survives Reset, so that its storage is reused. fresh is true on the first call after a Reset: the contents
// then belong to another interaction.
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

type scratchSlot struct {
	value  any    // a pointer
	resets uint64 // Document.resets at the last call
}
