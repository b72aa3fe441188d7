package detectors

import (
	"slices"

	"confab/internal/text/citations"
)

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

// Markers are the citation markers of the answer. Their tokens have the flag [text.Marker].
func (d *Document) Markers() *citations.Markers {
	m, fresh := Scratch[citations.Markers](d)
	if fresh {
		m.Read(citations.Input{Answer: d.Prose(), Sources: d.in.Sources, Messages: d.in.Messages, Measured: len(d.sources), Work: d.Work()})
	}
	return m
}

// Measures copies the measures into the document's storage.
func (d *Document) Measures(m ...Measure) []Measure { return appendRows(&d.measures, m) }

// Evidence copies the rows into the document's storage.
func (d *Document) Evidence(rows ...Evidence) []Evidence { return appendRows(&d.evidence, rows) }

// Supports copies the rows into the document's storage.
func (d *Document) Supports(rows ...Support) []Support { return appendRows(&d.supports, rows) }

// appendRows appends the rows to storage and returns the copy.
func appendRows[T any](storage *[]T, rows []T) []T {
	first := len(*storage)
	*storage = append(*storage, rows...)
	return slices.Clip((*storage)[first:])
}
