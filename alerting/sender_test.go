package alerting

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

	"confab/internal/redact"
	"confab/schemas"
)

func TestPacing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []string
		start := time.Now()
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			at = append(at, fmt.Sprint(time.Since(start)))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(
				`{"ok":true,"channel":"C","ts":"1.2"}`)), Request: r}, nil
		})
		b, err := NewBot(BotOptions{Token: token, Channel: "C1", SendOptions: SendOptions{Transport: transport}})
		require.NoError(t, err)
		for _, channel := range []string{"", "", "C2", "C1", ""} {
			_, err := b.Notify(t.Context(), schemas.Alert{Flag: sample(), Channel: channel})
			require.NoError(t, err)
		}
		require.Equal(t, []string{"0s", "1s", "1s", "2s", "3s"}, at, "one message a second and channel")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = b.Notify(ctx, schemas.Alert{Flag: sample()})
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, at, 5, "nobody posts after the end")
	})
}

// TestTurnsAreGivenBack: who gives up waiting holds up nobody.
func TestTurnsAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := newSender(SendOptions{}, advice{})
		require.NoError(t, s.pace(t.Context(), lane{name: "C1"}))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, s.pace(ctx, lane{name: "C1"}), context.DeadlineExceeded)
		require.NoError(t, s.pace(t.Context(), lane{name: "C1"}))
		require.Equal(t, time.Second, time.Since(start))
	})
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endless is a body without an end.
type endless struct{ n *int }

// Read counts what is read.
func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	if *e.n == 0 {
		copy(p, `{"text":"`)
	}
	*e.n += len(p)
	return len(p), nil
}

func TestOptionsAreRefused(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                 "is no URL",
		"not a url" + hookPath:             "is no URL",
		"https://%zz" + hookPath:           "is no URL",
		"http://hooks.example" + hookPath:  "does not use https",
		"ftp://hooks.example" + hookPath:   "does not use https",
		"http://127.0.0.1.evil" + hookPath: "does not use https",
		"http://localhost.evil" + hookPath: "does not use https",
	} {
		_, err := NewWebhook(WebhookOptions{URL: redact.Secret(raw)})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "alerting.slack.webhook_url")
		secretFree(t, err.Error())
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
		"broken token": {BotOptions{Token: token + "\n", Channel: "C1"}, "alerting.slack.bot_token"},
		"no channel":   {BotOptions{Token: token}, "alerting.slack.channel"},
		"plain http":   {BotOptions{Token: token, Channel: "C1", APIURL: "http://slack.example/api/"}, "alerting.slack.api_url"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewBot(tt.opts)
			require.ErrorContains(t, err, tt.want)
			secretFree(t, err.Error())
		})
	}
}

func TestExplainKnowsTheLibrarysErrors(t *testing.T) {
	wrapped := fmt.Errorf("x: %w", &url.Error{Op: "Post", URL: hookPath, Err: errors.New(token)})
	e := slackAdvice().explain("op", wrapped)
	require.Equal(t, ReasonUnknown, e.Reason)
	require.True(t, e.Ambiguous)
	secretFree(t, e.Error())
	require.Equal(t, ReasonRateLimited, slackAdvice().explain("op", fmt.Errorf("x: %w", &slack.RateLimitedError{RetryAfter: time.Second})).Reason)
	require.Equal(t, "op: too many messages (asked to wait 1s)", slackAdvice().explain("op", &slack.RateLimitedError{RetryAfter: time.Second}).Error())
}
