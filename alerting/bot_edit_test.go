package alerting

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack/slacktest"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// messageID is the id of a message.
const messageID = "0123456789abcdef0123456789abcdef"

// where is the receipt of a message that was posted.
func where() schemas.Receipt { return schemas.Receipt{Channel: "C042", Timestamp: "1763.0001"} }

func TestBotEdits(t *testing.T) {
	s := newFakeSlack(t)
	alert := schemas.Alert{Flag: sample(), Message: messageID, Channel: "C777"}
	require.NoError(t, openBot(t, s, s.options()).Edit(t.Context(), alert, where()))
	require.Equal(t, "/api/chat.update", s.posts[0].URL.Path)
	form := s.form(t, 0)
	require.Equal(t, "C042", form.Get("channel"), "the receipt says where")
	require.Equal(t, "1763.0001", form.Get("ts"))
	require.Equal(t, "none", form.Get("parse"), "an edit parses the text unless told not to")
	require.Equal(t, "false", form.Get("mrkdwn"))
	require.NotContains(t, form, "link_names")
	require.JSONEq(t, `{"event_type":"confab_alert","event_payload":{"incident_id":"`+incident+`","message":"`+messageID+`"}}`,
		form.Get("metadata"), "an edited message can be found again")
	want, err := json.Marshal(render(&alert, RenderOptions{}).blocks)
	require.NoError(t, err)
	require.JSONEq(t, string(want), form.Get("blocks"))
}

func TestBotEditTakesTheMinimalForm(t *testing.T) {
	s := newFakeSlack(t, answer(http.StatusOK, `{"ok":false,"error":"msg_blocks_too_long"}`))
	require.NoError(t, openBot(t, s, s.options()).Edit(t.Context(), schemas.Alert{Flag: sample()}, where()))
	form := s.form(t, 1)
	require.Equal(t, "[]", form.Get("blocks"), "Slack keeps the blocks of before unless they are taken away")
	require.Contains(t, form.Get("text"), "look the incident up")
	require.NotEmpty(t, form.Get("metadata"))
}

func TestBotReplies(t *testing.T) {
	s := newFakeSlack(t, nil, answer(http.StatusOK, `{"ok":false,"error":"invalid_blocks"}`))
	b := openBot(t, s, s.options())
	require.NoError(t, b.Reply(t.Context(), schemas.Alert{Flag: sample(), Message: messageID}, where()))
	require.Equal(t, "/api/chat.postMessage", s.posts[0].URL.Path)
	form := s.form(t, 0)
	require.Equal(t, "1763.0001", form.Get("thread_ts"))
	require.NotContains(t, form, "reply_broadcast", "the channel is not told again")
	require.NotContains(t, form, "metadata", "a reply is never taken for its message")
	require.Equal(t, "false", form.Get("unfurl_links"))

	require.NoError(t, b.Reply(t.Context(), schemas.Alert{Flag: sample()}, where()))
	require.NotContains(t, s.form(t, 2), "blocks")
	require.Equal(t, "1763.0001", s.form(t, 2).Get("thread_ts"), "the minimal form is a reply too")
}

// TestBotReachesItsOwnMessagesOnly: receipts of a sink that was configured before may be left in the state.
func TestBotReachesItsOwnMessagesOnly(t *testing.T) {
	for _, at := range []schemas.Receipt{{}, {Timestamp: messageID}, {Channel: "C042"}} {
		s := newFakeSlack(t)
		b := openBot(t, s, s.options())
		gone := outcome{class: Operator, reason: ReasonGone}
		conforms(t, gone, schemas.Receipt{}, b.Edit(t.Context(), schemas.Alert{Flag: sample()}, at))
		conforms(t, gone, schemas.Receipt{}, b.Reply(t.Context(), schemas.Alert{Flag: sample()}, at))
		require.Zero(t, s.count())
	}
}

func TestBotFindsMessagesByTheirID(t *testing.T) {
	other := strings.Repeat("f", 32)
	noise := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = told(metadataEvent, other, fmt.Sprintf("9.%d", i))
		}
		return out
	}
	tests := []struct {
		name, message string
		history       []string
		found         string
		pages         int
	}{
		{"another message about the same incident is not it", messageID, []string{told(metadataEvent, other, "2.1")}, "", 1},
		{"the message", messageID, []string{told(metadataEvent, messageID, "2.1")}, "2.1", 1},
		{"an alert without an id", "", []string{told(metadataEvent, "", "2.1")}, "", 1},
		{"on the last page", messageID, append(noise(historyPages*historyLimit-1), told(metadataEvent, messageID, "2.1")), "2.1", historyPages},
		{"beyond the last page", messageID, append(noise(historyPages*historyLimit), told(metadataEvent, messageID, "2.1")), "", historyPages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeSlack(t)
			s.past = tt.history
			receipt, err := openBot(t, s, s.options()).Notify(t.Context(), schemas.Alert{Flag: sample(), Message: tt.message, MayRepeat: true})
			require.NoError(t, err)
			require.Equal(t, tt.pages, s.pages)
			if tt.found == "" {
				require.Equal(t, 1, s.count(), "it is posted")
				return
			}
			require.Equal(t, schemas.Receipt{Channel: "C042", Timestamp: tt.found, Found: true}, receipt)
			require.Zero(t, s.count())
		})
	}
}

