package standard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// TestFactsQuality measures the figures that docs/detectors.md quotes: the ranking of labelled training rows and the
// precision at several scores.
func TestFactsQuality(t *testing.T) {
	var out strings.Builder
	for _, set := range []string{"ragtruth", "summedits", "attributionbench", "begin"} {
		rows := labelledRows(t, set)
		scores := factScores(t, rows)
		fmt.Fprintf(&out, "%s\n", set)
		for _, task := range tasksOf(rows) {
			var s []float64
			var r []schemas.Labelled
			for i := range rows {
				if task == "all" || rows[i].Task == task {
					s, r = append(s, scores[i]), append(r, rows[i])
				}
			}
			fmt.Fprintf(&out, "  %-10s rows %4d  AUROC %.3f\n", task, len(r), auroc(s, r))
		}
		if set == "ragtruth" {
			writePrecision(&out, scores, rows)
		}
	}
	golden.Equal(t, "testdata/facts_quality.golden", out.String())
}

func tasksOf(rows []schemas.Labelled) []string {
	tasks := []string{"all"}
	for i := range rows {
		if !slices.Contains(tasks, rows[i].Task) {
			tasks = append(tasks, rows[i].Task)
		}
	}
	slices.Sort(tasks[1:])
	if len(tasks) == 2 {
		return tasks[:1]
	}
	return tasks
}

func factScores(t *testing.T, rows []schemas.Labelled) []float64 {
	t.Helper()
	entries := standard.Fast(standard.Dependencies{})
	at := slices.IndexFunc(entries, func(e detectors.Entry) bool { return e.Name == "facts" })
	d, err := entries[at].New(nil)
	require.NoError(t, err)
	var doc detectors.Document
	scores := make([]float64, len(rows))
	for i := range rows {
		doc.Reset(&rows[i].Interaction)
		f, err := d.Detect(t.Context(), &doc)
		require.NoError(t, err)
		scores[i] = f.Score
	}
	return scores
}

// writePrecision writes precision and recall at several scores, with the tasks weighted as in the official test set: 900
// answers per task, of which 160, 204 and 579 are positive.
func writePrecision(out *strings.Builder, scores []float64, rows []schemas.Labelled) {
	positive := map[string]float64{"qa": 160, "summary": 204, "data2txt": 579}
	for _, limit := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9} {
		var hits, alarms float64
		for task, n := range positive {
			var all, fired [2]float64
			for i := range rows {
				if rows[i].Task == task {
					all[rows[i].Label]++
					if scores[i] >= limit {
						fired[rows[i].Label]++
					}
				}
			}
			hits += n * fired[1] / all[1]
			alarms += (900 - n) * fired[0] / all[0]
		}
		fmt.Fprintf(out, "  official mix at %.2f: precision %.3f recall %.3f\n", limit, hits/max(hits+alarms, 1), hits/943)
	}
}
