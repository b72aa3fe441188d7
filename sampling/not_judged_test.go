package sampling_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/sampling"
)

func TestNotJudgedMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := sampling.NewNotJudgedMetrics(reg)
	m.Inc(sampling.NotJudgedBudget)
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP confab_not_judged_total Sampled interactions without a verdict of a deep detector, by reason: budget, error, judge_compromised, judge_unreadable, opt_out.
# TYPE confab_not_judged_total counter
confab_not_judged_total{reason="budget"} 1
confab_not_judged_total{reason="error"} 0
confab_not_judged_total{reason="judge_compromised"} 0
confab_not_judged_total{reason="judge_unreadable"} 0
confab_not_judged_total{reason="opt_out"} 0
`)))
}
