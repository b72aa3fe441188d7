package detectors

import (
	"fmt"
	"io"

	"confab/schemas"
)

// Standard lists the detectors of the fast path, one line each, in the order in which they run and flags show them.
func Standard() []Entry {
	return []Entry{
		onText("citation", schemas.Attribution, DefaultCitationOptions, newCitation),
		onText("grounding", schemas.Factual, DefaultGroundingOptions, newGrounding),
		onText("facts", schemas.Factual, DefaultFactsOptions, newFacts),
		onEvent("confidence", schemas.Confidence, DefaultConfidenceOptions, newConfidence),
		onEvent("schema", schemas.Format, DefaultSchemaOptions, newSchema),
		onText("technical", schemas.Fabrication, DefaultTechnicalOptions, newTechnical),
	}
}

// Entry is a detector that can be built: all that is known of it outside its own file.
type Entry struct {
	Name  string             // its key in the configuration and its metric label
	Type  schemas.SignalType // the kind of fault, unless a finding says otherwise
	Prose bool               // it reads the answer as text: an empty one is not_checkable
	Deep  bool               // it asks language models; the fused risk is made without it

	// NewOptions returns a pointer to the detector's options, set to their defaults, for a strict decoder to fill.
	NewOptions func() any
	// New builds the detector from what NewOptions returned; nil stands for the defaults. Its error is the user's to fix.
	New func(options any, deps Deps) (Detector, error)
}

// Deps are what detectors may need from outside. Each ignores what it does not need.
type Deps struct {
	Baselines Baselines         // nil: none are known
	Model     *Model            // nil: nothing learned, scores are the plain measures
	Schemas   map[string]string // operation → JSON Schema that its answers must follow

	Open func(path string) (io.ReadCloser, error) // reads files that options name; nil: they are not read

	Reliability ReliabilityWeights
}

// Names are the names of the entries, in order.
func Names(entries []Entry) []string {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	return names
}

// onText lists a detector that reads the answer as text.
func onText[O any](name string, t schemas.SignalType, defaults func() O, build func(O, Deps) (Detector, error)) Entry {
	e := onEvent(name, t, defaults, build)
	e.Prose = true
	return e
}

// onEvent lists a detector that reads anything of the interaction.
func onEvent[O any](name string, t schemas.SignalType, defaults func() O, build func(O, Deps) (Detector, error)) Entry {
	return Entry{
		Name:       name,
		Type:       t,
		NewOptions: func() any { o := defaults(); return &o },
		New: func(options any, deps Deps) (Detector, error) {
			if options == nil {
				return build(defaults(), deps)
			}
			o, ok := options.(*O)
			if !ok {
				return nil, fmt.Errorf("options of %s are %T, want %T: take them from NewOptions", name, options, o)
			}
			return build(*o, deps)
		},
	}
}
