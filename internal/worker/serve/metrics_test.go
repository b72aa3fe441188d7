package serve

import (
	"cmp"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
)

// Checks on request count in the counter of detect, unless detect reads them, too.
func TestGroundingChecksAreCounted(t *testing.T) {
	for publish, want := range map[string]int{"": 1, config.PublishAll: 0} {
		reg, o := prometheus.NewRegistry(), labels.Options{Max: 1}
		_, url, _ := newServer(t, func(c *config.Config) {
			c.Serve.Publish = cmp.Or(publish, c.Serve.Publish)
		}, func(s *Options) {
			s.Checks = coverage.NewGroundingChecks(reg, labels.NewTraffic(o, o), s.Evaluator.Load().Policy.Actions())
		})
		require.Equal(t, http.StatusOK, send(t, http.MethodPost, url+"/v1/check", right).status)
		count := 0
		families, err := reg.Gather()
		require.NoError(t, err)
		for _, f := range families {
			for _, m := range f.GetMetric() {
				count += int(m.GetCounter().GetValue())
			}
		}
		require.Equal(t, want, count, publish)
	}
}
