//go:build integration

package integration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

const (
	slackToken   = "xoxb-integration-0000"
	slackChannel = "C0INCIDENTS"
)

// fakeSlack is the part of Slack's Web API for posts, edits and replies. Like the real one, it sometimes limits the rate,
// fails, or executes a call and breaks the connection before the response.
type fakeSlack struct {
	*httptest.Server
	sockets

	mu            sync.Mutex // of what follows
	requests      int
	posts         []slackPost
	lost          int  // lost responses to executed calls
	historyClosed bool // the history may not be read
	observer      func(slackCall) (drop bool)
}

// slackCall is a moment of a call: on arrival, or after execution and before the response.
type slackCall string

const (
	postReceived slackCall = "post came"
	postStored   slackCall = "post stands"
	editStored   slackCall = "edit stands"
)

// slackPost is a message in the channel, as last edited.
type slackPost struct {
	Type     string          `json:"type"`
	TS       string          `json:"ts"`
	Text     string          `json:"text"`
	Blocks   string          `json:"-"`
	Metadata json.RawMessage `json:"metadata,omitempty"`

	Incident string `json:"-"` // first incident, from the metadata
	Message  string `json:"-"` // message id, from the metadata
	Edits    int    `json:"-"`
}

func startSlack(t *testing.T) *fakeSlack {
	t.Helper()
	s := &fakeSlack{sockets: sockets{open: map[*websocket.Conn]bool{}, acked: map[string]bool{}}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/chat.postMessage", s.post)
	mux.HandleFunc("POST /api/chat.update", s.update)
	mux.HandleFunc("POST /api/conversations.history", s.history)
	mux.HandleFunc("POST /api/apps.connections.open", s.connect)
	mux.HandleFunc("GET /link", s.link)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the worker called %s %s, which this Slack does not know", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// snapshot returns the messages in the channel.
func (s *fakeSlack) snapshot() []slackPost {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]slackPost(nil), s.posts...)
}

// watch calls f for each call before its response; nil ends it. An arrived call is dropped if f says so.
func (s *fakeSlack) watch(f func(slackCall) (drop bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observer = f
}

// closeHistory sets whether the app may read the channel's history.
func (s *fakeSlack) closeHistory(closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.historyClosed = closed
}

func (s *fakeSlack) observe(c slackCall) (drop bool) { return s.observer != nil && s.observer(c) }

func (s *fakeSlack) post(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := newPost(r)
	if s.observe(postReceived) {
		hangUp(w)
		return
	}
	if s.injectFailure(w) {
		return
	}
	p.TS = fmt.Sprintf("1700000000.%06d", s.requests)
	s.posts = append(s.posts, p)
	s.observe(postStored)
	s.respond(w, p.TS)
}

func (s *fakeSlack) update(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.injectFailure(w) {
		return
	}
	edited := newPost(r)
	for i := range s.posts {
		p := &s.posts[i]
		if p.TS != r.PostFormValue("ts") {
			continue
		}
		p.Text, p.Blocks = edited.Text, edited.Blocks
		if edited.Message != "" { // Slack keeps the metadata of a message when an edit brings none
			p.Metadata, p.Incident, p.Message = edited.Metadata, edited.Incident, edited.Message
		}
		p.Edits++
		s.observe(editStored)
		s.respond(w, p.TS)
		return
	}
	writeJSON(w, map[string]any{"ok": false, "error": "message_not_found"})
}

func (s *fakeSlack) history(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.historyClosed {
		writeJSON(w, map[string]any{"ok": false, "error": "missing_scope"})
		return
	}
	page := []slackPost{} // latest first
	for i := len(s.posts) - 1; i >= 0 && len(page) < 100; i-- {
		page = append(page, s.posts[i])
	}
	writeJSON(w, map[string]any{"ok": true, "messages": page, "has_more": false})
}

// injectFailure sometimes fails a request before it is executed.
func (s *fakeSlack) injectFailure(w http.ResponseWriter) bool {
	s.requests++
	switch s.requests % 10 {
	case 3:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	case 6:
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	return false
}

// respond confirms a call, or sometimes loses the response.
func (s *fakeSlack) respond(w http.ResponseWriter, ts string) {
	if s.requests%10 == 9 && hangUp(w) {
		s.lost++
		return
	}
	writeJSON(w, map[string]any{"ok": true, "channel": slackChannel, "ts": ts})
}

func hangUp(w http.ResponseWriter) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// newPost parses a message from a call's form.
func newPost(r *http.Request) slackPost {
	var meta struct {
		Payload struct {
			Incident string `json:"incident_id"`
			Message  string `json:"message"`
		} `json:"event_payload"`
	}
	_ = json.Unmarshal([]byte(r.PostFormValue("metadata")), &meta) // unreadable metadata gives empty ids, which the test detects
	return slackPost{
		Type: "message", Text: r.PostFormValue("text"), Blocks: r.PostFormValue("blocks"),
		Metadata: json.RawMessage(r.PostFormValue("metadata")), Incident: meta.Payload.Incident, Message: meta.Payload.Message,
	}
}

// authorized checks the token and the channel of a call.
func authorized(w http.ResponseWriter, r *http.Request) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case token != slackToken && r.PostFormValue("token") != slackToken:
		writeJSON(w, map[string]any{"ok": false, "error": "invalid_auth"})
	case r.PostFormValue("channel") != slackChannel:
		writeJSON(w, map[string]any{"ok": false, "error": "channel_not_found"})
	default:
		return true
	}
	return false
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have left
}
