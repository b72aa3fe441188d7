package slack

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

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/schemas"
)

func TestBotEdits(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	alert := schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID, Channel: "C777"}
	require.NoError(t, openBot(t, s, s.Options()).Edit(t.Context(), alert, alerttest.PostedAt()))
	require.Equal(t, "/api/chat.update", s.Posts[0].URL.Path)
	form := s.Form(t, 0)
	require.Equal(t, "C042", form.Get("channel"), "the channel of the receipt")
	require.Equal(t, "1763.0001", form.Get("ts"))
	require.Equal(t, "none", form.Get("parse"), "an edit parses the text by default")
	require.Equal(t, "false", form.Get("mrkdwn"))
	require.NotContains(t, form, "link_names")
	require.JSONEq(t, `{"event_type":"confab_alert","event_payload":{"incident_id":"`+samples.IncidentID+`","message":"`+samples.MessageID+`"}}`,
		form.Get("metadata"), "an edited message can be found")
	want, err := json.Marshal(renderAlert(&alert, card.RenderOptions{}).blocks)
	require.NoError(t, err)
	require.JSONEq(t, string(want), form.Get("blocks"))
}

func TestBotEditUsesMinimalForm(t *testing.T) {
	s := alerttest.NewFakeServer(t, alerttest.Answer(http.StatusOK, `{"ok":false,"error":"msg_blocks_too_long"}`))
	require.NoError(t, openBot(t, s, s.Options()).Edit(t.Context(), schemas.Alert{Flag: samples.Flag()}, alerttest.PostedAt()))
	form := s.Form(t, 1)
	require.Equal(t, "[]", form.Get("blocks"), "Slack keeps the old blocks otherwise")
	require.Contains(t, form.Get("text"), "look the incident up")
	require.NotEmpty(t, form.Get("metadata"))
}

// The state may hold receipts of a sink that was configured before.
func TestBotRejectsForeignReceipts(t *testing.T) {
	for _, at := range []schemas.Receipt{{}, {Timestamp: samples.MessageID}, {Channel: "C042"}} {
		s := alerttest.NewFakeServer(t)
		b := openBot(t, s, s.Options())
		gone := alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonGone}
		alerttest.RequireOutcome(t, gone, schemas.Receipt{}, b.Edit(t.Context(), schemas.Alert{Flag: samples.Flag()}, at))
		require.Zero(t, s.Count())
	}
}

func TestBotFindsMessagesByID(t *testing.T) {
	other := strings.Repeat("f", 32)
	otherMessages := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = historyMessage(MetadataEvent, other, fmt.Sprintf("9.%d", i))
		}
		return out
	}
	tests := []struct {
		name, message string
		history       []string
		found         string
		pages         int
	}{
		{"another message about the same incident", samples.MessageID, []string{historyMessage(MetadataEvent, other, "2.1")}, "", 1},
		{"the message", samples.MessageID, []string{historyMessage(MetadataEvent, samples.MessageID, "2.1")}, "2.1", 1},
		{"an alert without an id", "", []string{historyMessage(MetadataEvent, "", "2.1")}, "", 1},
		{"on the last page", samples.MessageID, append(otherMessages(historyPages*historyLimit-1), historyMessage(MetadataEvent, samples.MessageID, "2.1")), "2.1", historyPages},
		{"beyond the last page", samples.MessageID, append(otherMessages(historyPages*historyLimit), historyMessage(MetadataEvent, samples.MessageID, "2.1")), "", historyPages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := alerttest.NewFakeServer(t)
			s.History = tt.history
			receipt, err := openBot(t, s, s.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Message: tt.message, PossiblyDuplicated: true})
			require.NoError(t, err)
			require.Equal(t, tt.pages, s.HistoryPages)
			if tt.found == "" {
				require.Equal(t, 1, s.Count(), "it is posted")
				return
			}
			require.Equal(t, schemas.Receipt{Channel: "C042", Timestamp: tt.found, Found: true}, receipt)
			require.Zero(t, s.Count())
		})
	}
}

