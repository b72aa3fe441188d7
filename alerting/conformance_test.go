package alerting

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestConformance holds all that a sink does against one table: what a fault of the other side becomes.
func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, s sink, open func(*testing.T, string, SendOptions) act) {
		for _, f := range faults(time.Now()) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				server, want := newFakeSlack(t, f.do...), f.want
				if s.reads && f.read != nil {
					want = *f.read
				}
				a := open(t, server.URL, server.options())
				want.ambiguous = want.ambiguous && !a.safe
				conforms(t, want, schemas.Receipt{}, a.do(t.Context(), anAlert()))
				require.Equal(t, want.posts, server.count())
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
	tls := httptest.NewUnstartedServer(http.NotFoundHandler()) // its certificate is not trusted
	tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	tls.StartTLS()
	defer tls.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	each(t, func(t *testing.T, _ sink, open func(*testing.T, string, SendOptions) act) {
		for name, base := range map[string]string{"refused": refused, "untrusted certificate": tls.URL} {
			t.Run(name, func(t *testing.T) {
				a := open(t, base, SendOptions{Interval: -1, Transport: transport})
				conforms(t, outcome{class: Retryable, reason: ReasonConnection}, schemas.Receipt{}, a.do(t.Context(), anAlert()))
			})
		}
		t.Run("hang", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := open(t, "http://127.0.0.1:9", SendOptions{Interval: -1, Timeout: 7 * time.Second, Transport: roundTrip(silent)})
				want := outcome{class: Retryable, reason: ReasonTimeout, ambiguous: !a.safe}
				conforms(t, want, schemas.Receipt{}, a.do(t.Context(), anAlert()))
				require.Equal(t, 7*time.Second, time.Since(start))
			})
		})
	})
}

// silent takes a request and never replies.
func silent(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestRedirectsAreNotFollowed: a redirect would carry the message, and a secret, to a host that nobody configured.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		leaked.Add(1)
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C","ts":"1.1"}`)
	}))
	defer elsewhere.Close()
	each(t, func(t *testing.T, _ sink, open func(*testing.T, string, SendOptions) act) {
		for _, status := range []int{301, 302, 303, 307, 308} {
			s := newFakeSlack(t, answer(status, "", "Location", elsewhere.URL))
			a := open(t, s.URL, s.options())
			conforms(t, outcome{class: Operator, reason: ReasonNotFound}, schemas.Receipt{}, a.do(t.Context(), anAlert()))
		}
	})
	require.Zero(t, leaked.Load())
}

func TestContextEnds(t *testing.T) {
	each(t, func(t *testing.T, _ sink, open func(*testing.T, string, SendOptions) act) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newFakeSlack(t, func(w http.ResponseWriter, r *http.Request) {
			cancel() // the request is under way when the context ends
			hang(w, r)
		})
		a := open(t, s.URL, s.options())
		for range 2 {
			err := a.do(ctx, anAlert())
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, s.count(), "nobody posts after the end")
			secretFree(t, err.Error())
		}
	})
}

func TestReplyIsBounded(t *testing.T) {
	each(t, func(t *testing.T, s sink, open func(*testing.T, string, SendOptions) act) {
		var read int
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(endless{&read}), Request: r}, nil
		})
		a := open(t, "http://127.0.0.1:9", SendOptions{Interval: -1, Transport: transport})
		want := outcome{}
		if s.reads {
			want = outcome{class: Retryable, reason: ReasonUnknown, ambiguous: !a.safe}
		}
		conforms(t, want, schemas.Receipt{}, a.do(t.Context(), anAlert()))
		require.Positive(t, read)
		require.LessOrEqual(t, read, maxReply)
	})
}

// TestSinksShareNothing: many tell at once, the alert is theirs again as soon as they have told, and is what it was.
func TestSinksShareNothing(t *testing.T) {
	each(t, func(t *testing.T, _ sink, open func(*testing.T, string, SendOptions) act) {
		s := newFakeSlack(t)
		a := open(t, s.URL, s.options())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				alert := anAlert()
				alert.Riskiest, alert.Models = []schemas.Flag{sample()}, []string{"b", "a"}
				if err := a.do(t.Context(), alert); err != nil {
					t.Error(err)
				}
				if diff := unlike(alert, []string{"b", "a"}); diff {
					t.Error("the alert was changed")
				}
				alert.Models[0], alert.Flag.Fired[0] = "mine", "mine" // under the race detector nobody may be reading
				alert.Flag.Signals[0].Evidence[0].Excerpt, alert.Riskiest[0].Signals[0].Reason = "mine", "mine"
			})
		}
		wg.Wait()
		require.Equal(t, 8, s.count())
	})
}

func unlike(a schemas.Alert, models []string) bool {
	want := anAlert()
	want.Riskiest, want.Models = []schemas.Flag{sample()}, models
	return fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", want)
}

func TestSecretsAreNotPrinted(t *testing.T) {
	values := []any{
		WebhookOptions{URL: "https://hooks.example" + hookPath},
		BotOptions{Token: token},
		AlertmanagerOptions{Password: password, BearerToken: password},
	}
	for _, s := range sinks() {
		values = append(values, s.open(t, "http://127.0.0.1:9", SendOptions{}))
	}
	var logged strings.Builder
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			secretFree(t, fmt.Sprintf(verb, v))
		}
		slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "value", v)
		slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "value", v)
	}
	secretFree(t, logged.String())
}
