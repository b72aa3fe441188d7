package dispatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/schemas"
)

// anomalousFlag is a stamped flag of a tenant on which citation and grounding fired. The given detectors have an anomalous
// rate.
func anomalousFlag(p *alerting.Policy, tenant string, id int, detectors ...string) schemas.Flag {
	f := alerttest.SimilarFlag(1, id)
	f.Tenant, f.AnomalousRates = tenant, map[string]float64{}
	for _, name := range detectors {
		f.AnomalousRates[name] = 0.9
	}
	p.Stamp(&f)
	return f
}

// TestBrokenDetectorNotifiesOnce: incidents that would alert only with an anomalous detector get one message about the
// detector. Incidents on which other detectors agree get messages of their own.
func TestBrokenDetectorNotifiesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := alerting.NewPolicy(alerting.PolicyOptions{})
		d := newHarness(t, harnessOptions{policy: p, partitions: 3}).run()
		for id := range 300 {
			d.add(int32(id%3), anomalousFlag(p, "acme", id, "citation"))
			<-time.After(time.Second)
		}
		synctest.Wait()
		alerts := d.sink.Alerts()
		require.Len(t, alerts, 1)
		require.Equal(t, schemas.AlertBroken, alerts[0].Kind)
		require.Equal(t, "citation", alerts[0].Detector)
		require.InDelta(t, 0.9, alerts[0].FiringRate, 0)
		require.Equal(t, 300, d.suppressed(detectorBroken))

		agreed := alerttest.SimilarFlag(2, 1)
		agreed.Fired, agreed.AnomalousRates = []string{"citation", "confidence", "grounding"}, map[string]float64{"citation": 0.9}
		p.Stamp(&agreed)
		require.True(t, agreed.Alert)
		d.add(0, agreed)
		synctest.Wait()
		alerts = d.sink.Alerts()
		require.Len(t, alerts, 2)
		require.Equal(t, schemas.AlertGroup, alerts[1].Kind)

		<-time.After(DefaultGroupOptions().Repeat)
		d.add(0, anomalousFlag(p, "acme", 1_000, "citation"))
		synctest.Wait()
		require.Len(t, d.sink.Alerts(), 3, "repeated after the repeat interval")
	})
}

// TestMutedBrokenDetector: a muted detector gets no message.
func TestMutedBrokenDetector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := alerting.NewPolicy(alerting.PolicyOptions{
			Default: alerting.RuleOptions{Muted: []string{"citation"}},
			Tenants: map[string]alerting.TenantOptions{"loud": {Alerting: alerting.RuleOptions{Muted: []string{}}}, "light": {
				Alerting: alerting.RuleOptions{Muted: []string{}, Weights: map[string]float64{"citation": 0}},
			}},
		})
		d := newHarness(t, harnessOptions{policy: p}).run()
		for id, tenant := range []string{"stranger", "light"} {
			require.Equal(t, NotAlerting, d.add(0, anomalousFlag(p, tenant, id, "citation")))
		}
		synctest.Wait()
		require.Empty(t, d.sink.Alerts())
		d.add(0, anomalousFlag(p, "loud", 9, "citation"))
		synctest.Wait()
		require.Len(t, d.sink.Alerts(), 1)
	})
}

// TestBrokenDetectorByTenant: each configured tenant gets its own message in its own channel. All others share one.
func TestBrokenDetectorByTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := alerting.NewPolicy(alerting.PolicyOptions{
			Default: alerting.RuleOptions{Channel: "C-ALL"},
			Tenants: map[string]alerting.TenantOptions{"bank": {Alerting: alerting.RuleOptions{Channel: "C-BANK"}}},
		})
		d := newHarness(t, harnessOptions{policy: p}).run()
		for id, tenant := range []string{"bank", "one", "two", "bank", "BANK"} {
			d.add(0, anomalousFlag(p, tenant, id, "citation"))
		}
		synctest.Wait()
		got := map[string]string{}
		for _, a := range d.sink.Alerts() {
			require.Equal(t, schemas.AlertBroken, a.Kind)
			got[a.Channel] = a.Flag.Tenant
			for _, f := range a.Riskiest {
				require.Equal(t, a.Channel, p.ChannelFor(f.Tenant, schemas.SeverityNormal))
			}
		}
		require.Equal(t, map[string]string{"C-BANK": "bank", "C-ALL": "one"}, got)
		require.Len(t, d.sink.Alerts(), 2)
	})
}
