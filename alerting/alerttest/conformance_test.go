package alerttest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alertmanager"
	"confab/alerting/alerttest/samples"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/alerting/webhook"
	"confab/schemas"
)

// TestConformance checks the result of every fault for every sink and operation.
func TestConformance(t *testing.T) {
	forEachAction(t, func(t *testing.T, s sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		for _, f := range faultCases(time.Now()) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				server, want := NewFakeServer(t, f.do...), f.want
				if s.ReadsReply && f.read != nil {
					want = *f.read
				}
				a := open(t, server.URL, server.Options())
				want.Ambiguous = want.Ambiguous && !a.Idempotent
				RequireOutcome(t, want, schemas.Receipt{}, a.Do(t.Context(), samples.MinimalAlert()))
				require.Equal(t, want.Posts, server.Count())
			})
		}
	})
}

// TestConformanceBelowHTTP: a request that was never sent is never ambiguous, one that got no reply is.
func TestConformanceBelowHTTP(t *testing.T) {
	refused := func() string {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return "http://" + l.Addr().String()
	}()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler()) // with an untrusted certificate
	tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	tls.StartTLS()
	defer tls.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	forEachAction(t, func(t *testing.T, _ sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		for name, base := range map[string]string{"refused": refused, "untrusted certificate": tls.URL} {
			t.Run(name, func(t *testing.T) {
				a := open(t, base, httpsend.Options{Interval: -1, Transport: transport})
				RequireOutcome(t, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonConnection}, schemas.Receipt{}, a.Do(t.Context(), samples.MinimalAlert()))
			})
		}
		t.Run("hang", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := open(t, "http://127.0.0.1:9", httpsend.Options{Interval: -1, Timeout: 7 * time.Second, Transport: RoundTripFunc(NoReply)})
				want := WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonTimeout, Ambiguous: !a.Idempotent}
				RequireOutcome(t, want, schemas.Receipt{}, a.Do(t.Context(), samples.MinimalAlert()))
				require.Equal(t, 7*time.Second, time.Since(start))
			})
		})
	})
}

// TestRedirectsAreNotFollowed: a redirect would send the message and a secret to a host that is not configured.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		leaked.Add(1)
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C","ts":"1.1"}`)
	}))
	defer elsewhere.Close()
	forEachAction(t, func(t *testing.T, _ sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		for _, status := range []int{301, 302, 303, 307, 308} {
			s := NewFakeServer(t, Answer(status, "", "Location", elsewhere.URL))
			a := open(t, s.URL, s.Options())
			RequireOutcome(t, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound}, schemas.Receipt{}, a.Do(t.Context(), samples.MinimalAlert()))
		}
	})
	require.Zero(t, leaked.Load())
}

func TestContextEnds(t *testing.T) {
	forEachAction(t, func(t *testing.T, _ sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := NewFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
			cancel() // the request is under way when the context ends
			Hang(w, r)
		})
		a := open(t, s.URL, s.Options())
		for range 2 {
			err := a.Do(ctx, samples.MinimalAlert())
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, s.Count(), "no post after the end")
			RequireNoSecrets(t, err.Error())
		}
	})
}

func TestReplyIsBounded(t *testing.T) {
	forEachAction(t, func(t *testing.T, s sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		var read int
		transport := RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(endlessBody{&read}), Request: r}, nil
		})
		a := open(t, "http://127.0.0.1:9", httpsend.Options{Interval: -1, Transport: transport})
		want := WantOutcome{}
		if s.ReadsReply {
			want = WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonUnknown, Ambiguous: !a.Idempotent}
		}
		RequireOutcome(t, want, schemas.Receipt{}, a.Do(t.Context(), samples.MinimalAlert()))
		require.Positive(t, read)
		require.LessOrEqual(t, read, httpsend.MaxReply)
	})
}

// TestSinksShareNothing: concurrent calls do not modify the alert, nor read it after they return.
func TestSinksShareNothing(t *testing.T) {
	forEachAction(t, func(t *testing.T, _ sinkCase, open func(*testing.T, string, httpsend.Options) sinkAction) {
		s := NewFakeServer(t)
		a := open(t, s.URL, s.Options())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				alert := samples.MinimalAlert()
				alert.Riskiest, alert.Models = []schemas.Flag{samples.Flag()}, []string{"b", "a"}
				if err := a.Do(t.Context(), alert); err != nil {
					t.Error(err)
				}
				if diff := alertChanged(alert, []string{"b", "a"}); diff {
					t.Error("the alert was changed")
				}
				alert.Models[0], alert.Flag.Fired[0] = "mine", "mine" // fails under the race detector if the sink still reads
				alert.Flag.Signals[0].Evidence[0].Excerpt, alert.Riskiest[0].Signals[0].Reason = "mine", "mine"
			})
		}
		wg.Wait()
		require.Equal(t, 8, s.Count())
	})
}

func alertChanged(a schemas.Alert, models []string) bool {
	want := samples.MinimalAlert()
	want.Riskiest, want.Models = []schemas.Flag{samples.Flag()}, models
	return fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", want)
}

func TestSecretsAreNotPrinted(t *testing.T) {
	values := []any{
		slacksink.WebhookOptions{URL: "https://hooks.example" + HookPath},
		slacksink.BotOptions{Token: Token},
		webhook.Options{URL: "https://hooks.example" + HookPath, Secrets: SigningSecret},
		alertmanager.Options{Password: Password, BearerToken: Password},
	}
	for _, s := range sinkCases() {
		values = append(values, s.open(t, "http://127.0.0.1:9", httpsend.Options{}))
	}
	var logged strings.Builder
	untimed := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // its digits may be those of the message
		}
		return a
	}}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			RequireNoSecrets(t, fmt.Sprintf(verb, v))
		}
		slog.New(slog.NewTextHandler(&logged, untimed)).Info("x", "value", v)
		slog.New(slog.NewJSONHandler(&logged, untimed)).Info("x", "value", v)
	}
	RequireNoSecrets(t, logged.String())
}

// endlessBody is an endless body.
type endlessBody struct{ n *int }

// Read counts the bytes read.
func (e endlessBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	if *e.n == 0 {
		copy(p, `{"text":"`)
	}
	*e.n += len(p)
	return len(p), nil
}
