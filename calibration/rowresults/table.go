package rowresults

import (
	"math"
	"strings"

	"confab/internal/tablefile"
	"confab/schemas"
)

// Columns are the names of a table of results: those of every answer, then score, outcome and threshold of each
// detector, then the texts if they are wanted.
func Columns(detectors []string, texts bool) []string {
	columns := []string{
		"id", "dataset", "task", "group", "operation", "model", "label", "weight", "fold", "words",
		"log_odds", "risk", "fired", "fired_by", "alert", "recommendation",
	}
	for _, d := range detectors {
		columns = append(columns, d+"_score", d+"_outcome", d+"_threshold")
	}
	if texts {
		columns = append(columns, "question", "answer", "sources")
	}
	return columns
}

// Detectors are the names of all detectors of the results, in order of first use.
func Detectors(results []Result) (names []string) {
	known := map[string]bool{}
	for i := range results {
		for k := range results[i].Rules {
			if name := results[i].Rules[k].Detector; !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// WriteResult writes one line with the columns of [Columns]; in holds the texts and is nil without them. A row without
// a threshold, risk, score or fold has an empty cell there.
func WriteResult(w *tablefile.Writer, r *Result, detectors []string, in *schemas.Interaction) error {
	weight := r.Row.Weight
	if weight == 0 {
		weight = 1
	}
	values := []any{
		r.ID, r.Row.Dataset, r.Row.Task, r.Row.Group, r.Row.Operation, r.Row.Model, r.Label(), weight, orEmpty(r.Row.Fold), r.Row.Words,
		r.Row.Fused, r.Risk, len(r.Fired), strings.Join(r.Fired, " "), r.Alert, string(r.Recommendation),
	}
	for _, name := range detectors {
		score, outcome, threshold := math.NaN(), "", math.NaN()
		for i := range r.Rules {
			if rule := &r.Rules[i]; rule.Detector == name {
				score, outcome, threshold = rule.Score, string(rule.Outcome), rule.Threshold
			}
		}
		values = append(values, score, outcome, threshold)
	}
	if in != nil {
		sources := make([]string, len(in.Sources))
		for i := range in.Sources {
			sources[i] = in.Sources[i].Text
		}
		values = append(values, strings.TrimSpace(in.UserQuestion()), in.Answer, sources)
	}
	return w.Write(values...)
}

func orEmpty(n int) any {
	if n == 0 {
		return nil
	}
	return n
}