// TestBotAsksABrokenHistoryAgain: a passing failure is no reason to repeat a message, a lasting one is.
func TestBotAsksABrokenHistoryAgain(t *testing.T) {
	alert := schemas.Alert{Flag: sample(), Message: messageID, MayRepeat: true}
	for _, tt := range []struct{ broken, posts int }{{1, 0}, {historyTries - 1, 0}, {historyTries, 1}} {
		s := newFakeSlack(t)
		s.past, s.broken = []string{told(metadataEvent, messageID, "2.1")}, tt.broken
		b := openBot(t, s, s.options())
		for range min(tt.broken, historyTries-1) {
			_, err := b.Notify(t.Context(), alert)
			conforms(t, outcome{class: Retryable, reason: ReasonServer}, schemas.Receipt{}, err)
		}
		_, err := b.Notify(t.Context(), alert)
		require.NoError(t, err)
		require.Equal(t, tt.posts, s.count())
	}
}

// TestBotThroughSlacktest tells, edits and replies to the library's own fake, which is busy at first.
func TestBotThroughSlacktest(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	var forms []url.Values
	handle := func(c slacktest.Customize, path string) {
		c.Handle(path, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			_ = r.ParseForm()
			seen, forms = append(seen, path), append(forms, r.PostForm)
			if len(seen)%2 == 1 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			_, _ = io.WriteString(w, `{"ok":true,"channel":"C2","ts":"1.2","message":{"text":"x","ts":"1.2","thread_ts":"1.2"}}`)
		})
	}
	server := slacktest.NewTestServer(func(c slacktest.Customize) {
		handle(c, "/chat.postMessage")
		handle(c, "/chat.update")
	})
	server.Start()
	defer server.Stop()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	b, err := NewBot(BotOptions{Token: token, Channel: "C1", APIURL: server.GetAPIURL(), SendOptions: SendOptions{Interval: -1, Transport: transport}})
	require.NoError(t, err)

	alert := schemas.Alert{Flag: sample(), Channel: "C2", Message: messageID}
	limited := outcome{class: Retryable, reason: ReasonRateLimited, after: time.Second}
	_, err = b.Notify(t.Context(), alert)
	conforms(t, limited, schemas.Receipt{}, err)
	at, err := b.Notify(t.Context(), alert)
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Channel: "C2", Timestamp: "1.2"}, at)
	conforms(t, limited, schemas.Receipt{}, b.Edit(t.Context(), alert, at))
	require.NoError(t, b.Edit(t.Context(), alert, at))
	conforms(t, limited, schemas.Receipt{}, b.Reply(t.Context(), alert, at))
	require.NoError(t, b.Reply(t.Context(), alert, at))

	post, update := "/chat.postMessage", "/chat.update"
	require.Equal(t, []string{post, post, update, update, post, post}, seen, "429, then taken, three times")
	require.Equal(t, "1.2", forms[3].Get("ts"))
	require.Equal(t, "1.2", forms[5].Get("thread_ts"))
	require.NotEmpty(t, forms[1].Get("blocks"))
}

// TestPacingOfEdits: edits have a turn of their own, shared by all channels; replies share their channel's with posts.
func TestPacingOfEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []string
		start := time.Now()
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			at = append(at, fmt.Sprint(time.Since(start)))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(
				`{"ok":true,"channel":"C042","ts":"1.2"}`)), Request: r}, nil
		})
		b, err := NewBot(BotOptions{Token: token, Channel: "#alerts", SendOptions: SendOptions{Transport: transport}})
		require.NoError(t, err)
		alert := schemas.Alert{Flag: sample()}
		post := func() {
			_, err := b.Notify(t.Context(), alert)
			require.NoError(t, err)
		}
		post()
		require.NoError(t, b.Edit(t.Context(), alert, where()))
		require.NoError(t, b.Reply(t.Context(), alert, where()))
		require.NoError(t, b.Edit(t.Context(), alert, schemas.Receipt{Channel: "C2", Timestamp: "1.3"}))
		post()
		require.Equal(t, []string{"0s", "0s", "1s", "1.2s", "2s"}, at)
	})
}

// TestAPageOfLongMessagesFits: a channel full of our longest messages must not hide the one that is looked for.
func TestAPageOfLongMessagesFits(t *testing.T) {
	alert := schemas.Alert{Kind: schemas.AlertGroup, Flag: hostile(strings.Repeat("文字", 5_000)), Message: messageID, Count: 9}
	body, err := json.Marshal(render(&alert, RenderOptions{Buttons: true}).blocks)
	require.NoError(t, err)
	ascii := strconv.QuoteToASCII(string(body)) // Slack writes what is not ASCII as \u…
	require.Less(t, historyLimit*(len(ascii)+2_000), maxReply)
}
