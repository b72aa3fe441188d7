package console

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestConsoleEdit(t *testing.T) {
	deep := samples.RunningAlert()
	deep.Flag.Pass = schemas.PassDeep
	deep.Feedback = []schemas.Feedback{
		{Verdict: schemas.Fine, User: "U1"},
		{Verdict: schemas.Wrong, User: "U2", Source: schemas.FromSlack, At: samples.Noon()},
	}
	digest := schemas.Alert{Kind: schemas.AlertDigest, Count: 9, Flag: samples.Flag(), First: samples.Noon(), Last: samples.Noon()}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		color bool
		want  string
	}{
		"a group": {samples.RunningAlert(), false, "▌ 37 similar, 2 models, last 11:59:00 UTC · incident " + samples.IncidentID[:12] + "\n"},
		"after a deep evaluation and labels": {deep, false, "▌ 37 similar, 2 models, last 11:59:00 UTC · incident " +
			samples.IncidentID[:12] + " · deep evaluation: block · ✘ wrong by U2 at 12:00 UTC, 2026-11-21\n"},
		"a digest": {digest, false, "▌ 9 possible hallucinations, first 2026-11-21 12:00:00 UTC · last 12:00:00 UTC\n"},
		"in color": {schemas.Alert{Flag: schemas.Flag{IncidentID: samples.IncidentID}}, true, dim + "▌ incident " + samples.IncidentID[:12] + reset + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, New(Options{Writer: &out, Color: tt.color}).Edit(t.Context(), tt.alert, schemas.Receipt{}))
			require.Equal(t, tt.want, out.String())
		})
	}
}

func TestConsoleEditStaysInert(t *testing.T) {
	for _, p := range samples.HostileTexts() {
		var out strings.Builder
		alert := schemas.Alert{Flag: samples.HostileFlag(p), Feedback: []schemas.Feedback{{User: p, Verdict: schemas.HumanVerdict(p)}}, Models: []string{p, p}}
		alert.Flag.Pass = schemas.PassDeep
		require.NoError(t, New(Options{Writer: &out}).Edit(t.Context(), alert, schemas.Receipt{}))
		samples.RequireInert(t, out.String())
		require.Equal(t, 1, strings.Count(out.String(), "\n"), "one line")
	}
}

func TestConsoleEditFails(t *testing.T) {
	for _, n := range []int{0, 5} {
		err := New(Options{Writer: brokenWriter(n)}).Edit(t.Context(), samples.RunningAlert(), schemas.Receipt{})
		alerttest.RequireOutcome(t, alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonWrite}, schemas.Receipt{}, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	require.ErrorIs(t, New(Options{Writer: &out}).Edit(ctx, samples.RunningAlert(), schemas.Receipt{}), context.Canceled)
	require.Empty(t, out.String())
}
