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
)

const (
	slackToken   = "xoxb-integration-0000"
	slackChannel = "C0INCIDENTS"
)

// fakeSlack is the part of Slack's Web API that a bot posts through. It is as unfriendly as the real one: now and then
// it limits the rate, fails, or takes a message and breaks the connection before it answers.
type fakeSlack struct {
	*httptest.Server

	mu       sync.Mutex
	requests int
	posts    []slackPost
}

// slackPost is a message that stands in the channel.
type slackPost struct {
	Type     string          `json:"type"`
	TS       string          `json:"ts"`
	Text     string          `json:"text"`
	Blocks   string          `json:"-"`
	Metadata json.RawMessage `json:"metadata"`
	Incident string          `json:"-"`
}

func startSlack(t *testing.T) *fakeSlack {
	t.Helper()
	s := &fakeSlack{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/chat.postMessage", s.post)
	mux.HandleFunc("POST /api/conversations.history", s.history)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the worker called %s %s, which this Slack does not know", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// snapshot is what the channel holds now.
func (s *fakeSlack) snapshot() []slackPost {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]slackPost(nil), s.posts...)
}

func (s *fakeSlack) post(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	if r.PostFormValue("channel") != slackChannel {
		reply(w, map[string]any{"ok": false, "error": "channel_not_found"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	switch s.requests % 10 {
	case 3:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case 6:
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var meta struct {
		Payload struct {
			IncidentID string `json:"incident_id"`
		} `json:"event_payload"`
	}
	_ = json.Unmarshal([]byte(r.PostFormValue("metadata")), &meta) // what cannot be read names no incident, and the test sees it
	p := slackPost{
		Type: "message", TS: fmt.Sprintf("1700000000.%06d", s.requests), Text: r.PostFormValue("text"),
		Blocks: r.PostFormValue("blocks"), Metadata: json.RawMessage(r.PostFormValue("metadata")), Incident: meta.Payload.IncidentID,
	}
	s.posts = append(s.posts, p)
	if s.requests%10 == 9 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
			return
		}
	}
	reply(w, map[string]any{"ok": true, "channel": slackChannel, "ts": p.TS})
}

func (s *fakeSlack) history(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	page := []slackPost{} // the latest first
	for i := len(s.posts) - 1; i >= 0 && len(page) < 100; i-- {
		page = append(page, s.posts[i])
	}
	reply(w, map[string]any{"ok": true, "messages": page, "has_more": false})
}

func authorized(w http.ResponseWriter, r *http.Request) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == slackToken || r.PostFormValue("token") == slackToken {
		return true
	}
	reply(w, map[string]any{"ok": false, "error": "invalid_auth"})
	return false
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}
