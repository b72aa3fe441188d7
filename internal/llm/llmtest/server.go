package llmtest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/test/bufconn"
)

const maxRequest = 16 << 20

// Cleaner registers clean-ups; *testing.T is one.
type Cleaner interface{ Cleanup(func()) }

// Reply is one scripted reply. The zero Reply is the default reply.
type Reply struct {
	Status int               // 0: 200
	Header map[string]string // Content-Type is application/json where it is not set
	Body   string            // "" and Status 0: the default reply
	Wait   <-chan struct{}   // reply after it is closed, or never if the client leaves first
	Hang   bool              // never reply; ends when the client leaves or the server closes
	Reset  bool              // close the connection without a reply
	Cut    int               // close the connection after so many bytes of the body; 0: send all
	Stall  bool              // with Cut: keep the connection open; ends as Hang does
	Times  int               // number of uses in a row; 0 is 1, negative is unlimited
}

// Options configure a server. The zero Options give default replies.
type Options struct {
	// Script has one Reply per request in order of arrival; default replies follow.
	Script []Reply
	// Answer returns the text of choice i (from 0) of a conversation. Nil: "echo: " and the last message.
	Answer func(chat Chat, i int) string
	// Refuse lists chat parameters that get status 400.
	Refuse []string
	// IgnoreN gives one choice for any n.
	IgnoreN bool
	// CountOne counts the tokens of one reply only, as llama.cpp does.
	CountOne bool
	// NoUsage omits the usage.
	NoUsage bool
}

// Chat is a parsed chat request.
type Chat struct {
	Model    string
	Messages []struct{ Role, Content string }
	N        int
	Format   struct{ Type string } `json:"response_format"`
}

// Last returns the text of the last message.
func (c Chat) Last() string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[len(c.Messages)-1].Content
}

// Request is a received request.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   string
	Fields map[string]any // of Body, where it is a JSON object
}

// Server runs until the test ends.
type Server struct {
	// URL of the server, without a path: a base URL is URL + "/v1".
	URL string
	// Dial connects to an in-memory server, for any address. Nil: the server listens on the loopback.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	opts   Options
	http   *http.Server
	done   sync.WaitGroup
	closed chan struct{}

	mu       sync.Mutex
	script   []Reply
	requests []Request
}

// Listen starts a server on the loopback.
func Listen(t Cleaner, o Options) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := startServer(t, l, o)
	s.URL = "http://" + l.Addr().String()
	return s, nil
}

// Memory starts a server without sockets, which only Dial reaches.
func Memory(t Cleaner, o Options) *Server {
	l := bufconn.Listen(64 << 10)
	s := startServer(t, l, o)
	s.URL, s.Dial = "http://llm.test", func(ctx context.Context, _, _ string) (net.Conn, error) { return l.DialContext(ctx) }
	return s
}

func startServer(t Cleaner, l net.Listener, o Options) *Server {
	s := &Server{opts: o, script: o.Script, closed: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.done.Go(func() { _ = s.http.Serve(l) }) // it returns ErrServerClosed after Close
	t.Cleanup(s.Close)
	return s
}

// Close stops the server and its requests. The end of the test does so too.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	_ = s.http.Close()
	s.done.Wait()
}

// Requests returns the received requests in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return
	}
	reply := s.next(r, body)
	switch {
	case reply.Hang:
		s.wait(r, nil)
		reply.Reset = true
	case reply.Wait != nil:
		s.wait(r, reply.Wait)
	}
	if reply.Reset {
		hangUp(w)
		return
	}
	if reply.Status == 0 && reply.Body == "" {
		reply.Status, reply.Body = s.defaultReply(r.URL.Path, body)
	}
	if s.write(w, reply); reply.Cut > 0 {
		_ = http.NewResponseController(w).Flush() // the client may have left
		if reply.Stall {
			s.wait(r, nil)
		}
		hangUp(w)
	}
}

// next records the request and takes its reply from the script.
func (s *Server) next(r *http.Request, body []byte) Reply {
	seen := Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(), Body: string(body)}
	if json.Unmarshal(body, &seen.Fields) != nil {
		seen.Fields = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, seen)
	if len(s.script) == 0 {
		return Reply{}
	}
	reply := s.script[0]
	switch {
	case reply.Times > 1:
		rest := append([]Reply(nil), s.script...)
		rest[0].Times--
		s.script = rest
	case reply.Times >= 0:
		s.script = s.script[1:]
	}
	return reply
}

func (s *Server) wait(r *http.Request, until <-chan struct{}) {
	select {
	case <-until:
	case <-r.Context().Done():
	case <-s.closed:
	}
}

func (s *Server) write(w http.ResponseWriter, reply Reply) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	for k, v := range reply.Header {
		h.Set(k, v)
	}
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	text := reply.Body
	if reply.Cut > 0 && reply.Cut < len(text) {
		h.Set("Content-Length", strconv.Itoa(len(text)))
		text = text[:reply.Cut]
	}
	w.WriteHeader(reply.Status)
	_, _ = io.Copy(w, strings.NewReader(text)) // the client may have left
}

// hangUp closes the connection without finishing a reply.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // already closed
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not an end
	}
	_ = conn.Close()
}
