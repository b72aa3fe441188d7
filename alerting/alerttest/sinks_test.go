package alerttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/alerting/webhook"
	"confab/internal/redact"
)

// sinkCases returns all HTTP sinks.
func sinkCases() []SinkCase {
	return []SinkCase{
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
			a, err := alertmanager.New(alertmanager.Options{URL: base + AlertsPath, Username: "confab", Password: Password, Options: opts})
			require.NoError(t, err)
			t.Cleanup(a.Close)
			return a
		}},
		{Name: "alertmanager with a token", Idempotent: true, open: func(t *testing.T, base string, opts httpsend.Options) alerting.Notifier {
			a, err := alertmanager.New(alertmanager.Options{URL: base + AlertsPath, BearerToken: Password, Options: opts})
			require.NoError(t, err)
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
func forEachAction(t *testing.T, test func(t *testing.T, s SinkCase, open func(t *testing.T, base string, opts httpsend.Options) Action)) {
	for _, s := range sinkCases() {
		for i, a := range Actions(s.open(t, "http://127.0.0.1:9", httpsend.Options{}), s) {
			t.Run(s.Name+"/"+a.Name, func(t *testing.T) {
				test(t, s, func(t *testing.T, base string, opts httpsend.Options) Action {
					return Actions(s.open(t, base, opts), s)[i]
				})
			})
		}
	}
}
