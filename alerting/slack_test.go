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
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slacktest"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

// The secrets of the tests: none may ever be seen in an error, a log or a printed value.
const (
	hookPath = "/services/T000/B000/hook-secret"
	token    = "xoxb-token-secret"
)

// fakeSlack answers posts from a script; what is not scripted succeeds.
type fakeSlack struct {
	*httptest.Server
	transport *http.Transport

	mu     sync.Mutex
	script []http.HandlerFunc
	posts  []*http.Request // with their forms or bodies read
	bodies []string
	past   []string // history, as JSON messages
	forbid bool     // the history is out of scope
}

func newFakeSlack(t *testing.T, script ...http.HandlerFunc) *fakeSlack {
	t.Helper()
	s := &fakeSlack{script: script, transport: &http.Transport{}}
	mux := http.NewServeMux()
	mux.HandleFunc(hookPath, s.post(func(w http.ResponseWriter) { _, _ = io.WriteString(w, "ok") }))
	mux.HandleFunc("/api/chat.postMessage", s.post(func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.0001"}`)
	}))
	mux.HandleFunc("/api/conversations.history", s.history)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		s.Close()
	})
	return s
}

func (s *fakeSlack) post(succeed func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.posts, s.bodies = append(s.posts, r), append(s.bodies, string(body))
		var next http.HandlerFunc
		if len(s.script) > 0 {
			next, s.script = s.script[0], s.script[1:]
		}
		s.mu.Unlock()
		if next != nil {
			next(w, r)
			return
		}
		succeed(w)
	}
}

func (s *fakeSlack) history(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.forbid:
		_, _ = io.WriteString(w, `{"ok":false,"error":"missing_scope"}`)
	case r.FormValue("channel") != "C042" || r.FormValue("include_all_metadata") != "1":
		_, _ = io.WriteString(w, `{"ok":false,"error":"channel_not_found"}`)
	default:
		_, _ = fmt.Fprintf(w, `{"ok":true,"messages":[%s]}`, strings.Join(s.past, ","))
	}
}

// form is the i-th post of a bot.
func (s *fakeSlack) form(t *testing.T, i int) url.Values {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Greater(t, len(s.bodies), i)
	v, err := url.ParseQuery(s.bodies[i])
	require.NoError(t, err)
	return v
}

func (s *fakeSlack) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func (s *fakeSlack) options() SendOptions {
	return SendOptions{Interval: -1, Timeout: 5 * time.Second, Transport: s.transport}
}

