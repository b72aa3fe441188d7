package detectors

import (
	"io"

	"confab/schemas"
)

// Deps are what the detectors need from outside. The zero value builds all of them, without anything learned.
type Deps struct {
	Baselines   Baselines         // nil: none are known
	Model       *Model            // nil: nothing learned, scores are the plain measures
	Schemas     map[string]string // operation → JSON Schema that its answers must follow
	Reliability ReliabilityWeights

	Open func(path string) (io.ReadCloser, error) // reads files that options name; nil: they are not read
}

// Standard lists the detectors of the fast path as StandardWith does, without dependencies.
func Standard() []Entry { return StandardWith(Deps{}) }

// StandardWith lists the detectors of the fast path, one line each, in the order in which they run and flags show them.
func StandardWith(deps Deps) []Entry {
	return []Entry{
		TextEntry("citation", schemas.Attribution, DefaultCitationOptions, newCitation),
		TextEntry("grounding", schemas.Factual, DefaultGroundingOptions, with(newGrounding, deps.Model.grounding())),
		TextEntry("facts", schemas.Factual, DefaultFactsOptions, newFacts),
		EventEntry("confidence", schemas.Confidence, DefaultConfidenceOptions, with(newConfidence, deps.Baselines)),
		EventEntry("schema", schemas.Format, DefaultSchemaOptions, with(newSchema, deps.Schemas)),
		TextEntry("technical", schemas.Fabrication, DefaultTechnicalOptions, with(newTechnical, deps.Open)),
	}
}

// Deep lists the deep detectors as DeepWith does, without dependencies.
func Deep() []Entry { return DeepWith(Deps{}) }

// DeepWith lists the detectors that ask language models, in the order in which they run: for the few interactions that were
// sampled. [EvaluateDeep] takes the models that they ask; without one that it needs a detector is not_checkable. Each may
// add suspicion only: a fast rule's outcome is settled before, and nothing here can change it.
func DeepWith(deps Deps) []Entry {
	entries := []Entry{
		TextEntry("consistency", schemas.Factual, DefaultConsistencyOptions, newConsistency),
		TextEntry("faithfulness", schemas.Factual, DefaultFaithfulnessOptions, newFaithfulness),
		TextEntry("entailment", schemas.Logical, DefaultEntailmentOptions, with(newEntailment, deps.Reliability)),
	}
	for i := range entries {
		entries[i].Deep = true
	}
	return entries
}

// with gives the constructor its dependency.
func with[O, D any](build func(O, D) (Detector, error), dep D) func(O) (Detector, error) {
	return func(o O) (Detector, error) { return build(o, dep) }
}
