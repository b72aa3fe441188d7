package doctor

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/finding"
	"confab/internal/worker/config"
)

func TestExamineAlertmanager(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); r.URL.Path != "/api/v2/status" || password != "canary" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"versionInfo":{"version":"0.25.0"},"cluster":{"status":"disabled"},"config":{"original":""},"uptime":"2026-11-21T00:00:00Z"}`)
	}))
	defer server.Close()
	c := config.Default()
	c.Alerting.Alertmanager = config.Alertmanager{URL: server.URL, Username: "u", Password: "canary"}
	got := findingOf(t, Sink(t.Context(), c, time.Now), "sink", "alertmanager")
	require.Equal(t, finding.OK, got.State, got)
	require.Contains(t, got.Detail, "version 0.25.0")
	c.Alerting.Alertmanager.Password = "wrong-canary"
	got = findingOf(t, Sink(t.Context(), c, time.Now), "sink", "alertmanager")
	require.Equal(t, finding.Problem, got.State, got)
	require.Contains(t, got.Remedy, "alerting.alertmanager")
	require.NotContains(t, got.Detail+got.Remedy, "canary")
}

func TestExamineClicks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch answer := map[string]string{
			"/auth.test":             `{"ok":true,"team":"Acme","user":"confab"}`,
			"/apps.connections.open": `{"ok":true,"url":"ws://127.0.0.1:1/?ticket=canary"}`,
		}[r.URL.Path]; r.Header.Get("Authorization") {
		case "Bearer xapp-revoked-canary":
			_, _ = io.WriteString(w, `{"ok":false,"error":"invalid_auth"}`)
		default:
			_, _ = io.WriteString(w, answer)
		}
	}))
	defer server.Close()
	for _, tt := range []struct {
		name   string
		change func(s *config.Slack)
		want   finding.State
		says   string
	}{
		{"no buttons", func(*config.Slack) {}, finding.OK, "none"},
		{"a socket", func(s *config.Slack) { s.AppToken = "xapp-canary" }, finding.OK, "open a connection"},
		{"a revoked token", func(s *config.Slack) { s.AppToken = "xapp-revoked-canary" }, finding.Problem, "Socket Mode"},
		{"no such token", func(s *config.Slack) { s.AppToken = "canary" }, finding.Problem, "app_token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Default()
			c.Alerting.Slack = config.Slack{BotToken: "xoxb-canary", Channel: "C042", APIURL: server.URL}
			tt.change(&c.Alerting.Slack)
			got := findingOf(t, Sink(t.Context(), c, time.Now), "buttons", "")
			require.Equal(t, tt.want, got.State, got)
			require.Contains(t, got.Detail+got.Remedy, tt.says)
			require.NotContains(t, got.Detail+got.Remedy, "canary")
		})
	}
}
