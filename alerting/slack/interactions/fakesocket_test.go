package interactions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

const (
	appToken     = "xapp-1-A1-app-token-secret"
	ticket       = "ticket-secret"
	pingInterval = 10 * time.Second // Slack's pings
)

// pipeListener is a listener of in-memory connections, for virtual time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (n *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *pipeListener) Close() error { n.once.Do(func() { close(n.done) }); return nil }

func (n *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (n *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fakeSlack is the server side of Socket Mode: it returns addresses and speaks the envelope protocol.
type fakeSlack struct {
	net      *pipeListener
	http     *http.Server
	web      *http.Transport
	sessions chan *session

	mu      sync.Mutex
	opened  []time.Time
	script  []string            // replies of apps.connections.open before good ones
	noPings bool                // sends no pings
	hangUp  bool                // closes every connection at once
	raw     func(conn net.Conn) // handles each connection instead of a session
	raws    []net.Conn
	greet   func(r *http.Request) string // with raw: the reply to the upgrade; nil: a valid one
}

func newFakeSlack(t testing.TB) *fakeSlack {
	s := &fakeSlack{
		net:      &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})},
		sessions: make(chan *session, 100),
	}
	s.web = &http.Transport{DialContext: s.net.dial}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(s.net) }()
	t.Cleanup(func() {
		s.web.CloseIdleConnections()
		_ = s.http.Close()
	})
	return s
}

func (s *fakeSlack) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/apps.connections.open", s.open)
	mux.HandleFunc("/link", s.link)
	return mux
}

func (s *fakeSlack) open(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, time.Now())
	switch {
	case len(s.script) > 0:
		reply := s.script[0]
		s.script = s.script[1:]
		_, _ = io.WriteString(w, reply)
	case r.Header.Get("Authorization") != "Bearer "+appToken:
		_, _ = io.WriteString(w, `{"ok":false,"error":"invalid_auth"}`)
	default:
		_, _ = fmt.Fprintf(w, `{"ok":true,"url":"ws://%s/link?ticket=%s"}`, r.Host, ticket)
	}
}

func (s *fakeSlack) link(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	raw, greet := s.raw, s.greet
	s.mu.Unlock()
	if raw != nil {
		if greet == nil {
			greet = upgradeReply
		}
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			defer conn.Close()
			s.set(func() { s.raws = append(s.raws, conn) })
			_, _ = io.WriteString(conn, greet(r)) // raw detects a closed connection
			raw(conn)
		}
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s.mu.Lock()
	mute, hangUp := s.noPings, s.hangUp
	s.mu.Unlock()
	if hangUp {
		_ = conn.Close()
		return
	}
	live := &session{conn: conn, acks: make(chan string, 100), gone: make(chan struct{})}
	live.send(`{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"},"debug_info":{"host":"applink"}}`)
	if !mute {
		go live.ping()
	}
	s.sessions <- live
	live.read()
}

// session is the server side of one connection.
type session struct {
	mu   sync.Mutex // of writing
	conn *websocket.Conn
	acks chan string
	gone chan struct{}
}

func (s *session) send(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteMessage(websocket.TextMessage, []byte(text)) // read detects a closed connection
}

// click sends an envelope with a click in it.
func (s *session) click(id string, p clickPayload) {
	s.send(fmt.Sprintf(`{"envelope_id":%q,"type":"interactive","accepts_response_payload":true,"payload":%s}`, id, p.json()))
}

func (s *session) ping() {
	for {
		s.mu.Lock()
		err := s.conn.WriteControl(websocket.PingMessage, []byte("ping"), time.Now().Add(time.Second))
		s.mu.Unlock()
		if err != nil {
			return
		}
		timer := time.NewTimer(pingInterval)
		select {
		case <-timer.C:
		case <-s.gone:
			timer.Stop()
			return
		}
	}
}

func (s *session) read() {
	defer close(s.gone)
	defer func() { _ = s.conn.Close() }()
	for {
		var ack struct {
			ID string `json:"envelope_id"`
		}
		if err := s.conn.ReadJSON(&ack); err != nil {
			return
		}
		s.acks <- ack.ID
	}
}

func (s *session) hangUp() { _ = s.conn.Close() }

// socket returns a Socket that connects to s.
func (b *recorder) socket(t testing.TB, s *fakeSlack) *Socket {
	t.Helper()
	socket, err := NewSocket(SocketOptions{
		Handler: b.handler(), AppToken: redact.Secret(appToken), APIURL: "http://127.0.0.1/api",
		Metrics: b.metrics, Logger: b.logger(), Dial: s.net.dial, Transport: s.web,
	})
	require.NoError(t, err)
	return socket
}

// runConnected runs a Socket in virtual time against a fakeSlack until test returns. synctest fails when a goroutine
// outlives it.
func runConnected(t *testing.T, test func(t *testing.T, b *recorder, s *fakeSlack)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, s := newRecorder(), newFakeSlack(t)
		b.run(t, s)
		test(t, b, s)
		requireNoSecrets(t, b.log(), appToken, ticket)
	})
}

// run runs a Socket until the test ends.
func (b *recorder) run(t *testing.T, s *fakeSlack) {
	socket := b.socket(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- socket.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		require.InDelta(t, 0, testutil.ToFloat64(b.metrics.connected), 0)
	})
}

// answer scripts the next replies of apps.connections.open.
func (s *fakeSlack) answer(replies ...string) {
	s.set(func() { s.script = append(s.script, replies...) })
}

func (s *fakeSlack) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
