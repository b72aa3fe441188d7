package slack

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/httpsend"
	"confab/schemas"
)

// Replace edits blocks and text only: nothing is parsed, and the metadata is kept.
func TestBotReplaces(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   alerting.Reason // "" succeeds
	}{
		"accepted":        {alerttest.Answer(http.StatusOK, `{"ok":true,"channel":"C042","ts":"1763.0001","text":""}`), ""},
		"another's":       {alerttest.Answer(http.StatusOK, `{"ok":false,"error":"cant_update_message"}`), alerting.ReasonGone},
		"revoked":         {alerttest.Answer(http.StatusOK, `{"ok":false,"error":"token_revoked"}`), alerting.ReasonAuth},
		"busy":            {alerttest.Answer(http.StatusTooManyRequests, alerttest.EchoedSecrets, "Retry-After", "7"), alerting.ReasonRateLimited},
		"no Slack":        {alerttest.Answer(http.StatusOK, `{}`), alerting.ReasonUnknown},
		"failing":         {alerttest.Answer(http.StatusInternalServerError, alerttest.EchoedSecrets), alerting.ReasonServer},
		"breaks off":      {alerttest.BreakConnection, alerting.ReasonConnection},
		"breaks off late": {alerttest.TruncatedReply, alerting.ReasonUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			type request struct {
				path string
				form url.Values
			}
			requests := make(chan request, 1)
			transport := &http.Transport{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				form, _ := url.ParseQuery(string(body))
				requests <- request{r.URL.Path, form}
				c.answer(w, r)
			}))
			defer server.Close()
			defer transport.CloseIdleConnections()
			bot, err := NewBot(BotOptions{
				Token: alerttest.Token, Channel: "C042", APIURL: server.URL + "/api",
				Options: httpsend.Options{Interval: -1, Timeout: 5 * time.Second, Transport: transport},
			})
			require.NoError(t, err)
			blocks := slack.Blocks{BlockSet: []slack.Block{slack.NewDividerBlock()}}
			err = bot.Replace(t.Context(), schemas.Receipt{Channel: "C042", Timestamp: "1763.0001"}, "a &lt;b&gt;", blocks)
			sent := <-requests
			got := sent.form
			require.Equal(t, "/api/chat.update", sent.path)
			require.Equal(t, "C042", got.Get("channel"))
			require.Equal(t, "1763.0001", got.Get("ts"))
			require.Equal(t, "a &lt;b&gt;", got.Get("text"), "escaped already")
			require.Equal(t, "none", got.Get("parse"))
			require.NotContains(t, got, "metadata")
			require.NotContains(t, got, "link_names")
			var shown []map[string]any
			require.NoError(t, json.Unmarshal([]byte(got.Get("blocks")), &shown))
			require.Equal(t, []map[string]any{{"type": "divider"}}, shown)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			e := alerting.AsError(err)
			require.Equal(t, c.want, e.Reason)
			require.False(t, e.Ambiguous, "edits are idempotent")
			require.NotContains(t, err.Error(), alerttest.Token)
			require.NotContains(t, err.Error(), "echoes")
		})
	}
}

func TestBotReplaceWithoutReceipt(t *testing.T) {
	bot, err := NewBot(BotOptions{Token: alerttest.Token, Channel: "C042", APIURL: "http://127.0.0.1:1/api"})
	require.NoError(t, err)
	for _, at := range []schemas.Receipt{{}, {Channel: "C042"}, {Timestamp: "1763.0001"}} {
		require.Equal(t, alerting.ReasonGone, alerting.AsError(bot.Replace(t.Context(), at, "text", slack.Blocks{})).Reason)
	}
}

func TestExplainNeverQuotes(t *testing.T) {
	client := NewHTTPClient(&http.Transport{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/"+alerttest.Token, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	require.ErrorContains(t, err, alerttest.Token, "the library's errors quote")
	require.NotContains(t, Explain("ask", err).Error(), alerttest.Token)
	require.Equal(t, alerting.ReasonConnection, Explain("ask", err).Reason)
	require.Equal(t, alerting.ReasonTimeout, Explain("ask", context.DeadlineExceeded).Reason)
	require.NoError(t, CheckAPIURL("x", "https://slack.com/api/"))
	require.ErrorContains(t, CheckAPIURL("the setting", "http://slack.com/api/"), "the setting")
}
