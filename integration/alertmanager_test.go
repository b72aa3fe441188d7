//go:build integration

package integration_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alertmanager"
	"confab/integration"
	"confab/schemas"
)

// TestAlertmanager checks the sink with a real Alertmanager: two messages of one tenant are one notification under its
// route, an edit changes an alert and adds none, and an alert that is not renewed is resolved.
func TestAlertmanager(t *testing.T) {
	a := startAlertmanager(t, "tenant")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sink := alertmanager.New(alertmanager.Options{URL: a.url, Resolve: 4 * time.Second})
	t.Cleanup(sink.Close)
	first, second, other := newAlert("a", "first"), newAlert("a", "second"), newAlert("b", "other")
	for _, alert := range []schemas.Alert{first, second, other} {
		_, err := sink.Notify(ctx, alert)
		require.NoError(t, err)
	}
	t.Run("shown", func(t *testing.T) {
		require.Len(t, a.alerts(ctx, t), 3)
		got := a.alert(ctx, t, "first")
		require.Equal(t, "ConfabHallucination", got.Labels["alertname"])
		require.Equal(t, "critical", got.Labels["severity"])
		require.Equal(t, "a", got.Labels["tenant"])
		require.Equal(t, "answers", got.Labels["service"])
		require.Equal(t, first.Flag.IncidentID, got.Annotations["incident_id"])
		require.Equal(t, "1", got.Annotations["count"])
		require.WithinDuration(t, first.First, got.StartsAt, time.Millisecond)
		require.WithinDuration(t, time.Now().Add(4*time.Second), got.EndsAt, 4*time.Second)
	})
	t.Run("grouped", func(t *testing.T) {
		// Alertmanager groups what it has taken a moment later.
		require.NoError(t, integration.Await(ctx, "three alerts in two groups", func(ctx context.Context) (bool, error) {
			sizes := map[string]int{}
			for _, g := range a.groups(ctx, t) {
				sizes[g.GroupLabels["tenant"]] = len(g.Alerts)
			}
			return maps.Equal(map[string]int{"a": 2, "b": 1}, sizes), nil
		}))
		a.await(ctx, t, "one notification holds both", func(n notification) bool {
			return n.Status == "firing" && n.GroupLabels["tenant"] == "a" && len(n.Alerts) == 2
		})
	})
	t.Run("edited", func(t *testing.T) {
		before := a.alert(ctx, t, "first")
		first.Count, first.Last = 38, time.Now()
		require.NoError(t, sink.Edit(ctx, first, schemas.Receipt{}))
		require.Len(t, a.alerts(ctx, t), 3, "an edit adds nothing")
		got := a.alert(ctx, t, "first")
		require.Equal(t, "38", got.Annotations["count"])
		require.True(t, got.EndsAt.After(before.EndsAt), "it fires for longer")
		require.Equal(t, before.Fingerprint, got.Fingerprint)
	})
	t.Run("resolved", func(t *testing.T) {
		a.await(ctx, t, "the receiver hears that it is over", func(n notification) bool {
			return n.Status == "resolved" && n.GroupLabels["tenant"] == "a"
		})
		require.Empty(t, a.alerts(ctx, t), "nothing fires any more")
	})
}

// newAlert returns an alert as the dispatcher passes it to a sink.
func newAlert(tenant, message string) schemas.Alert {
	now := time.Now()
	f := schemas.Flag{
		IncidentID: "0000000000000000000000000000000000000000000000000000000000000000", Tenant: tenant, Service: "answers", Model: "m",
		Pass: schemas.PassFast, Alert: true, Fired: []string{"facts", "grounding"}, DetectedAt: now,
	}
	return schemas.Alert{
		Kind: schemas.AlertGroup, Message: message, Severity: schemas.SeverityHigh, Tenant: tenant, Flag: f, Riskiest: []schemas.Flag{f},
		Count: 1, First: now, Last: now, Models: []string{"m"},
	}
}

// alert returns the active alert of the message.
func (a *alertmanagerProcess) alert(ctx context.Context, t *testing.T, message string) managedAlert {
	t.Helper()
	for _, alert := range a.alerts(ctx, t) {
		if alert.Labels["confab_message"] == message {
			return alert
		}
	}
	t.Fatalf("no alert of message %s", message)
	return managedAlert{}
}

// await waits until the receiver has a matching notification.
func (a *alertmanagerProcess) await(ctx context.Context, t *testing.T, what string, is func(notification) bool) {
	t.Helper()
	require.NoError(t, integration.Await(ctx, what, func(context.Context) (bool, error) {
		return slices.ContainsFunc(a.received(), is), nil
	}))
}
