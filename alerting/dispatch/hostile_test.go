package dispatch

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// TestFloodOfOneTenantHidesNoOther: configured tenants still get messages for new problems while another tenant fills the
// state.
func TestFloodOfOneTenantHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{"bank": {}}})
		d := newHarness(t, harnessOptions{groups: GroupOptions{MaxGroups: 100}, policy: policy}).run()
		for i := range 500 {
			f := similarFlag(i, i)
			f.Tenant = "flood"
			d.add(0, f)
		}
		synctest.Wait()
		before := len(d.sink.Alerts())
		for i := range 3 {
			f := similarFlag(10_000+i, i)
			f.Tenant = "bank"
			d.add(0, f)
			synctest.Wait()
			require.Equal(t, before+i+1, len(d.sink.Alerts()), "problem %d", i) //nolint:testifylint // alerts are long
		}
	})
}

// TestLabelsOfAnySize: labels do not grow the records of groups, and an unknown verdict does not label an incident.
func TestLabelsOfAnySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{}).run()
		f := similarFlag(1, 1)
		d.add(0, f)
		synctest.Wait()
		huge := strings.Repeat("é", 500_000)
		label := schemas.Feedback{IncidentID: f.IncidentID, Verdict: "maybe", User: "U1", Source: schemas.FromSlack, At: time.Now()}
		require.NoError(t, d.Label(t.Context(), label))
		state, _ := d.logs[0].Get(f.IncidentID)
		require.Equal(t, schemas.AlertSent, state.Status, "unknown verdict")
		for i := range 20 {
			label.Verdict, label.User, label.Comment = schemas.Wrong, fmt.Sprint("U", i, huge), huge
			label.Detectors = []string{huge}
			require.NoError(t, d.Label(t.Context(), label))
		}
		sleepVirtual(time.Hour)
		state, _ = d.logs[0].Get(f.IncidentID)
		require.Equal(t, schemas.AlertLabelled, state.Status)
		for _, w := range d.logs[0].Journal {
			require.Less(t, len(w.Value), 20_000)
		}
	})
}
