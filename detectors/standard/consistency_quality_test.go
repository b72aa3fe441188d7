package standard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/confidence"
	"confab/detectors/consistency"
	"confab/internal/golden"
)

// TestConsistencyQuality scores recorded responses of a real model, without a server.
func TestConsistencyQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	rows := labelledRows(t, "logprobs")
	columns := []string{"score", "original", "peak entropy", "stacked"}
	scores := map[string][]float64{}
	for i := range rows {
		row := &rows[i]
		var samples []string
		for _, s := range row.Samples {
			samples = append(samples, s.Answer)
		}
		c := consistency.Measure(row.Interaction.Answer, samples)
		require.GreaterOrEqual(t, c.Samples, 2)
		u := confidence.MeasureUncertainty(row.Interaction.Logprobs)
		for k, v := range []float64{c.Score(), 1 - c.Original, u.Peak, c.Score() + u.Peak} {
			scores[columns[k]] = append(scores[columns[k]], v)
		}
	}
	var report strings.Builder
	fmt.Fprintf(&report, "%d rows\n", len(rows))
	for _, name := range columns {
		fmt.Fprintf(&report, "%-14s AUROC %.3f\n", name, auroc(scores[name], rows))
	}
	for _, at := range []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9} {
		fired, right, wrong := 0, 0, 0
		for i := range rows {
			if scores["score"][i] >= at {
				fired++
				right += rows[i].Label
			} else {
				wrong += rows[i].Label
			}
		}
		fmt.Fprintf(&report, "score >= %.1f: fires on %3d, precision %.3f, recall %.3f\n",
			at, fired, float64(right)/float64(fired), float64(right)/float64(right+wrong))
	}
	require.GreaterOrEqual(t, auroc(scores["score"], rows), .84)
	require.GreaterOrEqual(t, auroc(scores["stacked"], rows), .88)
	golden.Equal(t, "testdata/consistency_quality.golden", report.String())
}
