package alerttest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/httpsend"
)

// FakeServer answers posts by a script, then with success.
type FakeServer struct {
	*httptest.Server
	transport *http.Transport

	mu              sync.Mutex
	script          []http.HandlerFunc
	Posts           []*http.Request // with their forms or bodies read
	Bodies          []string
	History         []string // JSON messages
	ForbidHistory   bool     // the token lacks the scope
	HistoryPages    int      // pages read
	HistoryFailures int      // number of reads that will fail
}

func (s *FakeServer) post(succeed func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.Posts, s.Bodies = append(s.Posts, r), append(s.Bodies, string(body))
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

func (s *FakeServer) serveHistory(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.HistoryPages++
	switch {
	case s.HistoryFailures > 0:
		s.HistoryFailures--
		w.WriteHeader(http.StatusInternalServerError)
	case s.ForbidHistory:
		_, _ = io.WriteString(w, `{"ok":false,"error":"missing_scope"}`)
	case r.FormValue("channel") != "C042" || r.FormValue("include_all_metadata") != "1":
		_, _ = io.WriteString(w, `{"ok":false,"error":"channel_not_found"}`)
	default:
		from, _ := strconv.Atoi(r.FormValue("cursor"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		to, next := min(len(s.History), from+limit), ""
		if to < len(s.History) {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"ok":true,"messages":[%s],"has_more":%t,"response_metadata":{"next_cursor":%q}}`,
			strings.Join(s.History[from:to], ","), next != "", next)
	}
}

// Form is the i-th post of a bot.
func (s *FakeServer) Form(t *testing.T, i int) url.Values {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Greater(t, len(s.Bodies), i)
	v, err := url.ParseQuery(s.Bodies[i])
	require.NoError(t, err)
	return v
}

// Count returns the number of requests.
func (s *FakeServer) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Bodies)
}

// Options returns options without rate limit.
func (s *FakeServer) Options() httpsend.Options {
	return httpsend.Options{Interval: -1, Timeout: 5 * time.Second, Transport: s.transport}
}

// NewFakeServer starts a server that answers the first requests by the script.
func NewFakeServer(t *testing.T, script ...http.HandlerFunc) *FakeServer {
	t.Helper()
	s := &FakeServer{script: script, transport: &http.Transport{}}
	mux := http.NewServeMux()
	mux.HandleFunc(HookPath, s.post(func(w http.ResponseWriter) { _, _ = io.WriteString(w, "ok") }))
	mux.HandleFunc("/api/chat.postMessage", s.post(func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.0001"}`)
	}))
	mux.HandleFunc("/api/chat.update", s.post(func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.0001","text":"x"}`)
	}))
	mux.HandleFunc("POST "+AlertsPath+"/api/v2/alerts", s.post(func(http.ResponseWriter) {}))
	mux.HandleFunc("/api/conversations.history", s.serveHistory)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		s.Close()
	})
	return s
}

// Answer returns a handler with a fixed reply.
func Answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// BreakConnection reads the message and resets the connection instead of replying.
func BreakConnection(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// TruncatedReply sends a part of a successful reply.
func TruncatedReply(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"ok":true,"chan`)
}

// EchoedSecrets is a reply that repeats secrets.
const EchoedSecrets = "the server echoes " + HookPath + " and " + Token + " and the answer's text"

// HookPath is the path of a webhook. Like Token and Password it is a secret that no error, log or printed value may show.
const HookPath = "/services/T000/B000/hook-secret"

// Token is a bot token.
const Token = "xoxb-token-secret"

// Password is a password for Alertmanager.
const Password = "am-password-secret"

// SigningSecret is a secret of a signed webhook.
const SigningSecret = "whsec_c2lnbmluZy1zZWNyZXQtb2YtdGVzdHMtMDEyMw=="

// AlertsPath is the path of the fake Alertmanager.
const AlertsPath = "/alertmanager"

// RoundTripFunc is a transport.
type RoundTripFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// NoReply is a transport that never replies.
func NoReply(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}
