package alerting

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

// sink is a row of the conformance table: all that the tests must know of a way of telling. A new sink adds one.
type sink struct {
	name string
	open func(t *testing.T, base string, opts SendOptions) Notifier
	// reads: a success is what the reply says, not its status alone.
	reads bool
	// again: what is sent twice has one effect, so nothing is ambiguous.
	again bool
}

// sinks are all ways of telling over HTTP.
func sinks() []sink {
	return []sink{
		{name: "webhook", open: func(t *testing.T, base string, opts SendOptions) Notifier {
			w, err := NewWebhook(WebhookOptions{URL: redact.Secret(base + hookPath), SendOptions: opts})
			require.NoError(t, err)
			t.Cleanup(w.Close)
			return w
		}},
		{name: "bot", reads: true, open: func(t *testing.T, base string, opts SendOptions) Notifier {
			b, err := NewBot(BotOptions{Token: token, Channel: "C042", APIURL: base + "/api", SendOptions: opts})
			require.NoError(t, err)
			t.Cleanup(b.Close)
			return b
		}},
		{name: "alertmanager", again: true, open: func(t *testing.T, base string, opts SendOptions) Notifier {
			a, err := NewAlertmanager(AlertmanagerOptions{URL: base + alertsPath, Username: "confab", Password: password, SendOptions: opts})
			require.NoError(t, err)
			t.Cleanup(a.Close)
			return a
		}},
		{name: "alertmanager with a token", again: true, open: func(t *testing.T, base string, opts SendOptions) Notifier {
			a, err := NewAlertmanager(AlertmanagerOptions{URL: base + alertsPath, BearerToken: password, SendOptions: opts})
			require.NoError(t, err)
			t.Cleanup(a.Close)
			return a
		}},
	}
}

// act is one thing that a sink can do.
type act struct {
	name string
	do   func(ctx context.Context, alert schemas.Alert) error
	safe bool // doing it twice has one effect
}

// acts are the things that n can do.
func acts(n Notifier, s sink) []act {
	out := []act{{"notify", func(ctx context.Context, a schemas.Alert) error {
		_, err := n.Notify(ctx, a)
		return err
	}, s.again}}
	if e, ok := n.(Editor); ok {
		out = append(out, act{"edit", func(ctx context.Context, a schemas.Alert) error { return e.Edit(ctx, a, where()) }, true})
	}
	if r, ok := n.(Replier); ok {
		out = append(out, act{"reply", func(ctx context.Context, a schemas.Alert) error { return r.Reply(ctx, a, where()) }, s.again})
	}
	return out
}

// each runs a test for everything that every sink can do. open makes the sink anew.
func each(t *testing.T, test func(t *testing.T, s sink, open func(t *testing.T, base string, opts SendOptions) act)) {
	for _, s := range sinks() {
		for i, a := range acts(s.open(t, "http://127.0.0.1:9", SendOptions{}), s) {
			t.Run(s.name+"/"+a.name, func(t *testing.T) {
				test(t, s, func(t *testing.T, base string, opts SendOptions) act { return acts(s.open(t, base, opts), s)[i] })
			})
		}
	}
}

// anAlert is an alert with no more than what every sink needs.
func anAlert() schemas.Alert {
	return schemas.Alert{Kind: schemas.AlertGroup, Flag: sample(), Message: messageID, Tenant: "acme", Channel: "C042", Count: 1}
}

// outcome is what a fault must become.
type outcome struct {
	class     Class // "" for success
	reason    Reason
	after     time.Duration
	ambiguous bool
	posts     int
}

// conforms fails the test unless a call ended as wanted.
func conforms(t *testing.T, want outcome, receipt schemas.Receipt, err error) {
	t.Helper()
	if want.class == "" {
		require.NoError(t, err)
		return
	}
	require.Zero(t, receipt)
	e, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want.class, e.Class, "%v", e)
	require.Equal(t, want.reason, e.Reason, "%v", e)
	require.Equal(t, want.after, e.After, "%v", e)
	require.Equal(t, want.ambiguous, e.Ambiguous, "%v", e)
	require.Contains(t, Reasons(), e.Reason)
	if e.Class == Operator {
		require.NotEmpty(t, e.Remedy, "an error for people names the remedy")
	}
	secretFree(t, fmt.Sprintf("%v %+v %#v", err, err, err))
}

// secretFree fails when s shows a secret or a part of the message.
func secretFree(t *testing.T, s string) {
	t.Helper()
	for _, secret := range []string{"hook-secret", "T000", token, "token-secret", password, "echoes", "bridge", "1937"} {
		require.NotContains(t, s, secret)
	}
}
