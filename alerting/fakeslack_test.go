package alerting

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hookPath is a webhook's path. It, token and password are secrets: no error, log or printed value may show them.
const hookPath = "/services/T000/B000/hook-secret"

// token is a bot token.
const token = "xoxb-token-secret"

// password is that of Alertmanager.
const password = "am-password-secret"

// alertsPath is the path below which a fake Alertmanager serves.
const alertsPath = "/alertmanager"

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
	pages  int      // of the history that were read
	broken int      // how many further readings of it fail
}

// newFakeSlack starts a server that answers the first requests by the script.
func newFakeSlack(t *testing.T, script ...http.HandlerFunc) *fakeSlack {
	t.Helper()
	s := &fakeSlack{script: script, transport: &http.Transport{}}
	mux := http.NewServeMux()
	mux.HandleFunc(hookPath, s.post(func(w http.ResponseWriter) { _, _ = io.WriteString(w, "ok") }))
	mux.HandleFunc("/api/chat.postMessage", s.post(func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.0001"}`)
	}))
	mux.HandleFunc("/api/chat.update", s.post(func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.0001","text":"x"}`)
	}))
	mux.HandleFunc("POST "+alertsPath+"/api/v2/alerts", s.post(func(http.ResponseWriter) {}))
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
	s.pages++
	switch {
	case s.broken > 0:
		s.broken--
		w.WriteHeader(http.StatusInternalServerError)
	case s.forbid:
		_, _ = io.WriteString(w, `{"ok":false,"error":"missing_scope"}`)
	case r.FormValue("channel") != "C042" || r.FormValue("include_all_metadata") != "1":
		_, _ = io.WriteString(w, `{"ok":false,"error":"channel_not_found"}`)
	default:
		from, _ := strconv.Atoi(r.FormValue("cursor"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		to, next := min(len(s.past), from+limit), ""
		if to < len(s.past) {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"ok":true,"messages":[%s],"has_more":%t,"response_metadata":{"next_cursor":%q}}`,
			strings.Join(s.past[from:to], ","), next != "", next)
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

// count is how many requests were made.
func (s *fakeSlack) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// options send to the server without waiting.
func (s *fakeSlack) options() SendOptions {
	return SendOptions{Interval: -1, Timeout: 5 * time.Second, Transport: s.transport}
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

// hang never answers.
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

// echo is a reply that repeats what must not be shown.
const echo = "the server echoes " + hookPath + " and " + token + " and the answer's text"
