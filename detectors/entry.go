package detectors

import (
	"fmt"

	"confab/schemas"
)

// Entry is a detector that can be built: all that is known of it outside its own package.
type Entry struct {
	Name  string             // its key in the configuration and its metric label
	Type  schemas.SignalType // the kind of fault, unless a finding says otherwise
	Prose bool               // it reads the answer as text: an empty one is not_checkable
	Deep  bool               // it asks language models; the fused risk is made without it

	// NewOptions returns a pointer to the detector's options, set to their defaults, for a strict decoder to fill.
	NewOptions func() any
	// New builds the detector from what NewOptions returned; nil stands for the defaults. Its error is the user's to fix.
	New func(options any) (Detector, error)
}

// Names are the names of the entries, in order.
func Names(entries []Entry) []string {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	return names
}

// TextEntry lists a detector that reads the answer as text.
func TextEntry[O any](name string, t schemas.SignalType, defaults func() O, build func(O) (Detector, error)) Entry {
	e := EventEntry(name, t, defaults, build)
	e.Prose = true
	return e
}

// EventEntry lists a detector that reads anything of the interaction.
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
