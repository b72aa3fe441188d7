package slack

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/httpsend"
)

func TestBotCheck(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer http.HandlerFunc
		want   Identity
		err    string
	}{
		{
			"valid",
			alerttest.Answer(http.StatusOK, `{"ok":true,"team":"Acme","user":"confab"}`,
				"X-OAuth-Scopes", "chat:write, channels:history"),
			Identity{"Acme", "confab", []string{"chat:write", "channels:history"}},
			"",
		},
		{"revoked", alerttest.Answer(http.StatusOK, `{"ok":false,"error":"token_revoked"}`), Identity{}, "Slack answered token_revoked; " + renewToken},
		{"down", alerttest.Answer(http.StatusBadGateway, alerttest.EchoedSecrets), Identity{}, "HTTP status 502"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				tc.answer(w, r)
			}))
			defer server.Close()
			bot, err := NewBot(BotOptions{
				Token: alerttest.Token, Channel: "C042", APIURL: server.URL,
				Options: httpsend.Options{Interval: -1, Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
			})
			require.NoError(t, err)
			defer bot.Close()
			got, err := bot.Check(t.Context())
			require.Equal(t, "/auth.test", asked, "nothing is posted")
			require.Equal(t, tc.want, got)
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.err)
			require.NotContains(t, err.Error(), alerttest.Token)
		})
	}
}
