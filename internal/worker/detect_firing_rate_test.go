package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// flagsOf gathers the flags that a role writes.
type flagsOf struct{ list []schemas.Flag }

func (p *flagsOf) Produce(m kafka.Message) {
	var f schemas.Flag
	if json.DecodeFlag(m.Value, &f) == nil {
		p.list = append(p.list, f)
	}
}

// newRateHarness is a detect role that counts the tenant acme separately.
func newRateHarness(t *testing.T, rate alerting.FiringRateOptions) (measure func(tenant, text string) schemas.Flag, reg *prometheus.Registry) {
	t.Helper()
	c := config.Default()
	c.Alerting.FiringRate, c.Emit = rate, config.EmitAll
	c.Tenants = map[string]config.Tenant{"acme": {}}
	w := &worker{Options: Options{Config: c, Registry: prometheus.NewRegistry(), Now: time.Now}}
	w.metrics = w.newMetrics(prometheus.NewRegistry())
	sampler, err := sampling.New(sampling.Options{})
	require.NoError(t, err)
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	d := &detectHandler{sampler: sampler, firingRates: w.newFiringRates(), emitAll: true, now: w.Now, publisher: w.publisher(), metrics: w.metrics}
	d.evaluator.Store(v)
	decoder, n := json.NewDecoder(json.Options{}), 0
	return func(tenant, text string) schemas.Flag {
		n++
		in, out := &schemas.Interaction{}, &flagsOf{}
		require.NoError(t, decoder.Decode(fmt.Appendf(nil, text, fmt.Sprint("i-", n)), in))
		in.Tenant = tenant
		require.NoError(t, d.Handle(t.Context(), []consumer.Record[*schemas.Interaction]{{Value: in}}, out))
		require.Len(t, out.list, 1)
		return out.list[0]
	}, w.Registry
}

func TestDetectStampsAnomalousRates(t *testing.T) {
	const checks = 100
	measure, reg := newRateHarness(t, alerting.FiringRateOptions{Share: 0.5, Checks: checks})
	gauge := func(detector string) float64 {
		families, err := reg.Gather()
		require.NoError(t, err)
		for _, m := range families[0].GetMetric() {
			if m.GetLabel()[0].GetValue() == detector {
				return m.GetGauge().GetValue()
			}
		}
		return -1
	}
	for range checks - 1 {
		f := measure("stranger", ungrounded)
		require.True(t, f.Alert)
		require.Nil(t, f.AnomalousRates)
	}
	require.Zero(t, gauge("citation"))

	f := measure("stranger", ungrounded)
	require.Equal(t, map[string]float64{"citation": 1, "grounding": 1}, f.AnomalousRates)
	require.Equal(t, []string{"citation", "grounding"}, f.Fired, "what fired is still said")
	require.False(t, f.Alert)
	require.InDelta(t, 1, gauge("citation"), 0)
	require.Zero(t, gauge("schema"))
	require.True(t, alerting.NewPolicy(alerting.PolicyOptions{}).HoldsWithAnomalous(&f))

	require.True(t, measure("acme", ungrounded).Alert, "a tenant that the configuration names has its own rate")
	require.Nil(t, measure("stranger", grounded).AnomalousRates, "nothing fired")

	for range checks {
		measure("stranger", grounded)
	}
	require.True(t, measure("stranger", ungrounded).Alert, "normal again")
	require.Zero(t, gauge("citation"))
}

func TestDetectWithoutFiringRates(t *testing.T) {
	measure, reg := newRateHarness(t, alerting.FiringRateOptions{Share: 1, Checks: 100})
	for range 150 {
		require.True(t, measure("any", ungrounded).Alert)
	}
	n, err := testutil.GatherAndCount(reg, "confab_detector_firing_rate_anomalous")
	require.NoError(t, err)
	require.Equal(t, 6, n)
}

// From a topic full of bad answers to on-call: one message about the detectors instead of one more a minute.
func TestBrokenDetectorIsReportedOnce(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Alerting.FiringRate = alerting.FiringRateOptions{Share: 0.5, Checks: 100}
	stop := b.start()
	values := make([]string, 130)
	for i := range values {
		values[i] = fmt.Sprintf(ungrounded, fmt.Sprint("bad-", i))
	}
	b.produce("llm.interactions", values...)
	for _, detector := range []string{"citation", "grounding"} {
		eventually(t, func() bool {
			return strings.Contains(b.console.String(), "Detector may be broken: "+detector+" fired on 100 %")
		}, 30*time.Second, 10*time.Millisecond)
	}
	require.InDelta(t, 1, b.metric(t, "confab_detector_firing_rate_anomalous", "detector", "citation"), 0)
	require.NoError(t, stop())
	require.Equal(t, 2, strings.Count(b.console.String(), "Detector may be broken"), "one message each")
}
