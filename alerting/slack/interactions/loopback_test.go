package interactions

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
)

// The complete sequence over real connections: address, websocket, click, label, acknowledgement, and edit by a bot.
func TestOverLoopback(t *testing.T) {
	s := &fakeSlack{sessions: make(chan *session, 1)}
	edits := make(chan url.Values, 1)
	mux := s.routes()
	mux.HandleFunc("/api/chat.update", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		edits <- form
		_, _ = io.WriteString(w, `{"ok":true,"channel":"C042","ts":"1763.000100"}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	bot, err := slacksink.NewBot(slacksink.BotOptions{
		Token: "xoxb-bot-token-secret", Channel: "C042", APIURL: server.URL + "/api",
		Options: httpsend.Options{Transport: transport},
	})
	require.NoError(t, err)
	b := newRecorder()
	handler := NewHandler(HandlerOptions{Publish: b.publish, Silence: b.silence, Editor: bot, Metrics: b.metrics, Logger: b.logger()})
	socket, err := NewSocket(SocketOptions{
		Handler: handler, AppToken: appToken, APIURL: server.URL + "/api", Metrics: b.metrics, Logger: b.logger(), Transport: transport,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- socket.Run(ctx) }()

	live := <-s.sessions
	live.click("e1", newClick(slacksink.ActionFine))
	require.Equal(t, "e1", <-live.acks)
	require.Equal(t, 1, b.count())
	edit := <-edits
	require.Equal(t, "1763.000100", edit.Get("ts"))
	require.Contains(t, readLines(edit.Get("blocks")), "fine by "+user)
	cancel()
	require.NoError(t, <-done)
	<-live.gone
	requireNoSecrets(t, b.log(), appToken, ticket, "xoxb-bot-token-secret")
}

// An edited message keeps all its blocks, with the click added below the buttons.
func TestMessagesSurviveAClick(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.json")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var message struct {
			Blocks []map[string]any `json:"blocks"`
		}
		if json.Unmarshal(raw, &message) != nil || !hasButtons(message.Blocks) {
			continue
		}
		tried++
		t.Run(filepath.Base(file), func(t *testing.T) {
			sent, err := json.Marshal(message.Blocks)
			require.NoError(t, err)
			b, p := newRecorder(), newClick(slacksink.ActionWrong)
			p.blocks = string(sent)
			show, err := b.handler().Handle(t.Context(), p.callback(t))
			require.NoError(t, err)
			show(t.Context())
			require.Len(t, b.edits, 1)
			var got []map[string]any
			require.NoError(t, json.Unmarshal([]byte(b.edits[0].blocks), &got))
			require.Equal(t, withoutBlock(message.Blocks, "confab_feedback"), withoutBlock(got, "confab_feedback"))
			require.Contains(t, readLines(b.edits[0].blocks), "wrong by "+user)
		})
	}
	require.NotZero(t, tried)
}

// readLines returns blocks with elements of rich text joined, as a person reads them.
func readLines(blocks string) string {
	return strings.NewReplacer(`"},{"type":"user","user_id":"`, "", `"},{"type":"text","text":"`, "").Replace(blocks)
}

func hasButtons(blocks []map[string]any) bool {
	return len(withoutBlock(blocks, slacksink.BlockActions)) < len(blocks)
}

func withoutBlock(blocks []map[string]any, id string) []map[string]any {
	var rest []map[string]any
	for _, b := range blocks {
		if b["block_id"] != id {
			rest = append(rest, b)
		}
	}
	return rest
}
