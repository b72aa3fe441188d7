package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []string
		start := time.Now()
		transport := alerttest.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			at = append(at, fmt.Sprint(time.Since(start)))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(
				`{"ok":true,"channel":"C","ts":"1.2"}`)), Request: r}, nil
		})
		b, err := NewBot(BotOptions{Token: alerttest.Token, Channel: "C1", Options: httpsend.Options{Transport: transport}})
		require.NoError(t, err)
		for _, channel := range []string{"", "", "C2", "C1", ""} {
			_, err := b.Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Channel: channel})
			require.NoError(t, err)
		}
		require.Equal(t, []string{"0s", "1s", "1s", "2s", "3s"}, at, "one message a second per channel")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = b.Notify(ctx, schemas.Alert{Flag: samples.Flag()})
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, at, 5, "no post after the end")
	})
}

func TestOptionsAreRejected(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                 "is not a URL",
		"not a url" + alerttest.HookPath:   "is not a URL",
		"https://%zz" + alerttest.HookPath: "is not a URL",
		"http://hooks.example" + alerttest.HookPath:  "does not use https",
		"ftp://hooks.example" + alerttest.HookPath:   "does not use https",
		"http://127.0.0.1.evil" + alerttest.HookPath: "does not use https",
		"http://localhost.evil" + alerttest.HookPath: "does not use https",
	} {
		_, err := NewWebhook(WebhookOptions{URL: redact.Secret(raw)})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "alerting.slack.webhook_url")
		alerttest.RequireNoSecrets(t, err.Error())
	}
	for _, ok := range []string{"https://hooks.slack.example/x", "http://127.0.0.1:9/x", "http://[::1]:9/x", "http://localhost:9/x"} {
		_, err := NewWebhook(WebhookOptions{URL: redact.Secret(ok)})
		require.NoError(t, err)
	}
	for name, tt := range map[string]struct {
		opts BotOptions
		want string
	}{
		"no token":     {BotOptions{Channel: "C1"}, "alerting.slack.bot_token"},
		"broken token": {BotOptions{Token: alerttest.Token + "\n", Channel: "C1"}, "alerting.slack.bot_token"},
		"no channel":   {BotOptions{Token: alerttest.Token}, "alerting.slack.channel"},
		"plain http":   {BotOptions{Token: alerttest.Token, Channel: "C1", APIURL: "http://slack.example/api/"}, "alerting.slack.api_url"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewBot(tt.opts)
			require.ErrorContains(t, err, tt.want)
			alerttest.RequireNoSecrets(t, err.Error())
		})
	}
}

func TestExplainLibraryErrors(t *testing.T) {
	wrapped := fmt.Errorf("x: %w", &url.Error{Op: "Post", URL: alerttest.HookPath, Err: errors.New(alerttest.Token)})
	e := slackAdvice("").Explain("op", wrapped)
	require.Equal(t, alerting.ReasonUnknown, e.Reason)
	require.True(t, e.Ambiguous)
	alerttest.RequireNoSecrets(t, e.Error())
	require.Equal(t, alerting.ReasonRateLimited, slackAdvice("").Explain("op", fmt.Errorf("x: %w", &slack.RateLimitedError{RetryAfter: time.Second})).Reason)
	require.Equal(t, "op: too many messages (retry after 1s)", slackAdvice("").Explain("op", &slack.RateLimitedError{RetryAfter: time.Second}).Error())
}