func (s *fakeSlack) webhook(t *testing.T, opts SendOptions) *Webhook {
	t.Helper()
	w, err := NewWebhook(WebhookOptions{URL: redact.Secret(s.URL + hookPath), SendOptions: opts})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func (s *fakeSlack) bot(t *testing.T, opts SendOptions) *Bot {
	t.Helper()
	b, err := NewBot(BotOptions{Token: token, Channel: "C042", APIURL: s.URL + "/api", SendOptions: opts})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// answer is a scripted reply.
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// breakOff accepts the message and breaks the connection instead of replying.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// halfReply sends a success that breaks off.
func halfReply(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"ok":true,"chan`)
}

const echo = "the server echoes " + hookPath + " and " + token + " and the answer's text"

// outcome is what a fault must become.
type outcome struct {
	class     Class // "" for success
	reason    Reason
	after     time.Duration
	ambiguous bool
	posts     int
}

var errNone = outcome{posts: 1}

func faults(now time.Time) []struct {
	name         string
	do           []http.HandlerFunc
	short        bool // with a short timeout
	webhook, bot outcome
} {
	date := now.Add(90 * time.Second).UTC().Format(http.TimeFormat)
	api := func(code string) []http.HandlerFunc {
		return []http.HandlerFunc{answer(http.StatusOK, `{"ok":false,"error":"`+code+`"}`)}
	}
	limited := func(after time.Duration) outcome { return outcome{Retryable, ReasonRateLimited, after, false, 1} }
	same := func(o outcome) [2]outcome { return [2]outcome{o, o} }
	type row = struct {
		name         string
		do           []http.HandlerFunc
		short        bool
		webhook, bot outcome
	}
	var rows []row
	http1 := func(name string, status int, o outcome, headers ...string) {
		both := same(o)
		rows = append(rows, row{name, []http.HandlerFunc{answer(status, echo, headers...)}, false, both[0], both[1]})
	}
	http1("429 with seconds", 429, limited(30*time.Second), "Retry-After", "30")
	http1("429 with a date", 429, limited(90*time.Second), "Retry-After", date, "Date", now.UTC().Format(http.TimeFormat))
	http1("429 with a date gone by", 429, limited(0), "Retry-After", date, "Date", now.Add(time.Hour).UTC().Format(http.TimeFormat))
	http1("429 without", 429, limited(0))
	http1("429 with nonsense", 429, limited(0), "Retry-After", "soon "+echo)
	http1("429 with too much", 429, limited(maxRetryAfter), "Retry-After", "99999999")
	http1("429 with more than a number holds", 429, limited(0), "Retry-After", "99999999999999999999")
	http1("429 with less than nothing", 429, limited(0), "Retry-After", "-5")
	http1("500", 500, outcome{Retryable, ReasonServer, 0, true, 1})
	http1("503", 503, outcome{Retryable, ReasonServer, 0, true, 1})
	http1("408", 408, outcome{Retryable, ReasonTimeout, 0, true, 1})
	http1("401", 401, outcome{Operator, ReasonAuth, 0, false, 1})
	http1("403", 403, outcome{Operator, ReasonAuth, 0, false, 1})
	http1("404", 404, outcome{Operator, ReasonNotFound, 0, false, 1})
	http1("410", 410, outcome{Operator, ReasonNotFound, 0, false, 1})
	http1("307 is not followed", 307, outcome{Operator, ReasonNotFound, 0, false, 1}, "Location", "/elsewhere")
	http1("400 once, then the minimal form is taken", 400, outcome{posts: 2})
	rows = append(rows,
		row{"fine", nil, false, errNone, errNone},
		row{"400 for the minimal form too", []http.HandlerFunc{answer(400, echo), answer(400, echo)}, false,
			outcome{Operator, ReasonRefused, 0, false, 2}, outcome{Operator, ReasonRefused, 0, false, 2}},
		row{"hang", []http.HandlerFunc{hang}, true, outcome{Retryable, ReasonTimeout, 0, true, 1}, outcome{Retryable, ReasonTimeout, 0, true, 1}},
		row{"reset after accept", []http.HandlerFunc{breakOff}, false,
			outcome{Retryable, ReasonConnection, 0, true, 1}, outcome{Retryable, ReasonConnection, 0, true, 1}},
		row{"half a reply", []http.HandlerFunc{halfReply}, false, errNone, outcome{Retryable, ReasonUnknown, 0, true, 1}},
		row{"no content", []http.HandlerFunc{answer(204, "")}, false, errNone, outcome{Retryable, ReasonUnknown, 0, true, 1}},
	)
	for _, c := range []struct {
		code string
		want outcome
	}{
		{"invalid_auth", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"token_revoked", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"missing_scope", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"channel_not_found", outcome{Operator, ReasonNotFound, 0, false, 1}},
		{"is_archived", outcome{Operator, ReasonNotFound, 0, false, 1}},
		{"ratelimited", limited(0)},
		{"fatal_error", outcome{Retryable, ReasonServer, 0, true, 1}},
		{"invalid_blocks", outcome{posts: 2}},
		{"msg_blocks_too_long", outcome{posts: 2}},
		{"a code of next year", outcome{Retryable, ReasonUnknown, 0, true, 1}},
		{"", outcome{Retryable, ReasonUnknown, 0, true, 1}}, // the library calls this a success
	} {
		rows = append(rows, row{"reply " + c.code, api(c.code), false, errNone, c.want})
	}
	return rows
}

// TestNotifierConformance holds every way of telling against one table: what a fault of the other side becomes.
func TestNotifierConformance(t *testing.T) {
	for _, tt := range faults(time.Now()) {
		for _, sink := range []string{"webhook", "bot"} {
			t.Run(tt.name+"/"+sink, func(t *testing.T) {
				t.Parallel()
				s := newFakeSlack(t, tt.do...)
				opts := s.options()
				if tt.short {
					opts.Timeout = 500 * time.Millisecond // the connection must be up by then
				}
				n, want := Notifier(s.webhook(t, opts)), tt.webhook
				if sink == "bot" {
					n, want = s.bot(t, opts), tt.bot
				}
				receipt, err := n.Notify(t.Context(), schemas.Alert{Flag: sample()})
				conforms(t, want, receipt, err)
				require.Equal(t, want.posts, s.count())
			})
		}
	}
	t.Run("console", func(t *testing.T) {
		var out strings.Builder
		receipt, err := NewConsole(ConsoleOptions{Writer: &out}).Notify(t.Context(), schemas.Alert{Flag: sample()})
		conforms(t, outcome{}, receipt, err)
		require.NotEmpty(t, out.String())
		for _, n := range []int{0, 5} {
			_, err = NewConsole(ConsoleOptions{Writer: brokenWriter(n)}).Notify(t.Context(), schemas.Alert{Flag: sample()})
			conforms(t, outcome{class: Retryable, reason: ReasonWrite, ambiguous: n > 0}, schemas.Receipt{}, err)
		}
	})
}

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

type brokenWriter int

func (w brokenWriter) Write([]byte) (int, error) { return int(w), errors.New("broken: " + echo) }

// secretFree fails when s shows a secret or a part of the message.
func secretFree(t *testing.T, s string) {
	t.Helper()
	for _, secret := range []string{"hook-secret", "T000", token, "token-secret", "echoes", "bridge", "1937"} {
		require.NotContains(t, s, secret)
	}
}

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
	e := explain("op", wrapped)
	require.Equal(t, ReasonUnknown, e.Reason)
	require.True(t, e.Ambiguous)
	secretFree(t, e.Error())
	require.Equal(t, ReasonRateLimited, explain("op", fmt.Errorf("x: %w", &slack.RateLimitedError{RetryAfter: time.Second})).Reason)
	require.Equal(t, "op: too many messages (asked to wait 1s)", explain("op", &slack.RateLimitedError{RetryAfter: time.Second}).Error())
}
