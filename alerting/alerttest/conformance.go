package alerttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/schemas"
)

// SinkCase is a row of the conformance table. A new sink adds one.
type SinkCase struct {
	Name string
	open func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier
	// ReadsReply: success depends on the body of the reply, not on its status alone.
	ReadsReply bool
	// Idempotent: a repeated message has one effect, so failures are never ambiguous.
	Idempotent bool
}

// Action is one operation of a sink.
type Action struct {
	Name       string
	Do         func(ctx context.Context, alert schemas.Alert) error
	Idempotent bool // a repetition has no effect
}

// Actions returns the operations of n.
func Actions(n alerting.Notifier, s SinkCase) []Action {
	out := []Action{{"notify", func(ctx context.Context, a schemas.Alert) error {
		_, err := n.Notify(ctx, a)
		return err
	}, s.Idempotent}}
	if e, ok := n.(alerting.Editor); ok {
		out = append(out, Action{"edit", func(ctx context.Context, a schemas.Alert) error { return e.Edit(ctx, a, PostedAt()) }, true})
	}
	if r, ok := n.(alerting.Replier); ok {
		out = append(out, Action{"reply", func(ctx context.Context, a schemas.Alert) error { return r.Reply(ctx, a, PostedAt()) }, s.Idempotent})
	}
	return out
}

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

// BrokenWriter fails after the given number of bytes.
type BrokenWriter int

// Write fails.
func (w BrokenWriter) Write([]byte) (int, error) {
	return int(w), errors.New("broken: " + EchoedSecrets)
}
