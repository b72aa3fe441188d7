package deep

import (
	"context"

	"confab/detectors"
	"confab/schemas"
)

// WordSetCost is the cost of a byte of a text that is read as a set of words, in units of [Work].
const WordSetCost = 2

// Models are what the deep detectors of one evaluation ask; nil stands for a model that is not configured. Budget,
// tenant and opt-out of the evaluation are the implementations' concern: whoever evaluates makes them for that evaluation.
type Models struct {
	Resampler Resampler
	Extractor StatementExtractor
	Judge     Judge
	Entailer  Entailer
	Embedder  Embedder // nil: texts are compared by their words
}

// Resampler asks for fresh answers to the messages of an interaction. Fewer than asked for may come, beside an error or
// without; what was spent is told in either case. An error that is a schemas.NotJudged says why nothing was asked.
type Resampler interface {
	Resample(ctx context.Context, in *schemas.Interaction, ask schemas.Ask) ([]schemas.FreshAnswer, schemas.Usage, error)
}

// StatementExtractor splits the answer to the question into statements that can be understood alone. Its replies are
// untrusted.
type StatementExtractor interface {
	Statements(ctx context.Context, question, answer string) ([]string, schemas.Usage, error)
}

// Judge reads statements as a person would. Its replies are untrusted.
type Judge interface {
	// Verdicts says of each statement, in their order, whether the sources bear it out. A judge that calls a planted
	// falsehood faithful ends in schemas.JudgeCompromised, and no verdict.
	Verdicts(ctx context.Context, statements, sources []string) ([]schemas.Verdict, schemas.Usage, error)
}

// Entailer says how each hypothesis stands to its premise, in the order of the pairs.
type Entailer interface {
	Entail(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error)
}

// Embedder turns texts into vectors of one length, in their order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error)
}

// Reliability are what each witness of a claim counts. The zero value is DefaultReliability.
type Reliability struct {
	Consistency float64 `yaml:"consistency"` // the share of the fresh answers that contain the claim
	Source      float64 `yaml:"source"`      // how much of it the best window of the sources holds
	Entailment  float64 `yaml:"entailment"`  // how likely that window entails it
}

// DefaultReliability are the starting weights, until labels say better.
func DefaultReliability() Reliability { return Reliability{0.3, 0.4, 0.3} }

// Combine joins the witnesses of a claim, each 0 to 1; those that are NaN have nothing to say, and the others' weights
// grow accordingly. It is NaN where none has.
func (w Reliability) Combine(consistency, source, entailment float64) float64 {
	if w == (Reliability{}) {
		w = DefaultReliability()
	}
	sum, total := 0.0, 0.0
	for _, p := range [...][2]float64{{w.Consistency, consistency}, {w.Source, source}, {w.Entailment, entailment}} {
		if p[1] == p[1] {
			sum += p[0] * p[1]
			total += p[0]
		}
	}
	return sum / total
}

// sharedState is what the deep detectors of one interaction share: sampled answers are asked and paid for once.
type sharedState struct {
	models    Models
	requested bool
	samples   []schemas.FreshAnswer
	err       error
	agreement []Agreement // of the answer's claims; empty until measured
}

// sharedStateOf is the document's state.
func sharedStateOf(d *detectors.Document) *sharedState {
	s, fresh := detectors.Scratch[sharedState](d)
	if fresh {
		*s = sharedState{}
	}
	return s
}

// SetModels says what the deep detectors ask of the document until the next Reset, which leaves them nobody.
func SetModels(d *detectors.Document, m Models) { sharedStateOf(d).models = m }

// Evaluate is s.Evaluate with language models for the suite's deep detectors to ask, for this evaluation alone.
func Evaluate(ctx context.Context, s *detectors.Suite, in *schemas.Interaction, models Models) *detectors.Evaluation {
	return s.EvaluateWith(ctx, in, func(d *detectors.Document) { SetModels(d, models) })
}

// UsageMeasures are the measures of what a detector's calls cost; money only where prices are known.
func UsageMeasures(u schemas.Usage) []detectors.Measure {
	m := []detectors.Measure{
		{Name: "calls", Value: float64(u.Calls)}, {Name: "prompt_tokens", Value: float64(u.PromptTokens)}, {Name: "completion_tokens", Value: float64(u.CompletionTokens)},
	}
	if u.Cost > 0 {
		m = append(m, detectors.Measure{Name: "cost", Value: u.Cost})
	}
	return m
}
