package receivers

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/alerting/dispatch"
	"confab/internal/worker/config"
	"confab/schemas"
)

// TestReloadRule: the alert rule of every receiver changes on reload.
func TestReloadRule(t *testing.T) {
	load := func(more string) *config.Config {
		file := filepath.Join(t.TempDir(), "confab.yaml")
		const text = "alerting:\n  console: true\n  receivers:\n    - {name: hook, webhook: {url: \"https://hooks.example.com/x\", secrets: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}}\n"
		require.NoError(t, os.WriteFile(file, []byte(text+more), 0o600))
		c, err := config.Load(config.LoadOptions{File: file})
		require.NoError(t, err)
		return c
	}
	set, err := New(&Options{
		Config: load(""), Console: io.Discard, Now: time.Now, Metrics: dispatch.NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(slog.DiscardHandler), Partitions: 1,
	})
	require.NoError(t, err)
	defer set.Close()
	risk := 0.5
	f := &schemas.Flag{Tenant: "bank", Fired: []string{"facts"}, Alert: true, Risk: &risk}
	requireSeverity := func(want schemas.Severity) {
		require.Len(t, set.policies, 2)
		for _, p := range set.policies {
			require.Equal(t, want, p.policy.Severity(f))
		}
	}
	requireSeverity(schemas.SeverityNormal)
	commit, err := set.Reload(load("  high: {min_risk: 0}\n"), confab.Tuning{})
	require.NoError(t, err)
	requireSeverity(schemas.SeverityNormal) // nothing changes before the commit
	commit()
	requireSeverity(schemas.SeverityHigh)
}
