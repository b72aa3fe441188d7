package alerttest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/alerting/webhook"
	"confab/internal/redact"
	"confab/schemas"
)

// sinkCase is a row of the conformance table. A new sink adds one.
type sinkCase struct {
	Name string
	open func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier
	// ReadsReply: success depends on the body of the reply, not on its status alone.
	ReadsReply bool
	// Idempotent: a repeated message has one effect, so failures are never ambiguous.
	Idempotent bool
}

// sinkAction is one operation of a sink.
type sinkAction struct {
	Name       string
	Do         func(ctx context.Context, alert schemas.Alert) error
	Idempotent bool // a repetition has no effect
}

// actionsOf returns the operations of n.
func actionsOf(n alerting.Notifier, s sinkCase) []sinkAction {
	out := []sinkAction{{"notify", func(ctx context.Context, a schemas.Alert) error {
		_, err := n.Notify(ctx, a)
		return err
	}, s.Idempotent}}
	if e, ok := n.(alerting.Editor); ok {
		out = append(out, sinkAction{"edit", func(ctx context.Context, a schemas.Alert) error { return e.Edit(ctx, a, PostedAt()) }, true})
	}
	return out
}

// sinkCases returns all HTTP sinks.
func sinkCases() []sinkCase {
	return []sinkCase{
		{Name: "webhook", open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			w, err := slacksink.NewWebhook(slacksink.WebhookOptions{URL: redact.Secret(base + HookPath), Options: opts})
			require.NoError(t, err)
			t.Cleanup(w.Close)
			return w
		}},
		{Name: "bot", ReadsReply: true, open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			b, err := slacksink.NewBot(slacksink.BotOptions{Token: Token, Channel: "C042", APIURL: base + "/api", Options: opts})
			require.NoError(t, err)
			t.Cleanup(b.Close)
			return b
		}},
		{Name: "alertmanager", Idempotent: true, open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			a := alertmanager.New(alertmanager.Options{URL: base + AlertsPath, Username: "confab", Password: Password, Options: opts})
			t.Cleanup(a.Close)
			return a
		}},
		{Name: "alertmanager with a token", Idempotent: true, open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			a := alertmanager.New(alertmanager.Options{URL: base + AlertsPath, BearerToken: Password, Options: opts})
			t.Cleanup(a.Close)
			return a
		}},
		{Name: "signed webhook", open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			n, err := webhook.New(webhook.Options{URL: redact.Secret(base + HookPath), Secrets: SigningSecret, Options: opts})
			require.NoError(t, err)
			t.Cleanup(n.Close)
			return n
		}},
	}
}

// forEachAction runs a test for every operation of every sink. open returns a new sink.
func forEachAction(t *testing.T, test func(t *testing.T, s sinkCase, open func(t *testing.T, base string, opts httpsend.Options) sinkAction)) {
	for _, s := range sinkCases() {
		for i, a := range actionsOf(s.open(t, "http://127.0.0.1:9", httpsend.Options{}), s) {
			t.Run(s.Name+"/"+a.Name, func(t *testing.T) {
				test(t, s, func(t *testing.T, base string, opts httpsend.Options) sinkAction {
					return actionsOf(s.open(t, base, opts), s)[i]
				})
			})
		}
	}
}
