package alerting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slacktest"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

func TestNotifierConnectionFaults(t *testing.T) {
	refused := func() string {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return "http://" + l.Addr().String()
	}()
	tls := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is not trusted
	tls.Config.ErrorLog = nil
	defer tls.Close()
	for name, base := range map[string]string{"refused": refused, "untrusted certificate": tls.URL} {
		t.Run(name, func(t *testing.T) {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			opts := SendOptions{Interval: -1, Transport: transport}
			w, err := NewWebhook(WebhookOptions{URL: redact.Secret(base + hookPath), SendOptions: opts})
			require.NoError(t, err)
			_, err = w.Notify(t.Context(), schemas.Alert{Flag: sample()})
			conforms(t, outcome{class: Retryable, reason: ReasonConnection}, schemas.Receipt{}, err)
			b, err := NewBot(BotOptions{Token: token, Channel: "C042", APIURL: base, SendOptions: opts})
			require.NoError(t, err)
			_, err = b.Notify(t.Context(), schemas.Alert{Flag: sample()})
			conforms(t, outcome{class: Retryable, reason: ReasonConnection}, schemas.Receipt{}, err)
		})
	}
}

// TestRedirectsAreNotFollowed: a redirect would carry the message, and a bot's token, to a host that nobody configured.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		leaked.Add(1)
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C","ts":"1.1"}`)
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		to := answer(status, "", "Location", elsewhere.URL)
		s := newFakeSlack(t, to, to)
		for _, n := range []Notifier{s.webhook(t, s.options()), s.bot(t, s.options())} {
			_, err := n.Notify(t.Context(), schemas.Alert{Flag: sample()})
			conforms(t, outcome{class: Operator, reason: ReasonNotFound}, schemas.Receipt{}, err)
		}
	}
	require.Zero(t, leaked.Load())
}

func TestNotifyEndsWithItsContext(t *testing.T) {
	for _, sink := range []string{"webhook", "bot"} {
		t.Run(sink, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newFakeSlack(t, func(w http.ResponseWriter, r *http.Request) {
				cancel() // the request is under way when the context ends
				hang(w, r)
			})
			n := Notifier(s.webhook(t, s.options()))
			if sink == "bot" {
				n = s.bot(t, s.options())
			}
			_, err := n.Notify(ctx, schemas.Alert{Flag: sample()})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, s.count())
			secretFree(t, err.Error())
		})
	}
}

// TestWorksWithSlacktest posts to the library's own fake of Slack, whose replies are not of our making.
func TestWorksWithSlacktest(t *testing.T) {
	var got url.Values
	server := slacktest.NewTestServer(func(c slacktest.Customize) {
		c.Handle("/chat.postMessage", func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			got = r.PostForm
			_, _ = io.WriteString(w, `{"ok":true,"channel":"`+got.Get("channel")+`","ts":"1.2","message":{"text":"x","ts":"1.2"}}`)
		})
	})
	server.Start()
	defer server.Stop()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	b, err := NewBot(BotOptions{Token: token, Channel: "C1", APIURL: server.GetAPIURL(), SendOptions: SendOptions{Interval: -1, Transport: transport}})
	require.NoError(t, err)
	receipt, err := b.Notify(t.Context(), schemas.Alert{Flag: sample(), Channel: "C2"})
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Channel: "C2", Timestamp: "1.2"}, receipt)
	require.NotEmpty(t, got.Get("blocks"))
}

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

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestReplyIsBounded(t *testing.T) {
	var read int
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(endless{&read}), Request: r}, nil
	})
	b, err := NewBot(BotOptions{Token: token, Channel: "C1", SendOptions: SendOptions{Interval: -1, Transport: transport}})
	require.NoError(t, err)
	_, err = b.Notify(t.Context(), schemas.Alert{Flag: sample()})
	conforms(t, outcome{class: Retryable, reason: ReasonUnknown, ambiguous: true}, schemas.Receipt{}, err)
	require.LessOrEqual(t, read, maxReply)
}

type endless struct{ n *int }

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

func TestSecretsAreNotPrinted(t *testing.T) {
	s := newFakeSlack(t)
	opts := WebhookOptions{URL: redact.Secret(s.URL + hookPath)}
	for _, v := range []any{s.webhook(t, s.options()), s.bot(t, s.options()), opts, BotOptions{Token: token}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			secretFree(t, fmt.Sprintf(verb, v))
		}
	}
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
