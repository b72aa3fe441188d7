package config

import "confab/internal/redact"

// DefaultReceiver is the name of the receiver that alerting.slack, alerting.alertmanager or alerting.console configure.
const DefaultReceiver = "default"

// Receiver is a name with one sink.
type Receiver struct {
	// Its name, for metrics and the state of its alerts: up to 40 lower-case letters, digits and hyphens. A receiver with a new name knows nothing of earlier alerts.
	Name string `yaml:"name" required:"true"`
	// Any address: JSON, signed as Standard Webhooks says.
	Webhook Webhook `yaml:"webhook"`
	// Slack, without buttons: those are only in messages of alerting.slack.
	Slack SlackSink `yaml:"slack"`
	// An Alertmanager.
	Alertmanager AlertmanagerSink `yaml:"alertmanager"`
}

// Webhook is an address that takes alerts as JSON.
type Webhook struct {
	// Address to post to. It is a secret.
	URL redact.Secret `yaml:"url"`
	// File that holds the address.
	URLFile string `yaml:"url_file"`
	// Secrets that sign the requests, each whsec_ and 24 to 64 bytes in base64, with white space between. Two during a rotation. Empty: no signature.
	Secrets redact.Secret `yaml:"secrets"`
	// File that holds the secrets, one a line.
	SecretsFile string `yaml:"secrets_file"`
}

// SlackSink posts by an incoming webhook, or by a bot token with a channel.
type SlackSink struct {
	// Incoming webhook. It is a secret.
	WebhookURL redact.Secret `yaml:"webhook_url"`
	// File that holds the webhook's URL.
	WebhookURLFile string `yaml:"webhook_url_file"`
	// Bot token (xoxb-...) with the scopes chat:write and channels:history.
	BotToken redact.Secret `yaml:"bot_token"`
	// File that holds the bot token.
	BotTokenFile string `yaml:"bot_token_file"`
	// Channel that the bot posts to, preferably its id (C0123ABCD).
	Channel string `yaml:"channel"`
	// Base of Slack's Web API, for GovSlack and proxies. Empty: https://slack.com/api/
	APIURL string `yaml:"api_url"`
}

// AlertmanagerSink is the address of a Prometheus Alertmanager, and its login.
type AlertmanagerSink struct {
	// Base address, such as https://alertmanager:9093. Empty: none.
	URL string `yaml:"url"`
	// The user to log in as.
	Username string `yaml:"username"`
	// The user's password, best written as ${VAR}.
	Password redact.Secret `yaml:"password"`
	// File that holds the password.
	PasswordFile string `yaml:"password_file"`
	// A bearer token instead of user and password.
	BearerToken redact.Secret `yaml:"bearer_token"`
	// File that holds the token.
	BearerTokenFile string `yaml:"bearer_token_file"`
}
