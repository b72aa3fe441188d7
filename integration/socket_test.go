//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"confab/integration"
)

const (
	appToken = "xapp-integration-0000"
	appID    = "A0APP" // of the worker's app: clicks of another one are refused
)

// sockets are the connections of Socket Mode, through which Slack sends clicks.
type sockets struct {
	mu    sync.Mutex
	open  map[*websocket.Conn]bool
	acked map[string]bool // ids of envelopes
}

// connect is apps.connections.open: it returns the address to connect to.
func (s *fakeSlack) connect(w http.ResponseWriter, r *http.Request) {
	if strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") != appToken {
		writeJSON(w, map[string]any{"ok": false, "error": "invalid_auth"})
		return
	}
	writeJSON(w, map[string]any{"ok": true, "url": "ws" + strings.TrimPrefix(s.URL, "http") + "/link?ticket=0000"})
}

// link holds one connection until it ends, and notes what is acknowledged.
func (s *sockets) link(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // the client says that it is Slack's
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	err = conn.WriteJSON(map[string]any{"type": "hello", "num_connections": 1, "connection_info": map[string]string{"app_id": appID}})
	s.open[conn] = true
	s.mu.Unlock()
	for err == nil {
		var ack struct {
			ID string `json:"envelope_id"`
		}
		err = conn.ReadJSON(&ack)
		s.mu.Lock()
		s.acked[ack.ID] = true
		s.mu.Unlock()
	}
	s.mu.Lock()
	delete(s.open, conn)
	s.mu.Unlock()
}

// deliver sends a click through one of the connections and waits until it is acknowledged.
func (s *sockets) deliver(t *testing.T, id, payload string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sent := errors.New("no connection")
	require.NoError(t, integration.Await(ctx, "the click is acknowledged", func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for conn := range s.open {
			if sent != nil {
				sent = conn.WriteJSON(map[string]any{
					"type": "interactive", "envelope_id": id, "accepts_response_payload": false, "payload": json.RawMessage(payload),
				})
			}
		}
		return s.acked[id], sent
	}))
}
