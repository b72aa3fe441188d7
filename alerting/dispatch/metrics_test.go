package dispatch

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
)

func TestMetricsAreWellFormed(t *testing.T) {
	reg := prometheus.NewRegistry()
	NewMetrics(reg)
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	require.Empty(t, problems)
	n, err := testutil.GatherAndCount(reg, "confab_notifications_failed_total", "confab_notifications_suppressed_total",
		"confab_notification_duration_seconds", "confab_slack_ambiguous_total")
	require.NoError(t, err)
	require.Equal(t, len(alerting.Reasons())+len(suppressions())+1+1, n, "every series exists from the start")
	require.Panics(t, func() { NewMetrics(reg) }, "metrics go to the registry that was given")
	NewMetrics(prometheus.NewRegistry())
}
