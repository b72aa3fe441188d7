package standard

import (
	"io"
	"slices"

	"confab/detectors"
	"confab/detectors/citation"
	"confab/detectors/confidence"
	"confab/detectors/consistency"
	"confab/detectors/entailment"
	"confab/detectors/facts"
	"confab/detectors/faithfulness"
	"confab/detectors/grounding"
	"confab/detectors/jsonschema"
	"confab/detectors/knownfalse"
	"confab/detectors/technical"
	"confab/detectors/tools"
	"confab/schemas"
)

// Dependencies are what the detectors need from outside. With the zero value every detector can be built, without learned
// weights, baselines or schemas.
type Dependencies struct {
	Baselines confidence.Stated // nil: none
	Live      *confidence.Live  // nil: no baselines are learned from answers
	Model     *Model            // nil: nothing learned, scores are the plain measures
	Schemas   map[string]string // operation → JSON Schema that its answers must follow

	Open func(path string) (io.ReadCloser, error) // opens files that options name; nil: they are not read

	Without []string // names of Parts that are left out, to measure what they add
}

func schemaDetector() (detectors.Detector, error) {
	return jsonschema.New(jsonschema.DefaultOptions(), nil)
}

// Parts are the names that Dependencies.Without knows: the fast detectors.
func Parts() []string { return detectors.Names(Fast(Dependencies{})) }

// Fast returns the detectors of the fast path, one line each, in the order in which they run and flags show them.
func Fast(deps Dependencies) []detectors.Entry {
	texts := textFields()
	tokens := []string{
		schemas.FieldLogprobs, schemas.FieldTokenLogprobs, schemas.FieldTopK, // and what chooses the baseline:
		schemas.FieldModel, schemas.FieldOperation,
	}
	all := []detectors.Entry{
		detectors.TextEntry("citation", schemas.Attribution, citation.DefaultOptions, citation.New).Reading(schemas.FieldSources),
		detectors.TextEntry("grounding", schemas.Factual, nil, withDependency(grounding.New, deps.Model.grounding())).Reading(texts...).ByWording(),
		detectors.TextEntry("facts", schemas.Factual, nil, facts.New).Reading(texts...),
		detectors.EventEntry("confidence", schemas.Confidence, nil, withDependency(confidence.New, confidence.Baselines{File: deps.Baselines, Live: deps.Live})).Reading(tokens...),
		detectors.EventEntry("schema", schemas.Format, jsonschema.DefaultOptions, withDependency(jsonschema.New, deps.Schemas)).Reading(schemas.FieldResponseSchema, schemas.FieldOperation, schemas.FieldFinishReason).Independently(),
		detectors.TextEntry("technical", schemas.Fabrication, technical.DefaultOptions, withDependency(technical.New, deps.Open)).Reading(texts...).Independently(),
		detectors.EventEntry("tools", schemas.ToolUse, nil, withDependency(tools.New, schemaDetector)).Reading(schemas.FieldTools, schemas.FieldToolCalls, schemas.FieldMessages).Independently(),
	}
	return slices.DeleteFunc(all, func(e detectors.Entry) bool { return slices.Contains(deps.Without, e.Name) })
}

// TextDetectors are the names of the fast detectors that compare the text of an answer with what supports it: a judge that read
// both may overrule them. The others prove a fault in another way, such as a package that does not exist.
func TextDetectors() []string {
	return detectors.Names(slices.DeleteFunc(Fast(Dependencies{}), func(e detectors.Entry) bool { return !e.Prose || e.Independent }))
}

// Deep returns the detectors that ask language models, in the order in which they run, for sampled interactions only. The
// models come with each evaluation ([deep.Evaluate]); a detector whose model is missing reports not_checkable. Deep
// detectors cannot change the outcome of a fast one.
func Deep(deps Dependencies) []detectors.Entry {
	texts := textFields()
	entries := []detectors.Entry{
		detectors.TextEntry("consistency", schemas.Factual, consistency.DefaultOptions, consistency.New).Reading(texts...),
		detectors.TextEntry("faithfulness", schemas.Factual, faithfulness.DefaultOptions, faithfulness.New).Reading(texts...),
		detectors.TextEntry("entailment", schemas.Logical, nil, entailment.New).Reading(texts...),
	}
	for i := range entries {
		entries[i].Deep = true
	}
	return entries
}

// Names returns the names that flags may have, in their order: of the fast detectors, of known_false, whose store some workers
// have, and of the deep ones.
func Names() []string {
	return slices.Concat(detectors.Names(Fast(Dependencies{})), []string{knownfalse.Name}, detectors.Names(Deep(Dependencies{})))
}

// textFields are the fields with the texts that support an answer.
func textFields() []string {
	return []string{schemas.FieldSources, schemas.FieldMessages, schemas.FieldPrompt}
}

// withDependency binds a constructor to its dependency.
func withDependency[O, D any](build func(O, D) (detectors.Detector, error), dep D) func(O) (detectors.Detector, error) {
	return func(o O) (detectors.Detector, error) { return build(o, dep) }
}
