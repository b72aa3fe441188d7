package alerttest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/card"
	"confab/schemas"
)

// WantOutcome is the expected result of an operation.
type WantOutcome struct {
	Class     alerting.Class // "" for success
	Reason    alerting.Reason
	After     time.Duration
	Ambiguous bool
	Posts     int
}

// RequireOutcome fails the test unless a call ended as wanted.
func RequireOutcome(t *testing.T, want WantOutcome, receipt schemas.Receipt, err error) {
	t.Helper()
	if want.Class == "" {
		require.NoError(t, err)
		return
	}
	require.Zero(t, receipt)
	e, ok := errors.AsType[*alerting.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want.Class, e.Class, "%v", e)
	require.Equal(t, want.Reason, e.Reason, "%v", e)
	require.Equal(t, want.After, e.After, "%v", e)
	require.Equal(t, want.Ambiguous, e.Ambiguous, "%v", e)
	require.Contains(t, alerting.Reasons(), e.Reason)
	if e.Class == alerting.Operator {
		require.NotEmpty(t, e.Remedy, "an operator error has a remedy")
	}
	RequireNoSecrets(t, fmt.Sprintf("%v %+v %#v", err, err, err))
}

// RequireNoSecrets fails when s shows a secret or a part of the message.
func RequireNoSecrets(t *testing.T, s string) {
	t.Helper()
	for _, secret := range []string{"hook-secret", "T000", Token, "token-secret", Password, SigningSecret, "echoes", "bridge", "1937"} {
		require.NotContains(t, s, secret)
	}
}

// RateLimited is the outcome of a rate limit.
func RateLimited(after time.Duration) WantOutcome {
	return WantOutcome{alerting.Retryable, alerting.ReasonRateLimited, after, false, 1}
}

// RenderAll returns options with every link and button.
func RenderAll() card.RenderOptions {
	return card.RenderOptions{
		Buttons: true, TraceURL: "https://traces.example/t/{trace_id}?view=spans", RunbookURL: "https://wiki.example/on-call#confab",
	}
}

// PostedAt returns the receipt of a posted message.
func PostedAt() schemas.Receipt { return schemas.Receipt{Channel: "C042", Timestamp: "1763.0001"} }
