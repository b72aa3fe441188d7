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

// The latency of a request has the caller's trace as its exemplar, if that is sampled and its header is valid.
func TestLatencyHasTheCallersTrace(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for header, want := range map[string]string{
		"00-" + id + "-b7ad6b7169203331-01": id,
		"00-" + id + "-b7ad6b7169203331-00": "",
		"00-" + id + "-b7ad6b7169203331":    "",
		"not a trace":                       "",
		"":                                  "",
	} {
		reg := prometheus.NewRegistry()
		_, url, _ := newServer(t, nil, func(o *Options) { o.Registry = reg })
		require.Equal(t, http.StatusOK, send(t, http.MethodPost, url+"/v1/check", right, "Traceparent", header).status)
		families, err := reg.Gather()
		require.NoError(t, err)
		got, count := "", uint64(0)
		for _, f := range families {
			if f.GetName() != "confab_http_request_duration_seconds" {
				continue
			}
			h := f.GetMetric()[0].GetHistogram()
			count = h.GetSampleCount()
			for _, b := range h.GetBucket() {
				for _, l := range b.GetExemplar().GetLabel() {
					if l.GetName() == "trace_id" {
						got = l.GetValue()
					}
				}
			}
		}
		require.Equal(t, uint64(1), count)
		require.Equal(t, want, got, header)
	}
}

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
