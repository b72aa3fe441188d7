package alerting

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestConsoleEdit(t *testing.T) {
	deep := many()
	deep.Flag.Pass = schemas.PassDeep
	deep.Feedback = []schemas.Feedback{
		{Verdict: schemas.FalsePositive, User: "U1"},
		{Verdict: schemas.Confirmed, User: "U2", Source: schemas.FromSlack, At: noon()},
	}
	digest := schemas.Alert{Kind: schemas.AlertDigest, Count: 9, Flag: sample()}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		color bool
		want  string
	}{
		"a group": {many(), false, "▌ +37 similar · 2 models · last 2026-11-21 11:59:00 UTC · support-bot · incident " + incident + "\n"},
		"after a deep look and labels": {deep, false, "▌ +37 similar · 2 models · last 2026-11-21 11:59:00 UTC · " +
			"deep look: block · ✔ confirmed by U2 at 12:00 UTC, 2026-11-21 · support-bot · incident " + incident + "\n"},
		"one":      {schemas.Alert{Flag: sample()}, false, "▌ +0 similar · support-bot · incident " + incident + "\n"},
		"a digest": {digest, false, "▌ digest of 9 incidents · support-bot · incident " + incident + "\n"},
		"in color": {schemas.Alert{Flag: sample()}, true, dim + "▌ +0 similar · support-bot · incident " + incident + reset + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, NewConsole(ConsoleOptions{Writer: &out, Color: tt.color}).Edit(t.Context(), tt.alert, schemas.Receipt{}))
			require.Equal(t, tt.want, out.String())
		})
	}
}

func TestConsoleEditStaysInert(t *testing.T) {
	for _, p := range payloads() {
		var out strings.Builder
		alert := schemas.Alert{Flag: hostile(p), Feedback: []schemas.Feedback{{User: p, Verdict: schemas.HumanVerdict(p)}}, Models: []string{p, p}}
		alert.Flag.Pass = schemas.PassDeep
		require.NoError(t, NewConsole(ConsoleOptions{Writer: &out}).Edit(t.Context(), alert, schemas.Receipt{}))
		inert(t, out.String())
		require.Equal(t, 1, strings.Count(out.String(), "\n"), "it is one line")
	}
}

func TestConsoleEditFails(t *testing.T) {
	for _, n := range []int{0, 5} {
		err := NewConsole(ConsoleOptions{Writer: brokenWriter(n)}).Edit(t.Context(), many(), schemas.Receipt{})
		conforms(t, outcome{class: Retryable, reason: ReasonWrite}, schemas.Receipt{}, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	require.ErrorIs(t, NewConsole(ConsoleOptions{Writer: &out}).Edit(ctx, many(), schemas.Receipt{}), context.Canceled)
	require.Empty(t, out.String())
}
