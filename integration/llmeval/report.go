package llmeval

import (
	"fmt"
	"math"
	"strings"

	"confab/schemas"
)

// Heading describes the run.
type Heading struct {
	Model   string
	Server  string
	Date    string
	Command string
}

// Markdown returns the report as a page. It holds no answer of the model.
func (r *Report) Markdown(h Heading) string {
	var b strings.Builder
	wrong := make([]bool, len(r.Answers))
	n := 0
	for i := range r.Answers {
		if wrong[i] = r.Answers[i].Wrong; wrong[i] {
			n++
		}
	}
	fmt.Fprintf(&b, `# Deep evaluation of a real model

| | |
|---|---|
| model | %s |
| server | %s |
| date | %s |
| repeat with | `+"`%s`"+` |

%d questions of our own with known answers, asked at temperature 0, and %d sampled responses to each at temperature 0.7. The
model answered %d of them wrongly; %d could not be measured.

## Ranking of wrong answers

| score | AUROC | 95 %% interval |
|---|---|---|
`, h.Model, h.Server, h.Date, h.Command, len(r.Answers)+r.Failed, r.samples(), n, r.Failed)
	for _, s := range r.scores() {
		a := computeAUROC(s.values, wrong)
		fmt.Fprintf(&b, "| %s | %s | %s – %s |\n", s.name, formatShare(a.Value), formatShare(a.Low), formatShare(a.High))
	}
	j := r.JudgeReplies
	fmt.Fprintf(&b, `
AUROC is how often a wrong answer scores higher than a right one.

## Replies as a judge

| request | replies | valid | timed out |
|---|---|---|---|
| the statements of an answer | %d | %s | %d |
| a verdict on each, by its index | %d | %s | %d |

The server enforces a JSON schema. A valid reply also has exactly one verdict per statement. A reply that accepts
the canary statement is void: %d replies.

## Cost

Means per answer, where the detector made calls.

| detector | answers | calls | prompt tokens | completion tokens |
|---|---|---|---|---|
`, j.Statements.Calls, validPercent(j.Statements), j.Statements.TimedOut, j.Verdicts.Calls, validPercent(j.Verdicts), j.Verdicts.TimedOut, j.Compromised)
	for _, name := range []string{consistencyName, faithfulnessName} {
		sum, evaluations := r.spent(name)
		if evaluations == 0 {
			continue
		}
		mean := func(x int) float64 { return float64(x) / float64(evaluations) }
		fmt.Fprintf(&b, "| `%s` | %d | %.1f | %.0f | %.0f |\n", name, evaluations, mean(sum.Calls), mean(sum.PromptTokens), mean(sum.CompletionTokens))
	}
	b.WriteString("\n`consistency` samples the responses once. `faithfulness` compares the answer with them, since these questions have no\nsources.\n")
	return b.String()
}

type namedScores struct {
	name   string
	values []float64
}

// scores returns scores that are higher for worse answers.
func (r *Report) scores() []namedScores {
	list := []namedScores{
		{name: "divergence from the sampled responses (`consistency`)"},
		{name: "highest entropy of a token"},
		{name: "mean entropy of the tokens"},
		{name: "least probable token"},
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		for k, v := range []float64{a.Divergence, a.Uncertainty.Peak, a.Uncertainty.Mean, -a.Uncertainty.MinLogprob} {
			if math.IsNaN(v) {
				v = 0 // unknown counts as unsuspicious
			}
			list[k].values = append(list[k].values, v)
		}
	}
	return list
}

func (r *Report) samples() int {
	most := 0
	for i := range r.Answers {
		most = max(most, r.Answers[i].Samples)
	}
	return most
}

func (r *Report) spent(detector string) (sum schemas.Usage, evaluations int) {
	for i := range r.Answers {
		if u, ok := r.Answers[i].Spent[detector]; ok {
			sum = sum.Plus(u)
			evaluations++
		}
	}
	return sum, evaluations
}

func formatShare(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

func validPercent(r ReplyCount) string {
	if r.Calls == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(r.Valid)/float64(r.Calls))
}
