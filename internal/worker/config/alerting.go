package config

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/alerting/dispatch"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/redact"
	"confab/schemas"
)

// Alerting says which flags become alerts, and where they are sent.
type Alerting struct {
	// When a flag becomes an alert.
	alerting.RuleOptions `yaml:",inline"`
	// How alerts become messages.
	dispatch.GroupOptions `yaml:",inline"`
	// Show excerpts of the answer and its sources in alerts.
	Excerpts bool `yaml:"excerpts"`
	// Address of an interaction elsewhere, such as https://traces.example.com/trace/{trace_id}: a button opens it where an interaction has the values. Placeholders: {trace_id}, {span_id}, {interaction_id}, {conversation_id}, {tenant}, {service}, {occurred_at_ms}. Empty: no button.
	TraceURL string `yaml:"trace_url"`
	// Address of the page that confab ui serves, such as https://confab.example.com: a button opens the incident there. Empty: no button.
	PageURL string `yaml:"page_url"`
	// Address of the runbook for on-call. Empty: no button.
	RunbookURL string `yaml:"runbook_url"`
	// How to post to Slack: by an incoming webhook, or by a bot token and a channel.
	Slack Slack `yaml:"slack"`
	// An Alertmanager that routes, groups and silences by its own rules.
	Alertmanager Alertmanager `yaml:"alertmanager"`
	// An address that gets alerts as JSON, signed as Standard Webhooks says.
	Webhook Webhook `yaml:"webhook"`
	// Print alerts on standard output.
	Console bool `yaml:"console"`
}

// Slack posts to Slack, and receives clicks.
type Slack struct {
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
	// Minimum time between two messages to one channel. Slack accepts about one per second.
	Interval time.Duration `yaml:"interval" min:"1ms" max:"1m"`
	// App-level token (xapp-...) with the scope connections:write: adds buttons whose clicks arrive over a connection that this process opens (Socket Mode). Needs bot_token.
	AppToken redact.Secret `yaml:"app_token"`
	// File that holds the app-level token.
	AppTokenFile string `yaml:"app_token_file"`
}

// Alertmanager is the address of a Prometheus Alertmanager, its login and its connections.
type Alertmanager struct {
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
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

// Webhook is an address that takes alerts as JSON.
type Webhook struct {
	// Address to post to. It is a secret. Empty: none.
	URL redact.Secret `yaml:"url"`
	// File that holds the address.
	URLFile string `yaml:"url_file"`
	// Secrets that sign the requests, each whsec_ and 24 to 64 bytes in base64, with white space between. Two during a rotation. Empty: no signature.
	Secrets redact.Secret `yaml:"secrets"`
	// File that holds the secrets, one a line.
	SecretsFile string `yaml:"secrets_file"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

func defaultAlerting() Alerting {
	return Alerting{
		RuleOptions:  alerting.RuleOptions{Preset: alerting.TwoOrMore, Threshold: new(2.0), High: alerting.SeverityOptions{MinRisk: new(0.9)}},
		GroupOptions: dispatch.DefaultGroupOptions(),
		Excerpts:     true,
		Slack:        Slack{Interval: time.Second},
	}
}

// sinks are the names of the configured sinks.
func (a *Alerting) sinks() (names []string) {
	for _, s := range []struct {
		name string
		on   bool
	}{
		{"a Slack webhook", a.Slack.WebhookURL != "" || a.Slack.WebhookURLFile != ""},
		{"a Slack bot token", a.Slack.BotToken != "" || a.Slack.BotTokenFile != ""},
		{"an Alertmanager", a.Alertmanager.URL != ""},
		{"a webhook", a.Webhook.URL != "" || a.Webhook.URLFile != ""},
		{"the console", a.Console},
	} {
		if s.on {
			names = append(names, s.name)
		}
	}
	return names
}

// HasSink reports whether a sink is configured.
func (a *Alerting) HasSink() bool { return len(a.sinks()) > 0 }

// FixedTenants are the tenants of the inputs with tenant_from: fixed.
func (c *Config) FixedTenants() (names []string) {
	for _, in := range c.Kafka.Inputs {
		if in.TenantFrom == TenantFixed {
			names = append(names, in.Tenant)
		}
	}
	return names
}

// PolicyOptions are the alert rule and its overrides by tenant.
func (c *Config) PolicyOptions() alerting.PolicyOptions {
	tenants := make(map[string]alerting.TenantOptions, len(c.Tenants))
	for name := range c.Tenants {
		t := c.Tenants[name].TenantOptions
		if c.Tenants[name].LLM.OptOut {
			t.Alerting.Confirm = alerting.ConfirmOff
		}
		tenants[name] = t
	}
	rule := c.Alerting.RuleOptions
	rule.Confirm = c.confirmation()
	return alerting.PolicyOptions{Action: c.Action, Default: rule, Recommendation: c.Recommendation, Tenants: tenants, TextDetectors: standard.TextDetectors()}
}

// confirmation is who gives a second opinion on the alerts of tenants without a setting of their own.
func (c *Config) confirmation() alerting.Confirmation {
	judges := c.LLM.Judge.BaseURL != "" && c.asks(schemas.JudgeDetector)
	if c.Alerting.Confirm == "" && judges {
		return alerting.ConfirmJudge
	}
	return c.Alerting.Confirm
}

// asks reports whether a deep detector of that name is on.
func (c *Config) asks(detector string) bool {
	return slices.Contains(detectors.Names(c.SelectDetectors(standard.Deep(standard.Dependencies{}))), detector)
}

// ConfirmsAlerts reports whether alerts of some tenant wait for a second opinion.
func (c *Config) ConfirmsAlerts() bool {
	o := c.PolicyOptions()
	for _, t := range o.Tenants {
		if t.Alerting.Confirm == alerting.ConfirmJudge {
			return true
		}
	}
	return o.Default.Confirm == alerting.ConfirmJudge
}

// FlagAbove is the risk above which a tenant's answers are recommended for flagging.
func (c *Config) FlagAbove(tenant string) float64 {
	for _, flag := range [...]*float64{c.Tenants[tenant].Recommendation.Flag, c.Recommendation.Flag} {
		if flag != nil {
			return *flag
		}
	}
	return *Default().Recommendation.Flag
}

// Buttons reports whether messages have buttons, which they have if clicks can be received.
func (s *Slack) Buttons() bool { return s.AppToken != "" || s.AppTokenFile != "" }
