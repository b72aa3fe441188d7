package standard_test

import (
	"fmt"
	"strings"
	"testing"

	"confab/detectors"
	"confab/detectors/grounding"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// TestGroundingClaims compares the support of single claims with the spans that people labelled as unsupported. min_support
// was chosen from this report.
func TestGroundingClaims(t *testing.T) {
	all := grounding.DefaultOptions()
	all.MinSupport = 1 // list every claim that is not wholly supported
	d := buildConfidence(t, "grounding", &all, standard.Dependencies{})
	claims := map[string][]schemas.Labelled{}
	scores := map[string][]float64{}
	for _, row := range labelledRows(t, "ragtruth") {
		for _, c := range detectOnce(t, d, &row.Interaction).Grounding.Ungrounded {
			marked := 0
			for _, span := range row.Spans {
				if span.Start < c.End && c.Start < span.End {
					marked = 1
				}
			}
			for _, task := range []string{row.Task, "all"} {
				claims[task] = append(claims[task], schemas.Labelled{Label: marked})
				scores[task] = append(scores[task], 1-c.Similarity)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "claims that are not wholly supported, the worst %d of an answer; precision and recall of listing those below min_support\n\n", detectors.MaxEvidence)
	fmt.Fprintf(&b, "%-9s %6s %6s %6s", "task", "claims", "marked", "AUROC")
	limits := []float64{0.3, 0.4, 0.5, 0.6, 0.7}
	for _, limit := range limits {
		fmt.Fprintf(&b, "  %.1f: P    R", limit)
	}
	b.WriteString("\n")
	for _, task := range []string{"qa", "summary", "data2txt", "all"} {
		marked := 0
		for _, c := range claims[task] {
			marked += c.Label
		}
		fmt.Fprintf(&b, "%-9s %6d %6d %6.3f", task, len(claims[task]), marked, auroc(scores[task], claims[task]))
		for _, limit := range limits {
			listed, hits := 0, 0
			for i, score := range scores[task] {
				if 1-score < limit {
					listed++
					hits += claims[task][i].Label
				}
			}
			fmt.Fprintf(&b, "   %.3f %.3f", float64(hits)/float64(max(listed, 1)), float64(hits)/float64(marked))
		}
		b.WriteString("\n")
	}
	golden.Equal(t, "testdata/grounding_claims.golden", b.String())
}
