package detectors

import (
	"fmt"
	"slices"

	"confab/schemas"
)

// Entry describes a detector to other packages and builds it.
type Entry struct {
	Name  string             // its key in the configuration and its metric label
	Type  schemas.SignalType // the kind of fault if a finding has none
	Prose bool               // it reads the answer as text: an empty answer is not_checkable
	Deep  bool               // it calls language models; it is independent
	Own   bool               // it is not one of the standard detectors; it is independent
	// Independent detectors are outside of fusion: that they stay clear says nothing about the rest of the answer, and does
	// not lower the risk. When they fire, they raise it.
	Independent bool
	// Fields of the record that the answer is measured by. If one of them is malformed, the signal is not_checkable: with
	// the field empty the finding would be wrong.
	Fields []string

	// NewOptions returns a pointer to the detector's default options, to be filled by a strict decoder.
	NewOptions func() any
	// New builds the detector from the value of NewOptions; nil means the defaults. Its error names a wrong setting.
	New func(options any) (Detector, error)
}

// Names returns the names of the entries, in order.
func Names(entries []Entry) []string {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	return names
}

// Reading returns the entry with its Fields.
func (e Entry) Reading(fields ...string) Entry {
	e.Fields = fields
	return e
}

// Independently returns the entry as that of an [Entry.Independent] detector.
func (e Entry) Independently() Entry {
	e.Independent = true
	return e
}

func (e *Entry) independent() bool { return e.Independent || e.Deep || e.Own }

// readsAny reports whether one of the fields is among those that the answer is measured by.
func (e *Entry) readsAny(fields []string) bool {
	for _, f := range fields {
		if slices.Contains(e.Fields, f) {
			return true
		}
	}
	return false
}

// TextEntry describes a detector that reads the answer as text.
func TextEntry[O any](name string, t schemas.SignalType, defaults func() O, build func(O) (Detector, error)) Entry {
	e := EventEntry(name, t, defaults, build)
	e.Prose = true
	return e
}

// EventEntry describes a detector that reads any part of the interaction.
func EventEntry[O any](name string, t schemas.SignalType, defaults func() O, build func(O) (Detector, error)) Entry {
	return Entry{
		Name:       name,
		Type:       t,
		NewOptions: func() any { o := defaults(); return &o },
		New: func(options any) (Detector, error) {
			if options == nil {
				return build(defaults())
			}
			o, ok := options.(*O)
			if !ok {
				return nil, fmt.Errorf("options of %s are %T, want %T: take them from NewOptions", name, options, o)
			}
			return build(*o)
		},
	}
}
