package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

// historyMessage returns a message of a channel's history.
func historyMessage(event, id, ts string) string {
	return fmt.Sprintf(`{"type":"message","ts":%q,"text":"x","metadata":{"event_type":%q,"event_payload":{"message":%q}}}`, ts, event, id)
}

func TestBotPostsQuietly(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	b := openBot(t, s, s.Options())
	receipt, err := b.Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID})
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Channel: "C042", Timestamp: "1763.0001"}, receipt)

	form := s.Form(t, 0)
	require.Equal(t, "C042", form.Get("channel"))
	require.Equal(t, "false", form.Get("unfurl_links"))
	require.Equal(t, "false", form.Get("unfurl_media"))
	require.Equal(t, "false", form.Get("mrkdwn"))
	require.NotContains(t, form, "link_names")
	require.NotContains(t, form, "parse")
	require.NotContains(t, form.Get("text"), "bridge", "notifications show no model text")
	require.JSONEq(t, `{"event_type":"confab_alert","event_payload":{"incident_id":"`+samples.IncidentID+`","message":"`+samples.MessageID+`"}}`,
		form.Get("metadata"))
	want, err := json.Marshal(renderAlert(&schemas.Alert{Flag: samples.Flag()}, card.RenderOptions{}).blocks)
	require.NoError(t, err)
	require.JSONEq(t, string(want), form.Get("blocks"))
}

func TestBotChannel(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	_, err := openBot(t, s, s.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Channel: "C777"})
	require.NoError(t, err)
	require.Equal(t, "C777", s.Form(t, 0).Get("channel"))
}

func TestWebhookPostsQuietly(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	receipt, err := openWebhook(t, s, s.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Channel: "C777"})
	require.NoError(t, err)
	require.Zero(t, receipt)
	var body map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.Bodies[0]), &body))
	require.Equal(t, false, body["unfurl_links"])
	require.Equal(t, false, body["unfurl_media"])
	require.NotContains(t, body, "channel", "a webhook has its own channel")
	require.NotContains(t, body, "parse")
	require.NotContains(t, body["text"], "bridge")
	require.Len(t, body["blocks"], 5)
}

func TestMinimalForm(t *testing.T) {
	tooLong := alerttest.Answer(http.StatusOK, `{"ok":false,"error":"msg_blocks_too_long"}`)
	s := alerttest.NewFakeServer(t, tooLong)
	_, err := openBot(t, s, s.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag()})
	require.NoError(t, err)
	require.NotEmpty(t, s.Form(t, 0).Get("blocks"))
	form := s.Form(t, 1)
	require.NotContains(t, form, "blocks")
	require.Contains(t, form.Get("text"), samples.IncidentID)
	require.Contains(t, form.Get("text"), "look the incident up")
	require.NotEmpty(t, form.Get("metadata"), "the minimal form can be found too")

	hook := alerttest.NewFakeServer(t, alerttest.Answer(http.StatusBadRequest, "invalid_blocks"))
	_, err = openWebhook(t, hook, hook.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag()})
	require.NoError(t, err)
	require.NotContains(t, hook.Bodies[1], "blocks")
	require.Contains(t, hook.Bodies[1], samples.IncidentID)
}

func TestBotFindsEarlierAttempt(t *testing.T) {
	other := strings.Repeat("0", 32)
	tests := []struct {
		name    string
		history []string
		forbid  bool
		channel string // configured
		first   bool   // an earlier post returned the channel's id
		found   string
		marked  bool // the message found is a possible duplicate
		posts   int
	}{
		{name: "found", history: []string{historyMessage(MetadataEvent, other, "3.1"), historyMessage(MetadataEvent, samples.MessageID, "2.1")}, channel: "C042", found: "2.1"},
		{name: "found, a possible duplicate", history: []string{strings.Replace(historyMessage(MetadataEvent, samples.MessageID, "2.1"), `"x"`, `"x (possible duplicate)"`, 1)}, channel: "C042", found: "2.1", marked: true},
		{name: "not found", history: []string{historyMessage(MetadataEvent, other, "3.1")}, channel: "C042", found: "1763.0001", posts: 1},
		{name: "empty history", channel: "C042", found: "1763.0001", posts: 1},
		{name: "metadata of another app", history: []string{historyMessage("other_app", samples.MessageID, "2.1")}, channel: "C042", found: "1763.0001", posts: 1},
		{name: "message without metadata", history: []string{`{"type":"message","ts":"1.0","text":"` + samples.MessageID + `"}`}, channel: "C042", found: "1763.0001", posts: 1},
		{name: "no permission to read", history: []string{historyMessage(MetadataEvent, samples.MessageID, "2.1")}, forbid: true, channel: "C042", found: "1763.0001", posts: 1},
		{name: "a name has no history", history: []string{historyMessage(MetadataEvent, samples.MessageID, "2.1")}, channel: "#alerts", found: "1763.0001", posts: 1},
		{name: "a name whose id is known", history: []string{historyMessage(MetadataEvent, samples.MessageID, "2.1")}, channel: "#alerts", first: true, found: "2.1", posts: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := alerttest.NewFakeServer(t)
			s.History, s.ForbidHistory = tt.history, tt.forbid
			b := openBot(t, s, s.Options())
			if tt.first {
				_, err := b.Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Message: other, Channel: tt.channel})
				require.NoError(t, err)
			}
			receipt, err := b.Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID, Channel: tt.channel, PossiblyDuplicated: true})
			require.NoError(t, err)
			require.Equal(t, schemas.Receipt{Channel: "C042", Timestamp: tt.found, Found: tt.found == "2.1" && !tt.marked}, receipt)
			require.Equal(t, tt.posts, s.Count())
			if tt.posts > 0 && !tt.first {
				require.Contains(t, s.Form(t, 0).Get("text"), "possible duplicate")
				require.Contains(t, s.Form(t, 0).Get("blocks"), "Possible duplicate")
			}
		})
	}
}

func TestBotWaitsForHistoryLimit(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	limited := http.NewServeMux()
	limited.HandleFunc("/api/conversations.history", alerttest.Answer(http.StatusTooManyRequests, "", "Retry-After", "7"))
	s.Config.Handler = limited
	_, err := openBot(t, s, s.Options()).Notify(t.Context(), schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID, PossiblyDuplicated: true})
	alerttest.RequireOutcome(t, alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonRateLimited, After: 7e9}, schemas.Receipt{}, err)
}

func TestBotLookupEndsWithItsContext(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := openBot(t, s, s.Options()).Notify(ctx, schemas.Alert{Flag: samples.Flag(), Message: samples.MessageID, PossiblyDuplicated: true})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, s.Count(), "a canceled lookup does not post")
}

func openWebhook(t *testing.T, s *alerttest.FakeServer, opts httpsend.Options) *Webhook {
	t.Helper()
	w, err := NewWebhook(WebhookOptions{URL: redact.Secret(s.URL + alerttest.HookPath), Options: opts})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func openBot(t *testing.T, s *alerttest.FakeServer, opts httpsend.Options) *Bot {
	t.Helper()
	b, err := NewBot(BotOptions{Token: alerttest.Token, Channel: "C042", APIURL: s.URL + "/api", Options: opts})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}
