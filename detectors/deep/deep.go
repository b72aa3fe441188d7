package deep

import (
	"context"

	"confab/detectors"
	"confab/schemas"
)

// WordSetCost is the work that reading the words of a text takes per byte.
const WordSetCost = 2

// Models are the language models of one evaluation; nil stands for a model that is not configured. The caller makes them
// per evaluation, and the implementations enforce its budget, tenant and opt-out.
type Models struct {
	Resampler Resampler
	Faults    FaultFinder    // the judge in mode faults
	Judge     StatementJudge // the judge in mode statements; used without Faults
	Asked     schemas.Asked  // of Faults or Judge
	Verifier  Verifier
	ByJudge   bool     // the judge is the Verifier
	Embedder  Embedder // nil: texts are compared by their words
}

// Resampler requests sampled responses to the messages of an interaction. It may return fewer than requested, with an error
// or without, and always returns the usage. An error that is a schemas.NotJudged says why no request was made.
type Resampler interface {
	Resample(ctx context.Context, in *schemas.Interaction, ask schemas.SampleRequest) ([]schemas.SampledResponse, schemas.Usage, error)
}

// FaultFinder lists the faults of an answer. Its replies are untrusted.
type FaultFinder interface {
	// Faults returns the faults in any order. When the judge does not list a canary statement that was added to the answer, the
	// error is schemas.JudgeCompromised.
	Faults(ctx context.Context, r *schemas.JudgeRequest) ([]schemas.Fault, schemas.Usage, error)
}

// StatementJudge splits an answer into statements that can be understood alone, and decides whether sources support each. Its
// replies are untrusted.
type StatementJudge interface {
	Statements(ctx context.Context, r *schemas.JudgeRequest) ([]string, schemas.Usage, error)
	// Verdicts returns one verdict per statement, in their order. When the judge calls a canary statement faithful, the
	// error is schemas.JudgeCompromised.
	Verdicts(ctx context.Context, r *schemas.JudgeRequest, statements []string) ([]schemas.Verdict, schemas.Usage, error)
}

// Verifier says how each claim relates to its passage, in the order of the pairs.
type Verifier interface {
	Verify(ctx context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error)
}

// Embedder returns one vector per text, in their order, all of one length.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, schemas.Usage, error)
}

// sharedState is shared by the deep detectors of one interaction, so that responses are sampled and paid for once.
type sharedState struct {
	requested bool
	samples   []schemas.SampledResponse
	err       error
	agreement []Agreement // per claim of the answer; empty until measured
}

func sharedStateOf(d *detectors.Document) *sharedState {
	s, fresh := detectors.Scratch[sharedState](d)
	if fresh {
		*s = sharedState{}
	}
	return s
}

// Evaluate is s.Evaluate with language models for the suite's deep detectors, for this evaluation only.
func Evaluate(ctx context.Context, s *detectors.Suite, in *schemas.Interaction, models Models) *detectors.Evaluation {
	return s.EvaluateWith(ctx, in, models)
}

// ModelsOf returns the models of the document.
func ModelsOf(d *detectors.Document) Models {
	m, _ := d.Attached().(Models)
	return m
}

// UsageMeasures returns the usage as measures; cost only when prices are known.
func UsageMeasures(u schemas.Usage) []detectors.Measure {
	m := []detectors.Measure{
		{Name: "calls", Value: float64(u.Calls)}, {Name: "prompt_tokens", Value: float64(u.PromptTokens)}, {Name: "completion_tokens", Value: float64(u.CompletionTokens)},
	}
	if u.Cost > 0 {
		m = append(m, detectors.Measure{Name: "cost", Value: u.Cost})
	}
	return m
}