// A message is posted again only after historyTries failed reads of the history.
func TestBotRetriesHistory(t *testing.T) {
	alert := schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID, PossiblyDuplicated: true}
	for _, tt := range []struct{ broken, posts int }{{1, 0}, {historyTries - 1, 0}, {historyTries, 1}} {
		s := alerttest.NewFakeServer(t)
		s.History, s.HistoryFailures = []string{historyMessage(MetadataEvent, samples.MessageID, "2.1")}, tt.broken
		b := openBot(t, s, s.Options())
		for range min(tt.broken, historyTries-1) {
			_, err := b.Notify(t.Context(), alert)
			alerttest.RequireOutcome(t, alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer}, schemas.Receipt{}, err)
		}
		_, err := b.Notify(t.Context(), alert)
		require.NoError(t, err)
		require.Equal(t, tt.posts, s.Count())
	}
}

// TestBotThroughSlacktest posts, edits and replies to the fake of the library, which limits every first call.
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
			_, _ = io.WriteString(w, `{"ok":true,"channel":"C2","ts":"1.2","message":{"text":"x","ts":"1.2"}}`)
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
	b, err := NewBot(BotOptions{Token: alerttest.Token, Channel: "C1", APIURL: server.GetAPIURL(), Options: httpsend.Options{Interval: -1, Transport: transport}})
	require.NoError(t, err)

	alert := schemas.Alert{Flag: samples.Flag(), Channel: "C2", Message: samples.MessageID}
	limited := alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonRateLimited, After: time.Second}
	_, err = b.Notify(t.Context(), alert)
	alerttest.RequireOutcome(t, limited, schemas.Receipt{}, err)
	at, err := b.Notify(t.Context(), alert)
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Channel: "C2", Timestamp: "1.2"}, at)
	alerttest.RequireOutcome(t, limited, schemas.Receipt{}, b.Edit(t.Context(), alert, at))
	require.NoError(t, b.Edit(t.Context(), alert, at))

	post, update := "/chat.postMessage", "/chat.update"
	require.Equal(t, []string{post, post, update, update}, seen, "429, then accepted, twice")
	require.Equal(t, "1.2", forms[3].Get("ts"))
	require.NotEmpty(t, forms[1].Get("blocks"))
}

// Edits of all channels share one limiter.
func TestRateLimitOfEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []string
		start := time.Now()
		transport := alerttest.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			at = append(at, fmt.Sprint(time.Since(start)))
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(
				`{"ok":true,"channel":"C042","ts":"1.2"}`)), Request: r}, nil
		})
		b, err := NewBot(BotOptions{Token: alerttest.Token, Channel: "#alerts", Options: httpsend.Options{Transport: transport}})
		require.NoError(t, err)
		alert := schemas.Alert{Flag: samples.Flag()}
		post := func() {
			_, err := b.Notify(t.Context(), alert)
			require.NoError(t, err)
		}
		post()
		require.NoError(t, b.Edit(t.Context(), alert, alerttest.PostedAt()))
		require.NoError(t, b.Edit(t.Context(), alert, schemas.Receipt{Channel: "C2", Timestamp: "1.3"}))
		post()
		require.Equal(t, []string{"0s", "0s", "1.2s", "1.2s"}, at)
	})
}

// A page of the longest messages is read completely.
func TestPageOfLongMessagesFits(t *testing.T) {
	alert := schemas.Alert{Kind: schemas.AlertGroup, Flag: samples.HostileFlag(strings.Repeat("文字", 5_000)), Message: samples.MessageID, Count: 9}
	body, err := json.Marshal(renderAlert(&alert, card.RenderOptions{Buttons: true}).blocks)
	require.NoError(t, err)
	ascii := strconv.QuoteToASCII(string(body)) // Slack encodes other than ASCII as \u…
	require.Less(t, historyLimit*(len(ascii)+2_000), httpsend.MaxReply)
}
