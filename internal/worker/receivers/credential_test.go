package receivers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest/samples"
	"confab/internal/redact"
	"confab/internal/worker/config"
)

// TestErrorsNameTheCredential: a refused login names where it is configured, a key or a file, and never what it is.
func TestErrorsNameTheCredential(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat.postMessage" {
			_, _ = io.WriteString(w, `{"ok":false,"error":"invalid_auth"}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "canary")
	}))
	defer s.Close()
	const file = "/run/secrets/canary-free"
	secret := redact.Secret("canary")
	address := redact.Secret(s.URL + "/canary")
	named := func(r config.Receiver) func(*config.Alerting) {
		return func(a *config.Alerting) {
			r.Name = "x"
			a.Receivers = []config.Receiver{{Name: "other"}, r}
		}
	}
	for name, tt := range map[string]struct {
		set  func(a *config.Alerting)
		want string
	}{
		"slack webhook":       {func(a *config.Alerting) { a.Slack.WebhookURL = address }, "alerting.slack.webhook_url"},
		"slack webhook, file": {func(a *config.Alerting) { a.Slack.WebhookURL, a.Slack.WebhookURLFile = address, file }, "alerting.slack.webhook_url_file (" + file + ")"},
		"slack bot": {func(a *config.Alerting) {
			a.Slack.BotToken, a.Slack.BotTokenFile, a.Slack.Channel, a.Slack.APIURL = secret, file, "C1", s.URL+"/api"
		}, "alerting.slack.bot_token_file (" + file + ")"},
		"alertmanager": {func(a *config.Alerting) {
			a.Alertmanager.URL, a.Alertmanager.Username, a.Alertmanager.Password, a.Alertmanager.PasswordFile = s.URL, "u", secret, file
		}, "password_file (" + file + ")"},
		"alertmanager token":    {func(a *config.Alerting) { a.Alertmanager.URL, a.Alertmanager.BearerToken = s.URL, secret }, "alerting.alertmanager.bearer_token"},
		"receiver webhook":      {named(config.Receiver{Webhook: config.Webhook{URL: address}}), "alerting.receivers[1].webhook.secrets"},
		"receiver slack":        {named(config.Receiver{Slack: config.SlackSink{WebhookURL: address}}), "alerting.receivers[1].slack.webhook_url"},
		"receiver slack bot":    {named(config.Receiver{Slack: config.SlackSink{BotToken: secret, Channel: "C1", APIURL: s.URL + "/api"}}), "alerting.receivers[1].slack.bot_token"},
		"receiver alertmanager": {named(config.Receiver{Alertmanager: config.AlertmanagerSink{URL: s.URL, BearerToken: secret, BearerTokenFile: file}}), "alerting.receivers[1].alertmanager.bearer_token_file (" + file + ")"},
	} {
		t.Run(name, func(t *testing.T) {
			a := config.Default().Alerting
			tt.set(&a)
			receiver := config.DefaultReceiver
			if len(a.Receivers) > 0 {
				receiver = "x"
			}
			made, err := NewSink(&a, receiver, SinkOptions{Now: time.Now})
			require.NoError(t, err)
			defer made.Close()
			_, err = made.Notifier.Notify(t.Context(), samples.MinimalAlert())
			require.Equal(t, alerting.ReasonAuth, alerting.AsError(err).Reason, "%v", err)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "/canary\"")
			require.NotContains(t, err.Error(), s.URL)
			require.NotRegexp(t, `canary($|[^-])`, err.Error())
		})
	}
}
