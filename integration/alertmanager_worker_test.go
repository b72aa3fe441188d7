//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
	"confab/internal/kafka/embedded"
)

// TestAlertmanagerWorker runs the built worker with a real Alertmanager: the counts of its alerts sum to the incidents
// that alert.
func TestAlertmanagerWorker(t *testing.T) {
	a := startAlertmanager(t, "tenant")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	brokers, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(brokers.Close)
	bin, config := buildWorker(t), filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], start_offset: earliest}
alerting: {group_by: [operation, model], group_interval: 1s, alertmanager: {url: %s}}
`, strings.Join(brokers.Seeds(), ", "), a.url), 0o600))
	_, err = command(ctx, bin, "topics", "apply", "--config", config, "--partitions", "2")
	require.NoError(t, err)
	rows, due := loadRows(t, 1000), 0
	for _, f := range checkRows(t, bin, config, rows) {
		if f.alert() {
			due++
		}
	}
	require.Greater(t, due, 10)
	w := startWorker(t, bin, config, "detect,alert")
	_, err = command(ctx, bin, "produce", "--config", config, writeRows(t, "rows.jsonl", rows))
	require.NoError(t, err)
	require.NoError(t, integration.Await(ctx, "every incident is counted", func(context.Context) (bool, error) {
		delivered := 0
		for _, alert := range a.alerts(ctx, t) {
			n, err := strconv.Atoi(alert.Annotations["count"])
			require.NoError(t, err)
			delivered += n
		}
		return delivered == due, fmt.Errorf("%d of %d delivered", delivered, due)
	}))
	w.awaitDelivered(t)
	t.Logf("%d incidents in %d alerts", due, len(a.alerts(ctx, t)))
	w.stop(t)
}
