package llmeval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/consistency"
	"confab/detectors/deep"
	"confab/detectors/standard"
	"confab/internal/llm"
	"confab/sampling"
	"confab/schemas"
)

// Options configure Run.
type Options struct {
	Sampler   *llm.Client
	Judge     *llm.Client
	Questions []Question
	Judged    int                              // judged answers, spread over the questions
	Progress  func(format string, args ...any) // nil discards
}

// Answered is one question with its evaluation.
type Answered struct {
	Question Question
	Answer   string
	Wrong    bool

	Samples     int     // sampled responses
	Divergence  float64 // 1 − agreement with them
	Uncertainty confidence.Uncertainty
	Spent       map[string]schemas.Usage // by detector
}

// JudgeReplies counts the replies of a judge.
type JudgeReplies struct {
	Statements  ReplyCount // statements of an answer
	Verdicts    ReplyCount // verdicts on statements
	Compromised int        // valid verdicts that accept the canary statement
}

// ReplyCount counts replies.
type ReplyCount struct {
	Calls    int
	Valid    int // in the required form
	TimedOut int
}

// Report is the result of Run.
type Report struct {
	Answers      []Answered // with enough sampled responses
	Failed       int        // other questions
	LastFail     error
	JudgeReplies JudgeReplies
}

// countingJudge counts the replies of the judge of the deep evaluation.
type countingJudge struct {
	*sampling.Judge
	counts *JudgeReplies
}

func (r *ReplyCount) add(err error) {
	r.Calls++
	switch {
	case err == nil, errors.Is(err, schemas.JudgeCompromised):
		r.Valid++
	case llm.ClassOf(err) == llm.Timeout:
		r.TimedOut++
	}
}

// Statements implements detectors.StatementExtractor.
func (j countingJudge) Statements(ctx context.Context, question, answer string) ([]string, schemas.Usage, error) {
	list, used, err := j.Judge.Statements(ctx, question, answer)
	j.counts.Statements.add(err)
	return list, used, err
}

// Verdicts implements detectors.Judge.
func (j countingJudge) Verdicts(ctx context.Context, statements, sources []string) ([]schemas.Verdict, schemas.Usage, error) {
	list, used, err := j.Judge.Verdicts(ctx, statements, sources)
	j.counts.Verdicts.add(err)
	if errors.Is(err, schemas.JudgeCompromised) {
		j.counts.Compromised++
	}
	return list, used, err
}

// Run asks and evaluates the questions one after the other. It ends early only when ctx does.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	r := &Report{}
	built, err := buildDetectors()
	if err != nil {
		return nil, err
	}
	judge := countingJudge{sampling.NewJudge(sampling.EndpointOptions{Client: o.Judge}), &r.JudgeReplies}
	e := evaluator{built, deep.Models{
		Resampler: sampling.NewResampler(sampling.EndpointOptions{Client: o.Sampler}), Extractor: judge, Judge: judge,
	}, o.Sampler}
	for i, q := range o.Questions {
		judged := (i+1)*o.Judged/len(o.Questions) > i*o.Judged/len(o.Questions)
		a, err := e.evaluate(ctx, q, judged)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("ask questions: %w", ctx.Err())
		}
		if err != nil {
			r.Failed++
			r.LastFail = err
			o.Progress("%d: %v", i+1, err)
			continue
		}
		r.Answers = append(r.Answers, a)
		o.Progress("%d: wrong %t, divergence %.2f, peak entropy %.2f, judge %+v", i+1, a.Wrong, a.Divergence, a.Uncertainty.Peak, r.JudgeReplies)
	}
	return r, nil
}

const (
	consistencyName  = "consistency"
	faithfulnessName = "faithfulness"
)

func buildDetectors() (map[string]detectors.Detector, error) {
	out := map[string]detectors.Detector{}
	for _, e := range standard.Deep(standard.Dependencies{}) {
		settings := e.NewOptions()
		if c, ok := settings.(*consistency.Options); ok {
			c.MaxTokens = answerTokens
		}
		d, err := e.New(settings)
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", e.Name, err)
		}
		out[e.Name] = d
	}
	return out, nil
}

const (
	answerTokens = 32
	topLogprobs  = 5
)

var errTooFew = errors.New("too few sampled responses to compare")

// evaluator asks questions and evaluates the answers.
type evaluator struct {
	built   map[string]detectors.Detector
	models  deep.Models
	sampler *llm.Client
}

func (e evaluator) evaluate(ctx context.Context, q Question, judged bool) (Answered, error) {
	in, err := answerQuestion(ctx, e.sampler, q)
	if err != nil {
		return Answered{}, err
	}
	a := Answered{
		Question: q, Answer: in.Answer, Wrong: !q.Right(in.Answer), Spent: map[string]schemas.Usage{},
		Uncertainty: confidence.MeasureUncertainty(in.Logprobs, confidence.DefaultOptions().Window),
	}
	var doc detectors.Document
	doc.Reset(in)
	deep.SetModels(&doc, e.models)
	f, err := e.built[consistencyName].Detect(ctx, &doc)
	if err != nil {
		return a, fmt.Errorf("sampled responses: %w", err)
	}
	m := measuresByName(f)
	if f.NotCheckable != "" {
		return a, fmt.Errorf("%w: %s", errTooFew, f.NotCheckable)
	}
	a.Samples, a.Divergence, a.Spent[consistencyName] = int(m["samples"]), f.Score, usageOf(m)
	if judged {
		f, _ = e.built[faithfulnessName].Detect(ctx, &doc) // errors are in the counts of the judge
		a.Spent[faithfulnessName] = usageOf(measuresByName(f))
	}
	return a, nil
}

// answerQuestion returns the model's answer at temperature 0.
func answerQuestion(ctx context.Context, c *llm.Client, q Question) (*schemas.Interaction, error) {
	cold := 0.0
	got, err := c.Chat(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.User, Text: q.Text}}, Temperature: &cold,
		MaxTokens: answerTokens, Logprobs: true, TopLogprobs: topLogprobs,
	})
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	in := &schemas.Interaction{
		ID: "llm-eval", Answer: strings.TrimSpace(got.Choices[0].Text), Logprobs: schemas.Logprobs{TopK: topLogprobs},
		Messages: []schemas.Message{{Role: llm.User, Content: q.Text}},
	}
	for _, token := range got.Choices[0].Logprobs {
		row := [1 + topLogprobs]float32{}
		row[0] = logprobOrNaN(token.Logprob)
		for i := range topLogprobs {
			row[1+i] = logprobOrNaN(nil)
			if i < len(token.Top) {
				row[1+i] = logprobOrNaN(token.Top[i].Logprob)
			}
		}
		in.Logprobs.Values = append(in.Logprobs.Values, row[:]...)
	}
	return in, nil
}

func logprobOrNaN(p *float64) float32 {
	if p == nil {
		return float32(math.NaN())
	}
	return float32(*p)
}

func measuresByName(f detectors.Finding) map[string]float64 {
	m := map[string]float64{}
	for _, x := range f.Measures {
		m[x.Name] = x.Value
	}
	return m
}

func usageOf(m map[string]float64) schemas.Usage {
	return schemas.Usage{Calls: int(m["calls"]), PromptTokens: int(m["prompt_tokens"]), CompletionTokens: int(m["completion_tokens"])}
}
