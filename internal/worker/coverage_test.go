package worker

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The worker counts quiet answers, answers that it cannot check, and fields that it ignores or cannot read.
func TestRunCountsWhatCannotBeChecked(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Metrics.Services = []string{"shop"}
	dir := t.TempDir()
	b.config.CalibrationFile = filepath.Join(dir, "calibration.yaml")
	writeFile(t, dir, calibrationText("c", 0.5)+"  - {detector: grounding, threshold: 0.4, armed: true}\n")
	stop := b.start()
	b.produce("llm.interactions",
		fmt.Sprintf(ungrounded, "bad"),
		`{"interaction_id": "bare", "service": "shop", "answer": "The bridge was opened in 1937.", "retrieved_docs": ["x"]}`,
		`{"interaction_id": "odd", "service": "shop", "answer": "The bridge was opened in 1937.", "sources": 17}`)
	for i := range 5 {
		b.produce("llm.interactions", fmt.Sprintf(grounded, fmt.Sprint("good-", i)))
	}
	eventually(t, func() bool { return b.metric(t, "confab_interactions_total", "role", "detect") == 8 }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	for _, tt := range []struct {
		want   float64
		metric string
		labels []string
	}{
		{2, "confab_evaluated_interactions_total", []string{"outcome", "unchecked", "service", "shop"}},
		{5, "confab_evaluated_interactions_total", []string{"outcome", "clear"}},
		{1, "confab_evaluated_interactions_total", []string{"outcome", "flagged"}},
		{5, "confab_grounding_check_total", []string{"grounded", "true", "action", "LOG"}},
		{1, "confab_grounding_check_total", []string{"grounded", "false", "action", "LOG"}},
		{1, "confab_unchecked_interactions_total", []string{"reason", "no_sources"}},
		{1, "confab_unchecked_interactions_total", []string{"reason", "malformed_field"}},
		{1, "confab_unknown_fields_total", []string{"field", "retrieved_docs"}},
		{1, "confab_malformed_fields_total", []string{"field", "sources"}},
		{0, "confab_dlq_records_total", nil},
	} {
		require.InDelta(t, tt.want, b.metric(t, tt.metric, tt.labels...), 0, "%s%v", tt.metric, tt.labels)
	}
}
