package confab_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/calibration/roc"
	"confab/detectors"
	"confab/internal/datatest"
	"confab/internal/promptsources/promptshapes"
	"confab/schemas"
	"confab/schemas/json"
)

// maxLoss is how much AUROC the risk may lose when the sources are in the prompt and not in their field.
const maxLoss = 0.01

// TestSourcesInPrompts moves the sources of labelled RAGTruth rows into the prompt in each shape. With -v it prints the
// table of docs/prompt-sources.md.
func TestSourcesInPrompts(t *testing.T) {
	t.Parallel()
	lines := datatest.Rows(t, "ragtruth")
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	rows := make([]schemas.Labelled, len(lines))
	for i, line := range lines {
		require.NoError(t, json.DecodeLabelled(line, &rows[i]))
	}
	whole, _ := measureShape(t, e, rows, func(in *schemas.Interaction) schemas.Interaction { return *in }, false)
	summaries, _ := measureShape(t, e, rows, func(in *schemas.Interaction) schemas.Interaction { return *in }, true)
	t.Logf("| sources in their field | 100.0 %% | %.3f | |", whole)
	for _, shape := range promptshapes.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			base := whole
			if shape.Summary {
				base = summaries
			}
			got, found := measureShape(t, e, rows, shape.Move, shape.Summary)
			t.Logf("| %s | %.1f %% | %.3f | %+.3f |", shape.Name, 100*found, got, got-base)
			require.Greater(t, got, base-maxLoss)
		})
	}
}

// measureShape returns the AUROC of the risk on the rows after a change, and the share of rows that have sources.
func measureShape(t *testing.T, e *confab.Evaluator, rows []schemas.Labelled, move func(*schemas.Interaction) schemas.Interaction, summaries bool) (auroc, found float64) {
	t.Helper()
	var scored []roc.Scored
	for i := range rows {
		if summaries && rows[i].Task != "summary" {
			continue
		}
		in := move(&rows[i].Interaction)
		f := e.Evaluate(t.Context(), &in, schemas.Origin{Topic: "file", Offset: int64(i + 1)}, time.Unix(0, 0))
		risk := 0.0
		if f.Risk != nil {
			risk = *f.Risk
		}
		if len(in.Sources) > 0 {
			found++
		}
		scored = append(scored, roc.Scored{Score: risk, Positive: rows[i].Label == 1})
	}
	require.NotEmpty(t, scored, fmt.Sprint(summaries))
	return roc.AUROC(scored), found / float64(len(scored))
}
