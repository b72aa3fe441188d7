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
	"confab/cmd/worker/internal/config"
	"confab/schemas"
)

// Routes and the alert rule of every receiver change on reload; a route to a receiver that is not running is refused.
func TestReloadRoutes(t *testing.T) {
	load := func(more string) *config.Config {
		file := filepath.Join(t.TempDir(), "confab.yaml")
		const text = "alerting:\n  console: true\n  receivers:\n    - {name: hook, webhook: {url: \"https://hooks.example.com/x\", secrets: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}}\n"
		require.NoError(t, os.WriteFile(file, []byte(text+more), 0o600))
		c, err := config.Load(config.LoadOptions{File: file})
		require.NoError(t, err)
		return c
	}
	set, err := New(&Options{
		Config: load("  route: {receiver: default}\n"), Console: io.Discard, Now: time.Now, Metrics: dispatch.NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(slog.DiscardHandler), Partitions: 1,
	})
	require.NoError(t, err)
	defer set.Close()
	f := &schemas.Flag{Tenant: "bank", Fired: []string{"facts"}, Alert: true}
	routed := func(name string) bool { return set.router.Load().Routes(name, f, schemas.SeverityNormal) }
	require.True(t, routed("default"))
	require.False(t, routed("hook"))

	commit, err := set.Reload(load("  route: {receiver: default, routes: [{receiver: hook, matchers: ['tenant=\"bank\"']}]}\n  high: {min_risk: 0}\n"), confab.Tuning{})
	require.NoError(t, err)
	require.False(t, routed("hook"), "nothing changes before the commit")
	commit()
	require.False(t, routed("default"))
	require.True(t, routed("hook"))
	risk := 0.5
	f.Risk = &risk
	for _, p := range set.policies {
		require.Equal(t, schemas.SeverityHigh, p.policy.Severity(f))
	}

	next := load("")
	next.Alerting.Route.Receiver = "another"
	_, err = set.Reload(next, confab.Tuning{})
	require.ErrorContains(t, err, "needs a restart")
	require.True(t, routed("hook"))
}
