package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const signingSecret = "whsec_c2lnbmluZy1zZWNyZXQtb2YtdGVzdHMtMDEyMw=="

// loadAlerting loads a file with the section alerting, and returns the errors as one text.
func loadAlerting(t *testing.T, section string) (*Config, string) {
	t.Helper()
	cfg, err := loadText([]byte("kafka: {seed_brokers: [localhost:9092]}\nalerting:\n"+section), LoadOptions{File: filepath.Join(t.TempDir(), "confab.yaml")})
	if err != nil {
		return nil, err.Error()
	}
	return cfg, ""
}

// TestReceivers: secrets come from the files of each receiver, defaults are set, and the result loads again when printed.
func TestReceivers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"hook": "https://hooks.example/canary", "secrets": signingSecret + "\n" + signingSecret + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600))
	}
	cfg, problems := loadAlerting(t, strings.ReplaceAll(`
  console: true
  receivers:
    - {name: audit, webhook: {url_file: DIR/hook, secrets_file: DIR/secrets}}
    - {name: chat, slack: {bot_token: xoxb-canary, channel: C1}}
    - {name: am, alertmanager: {url: "https://am.example", username: u, password: canary}}
`, "DIR", dir))
	require.Empty(t, problems)
	r := cfg.Alerting.Receivers
	require.Len(t, r, 3)
	require.Equal(t, "https://hooks.example/canary", r[0].Webhook.URL.Reveal())
	require.Len(t, strings.Fields(r[0].Webhook.Secrets.Reveal()), 2)
	require.Equal(t, []string{"default", "audit", "chat", "am"}, cfg.Alerting.ReceiverNames())
	printed, err := cfg.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(printed), "canary")
	require.NotContains(t, string(printed), "whsec_")
	require.Empty(t, cfg.FileWarnings())
	require.NoError(t, os.Chmod(filepath.Join(dir, "hook"), 0o644))
	require.Len(t, cfg.FileWarnings(), 1, "also in a list")
}

// TestOnlyReceivers: they suffice as a sink.
func TestOnlyReceivers(t *testing.T) {
	cfg, problems := loadAlerting(t, "  receivers: [{name: a, webhook: {url: 'https://x.example/hook'}}]\n")
	require.Empty(t, problems)
	require.True(t, cfg.Alerting.HasSink())
	require.False(t, cfg.Alerting.HasDefaultSink())
	require.Contains(t, cfg.ActiveRoles(), RoleAlert)
}

// TestReceiverProblems: each names its path and a remedy, and no secret.
func TestReceiverProblems(t *testing.T) {
	one := func(text string) string { return "  receivers: [{name: a, " + text + "}]\n" }
	for name, tt := range map[string]struct{ section, want string }{
		"no name":                {"  receivers: [{webhook: {url: 'https://x.example/canary'}}]\n", "alerting.receivers[0].name: is missing"},
		"bad name":               {"  receivers: [{name: A/b, webhook: {url: 'https://x.example/canary'}}]\n", "alerting.receivers[0].name: expected up to 40 lower-case letters"},
		"reserved name":          {"  receivers: [{name: default, webhook: {url: 'https://x.example/canary'}}]\n", "take another name"},
		"twice":                  {"  receivers: [{name: a, webhook: {url: 'https://x.example/canary'}}, {name: a, webhook: {url: 'https://x.example/canary'}}]\n", "receivers[1].name: is the name of two receivers"},
		"no sink":                {"  receivers: [{name: a}]\n", "alerting.receivers[0]: has no sink"},
		"two sinks":              {one("webhook: {url: 'https://x.example/canary'}, slack: {webhook_url: 'https://x.example/canary'}"), "has webhook and slack"},
		"key of an empty file":   {one("webhook: {url_file: /dev/null}"), "/dev/null is empty"},
		"missing file":           {one("webhook: {url_file: /nowhere/key}"), "alerting.receivers[0].webhook.url_file: cannot read /nowhere/key"},
		"plain http":             {one("webhook: {url: 'http://x.example/canary'}"), "alerting.receivers[0].webhook.url: does not use https"},
		"not a URL":              {one("webhook: {url: canary}"), "alerting.receivers[0].webhook.url: is not a URL"},
		"bad secret":             {one("webhook: {url: 'https://x.example', secrets: whsec_canary}"), "alerting.receivers[0].webhook.secrets: secret number 1 is not whsec_"},
		"secrets only":           {one("webhook: {secrets: " + signingSecret + "}"), "alerting.receivers[0].webhook.url: is not a URL"},
		"two logins":             {one("slack: {webhook_url: 'https://x.example/canary', bot_token: xoxb-canary}"), "keep one"},
		"no channel":             {one("slack: {bot_token: xoxb-canary}"), "alerting.receivers[0].slack.channel: is missing"},
		"half a login":           {one("alertmanager: {url: 'https://am.example', username: u}"), "only one of username and password"},
		"unknown key":            {one("pager: {}"), "unknown key"},
		"own routes":             {"  route: {receiver: default}\n", "examples/alertmanager"},
		"PagerDuty":              {"  pagerduty: {routing_key: canary}\n", "examples/alertmanager"},
		"old place of receivers": {"  webhook: {url: canary}\n", "add it to receivers"},
		"two default sinks":      {"  console: true\n  slack: {webhook_url: 'https://x.example/canary'}\n", "move the others to alerting.receivers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := loadAlerting(t, tt.section)
			require.Contains(t, problems, tt.want)
			require.NotContains(t, problems, "canary")
		})
	}
}
