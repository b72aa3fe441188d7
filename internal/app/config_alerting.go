package app

import (
	"time"

	"confab/alerting"
	"confab/internal/redact"
	"confab/sampling"
)

// Sampling is which interactions are forwarded to the sampled topic.
type Sampling struct {
	// Share of the interactions with a listed tag that is picked, by a keyed hash of the event id. 0: none.
	Rate float64 `yaml:"rate" min:"0" max:"1"`
	// What an interaction must be tagged with, one of them, to be picked; letter case does not count.
	Tags []string `yaml:"tags"`
	// Key of the hash, the same on every replica, unknown to those who write interactions. Empty: nothing is sampled.
	Salt redact.Secret `yaml:"salt"`
	// File that holds the salt.
	SaltFile string `yaml:"salt_file"`
	// By tenant: share of all its interactions that is picked as well, whatever their tags.
	Tenants map[string]float64 `yaml:"tenants"`
	// By operation: share of all its interactions that is picked as well.
	Operations map[string]float64 `yaml:"operations"`
	// What else makes an interaction worth a deeper look. Each picks its own share; all are off by default.
	Triggers sampling.Triggers `yaml:"triggers"`
}

// Alerting is which flags people hear about, and where.
type Alerting struct {
	// When a flag becomes an alert.
	alerting.RuleOptions `yaml:",inline"`
	// Show excerpts of the answer and its sources in alerts.
	Excerpts bool `yaml:"excerpts"`
	// How to post to Slack: by an incoming webhook, or by a bot token and a channel.
	Slack Slack `yaml:"slack"`
	// Print alerts on standard output instead of posting them.
	Console bool `yaml:"console"`
}

// Slack is one way to post: an incoming webhook, or a bot token with a channel.
type Slack struct {
	// Incoming webhook. It is a secret.
	WebhookURL redact.Secret `yaml:"webhook_url"`
	// File that holds the webhook's URL.
	WebhookURLFile string `yaml:"webhook_url_file"`
	// Bot token (xoxb-...) with the scopes chat:write and channels:history.
	BotToken redact.Secret `yaml:"bot_token"`
	// File that holds the bot token.
	BotTokenFile string `yaml:"bot_token_file"`
	// Where the bot posts, best as a channel's id (C0123ABCD).
	Channel string `yaml:"channel"`
	// Longest wait for Slack's answer to one request.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`
	// Least time between two messages to one channel. Slack takes about one a second.
	Interval time.Duration `yaml:"interval" min:"1ms" max:"1m"`
	// Base of Slack's Web API; for tests and proxies.
	APIURL string `yaml:"api_url"`
}

// HasSink says whether alerts have somewhere to go.
func (a *Alerting) HasSink() bool {
	return a.Console || a.Slack.WebhookURL != "" || a.Slack.BotToken != "" ||
		a.Slack.WebhookURLFile != "" || a.Slack.BotTokenFile != ""
}
