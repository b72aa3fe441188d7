package config

import (
	"time"

	"confab/alerting"
	"confab/alerting/dispatch"
	"confab/internal/redact"
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
	// Print alerts on standard output instead of posting them.
	Console bool `yaml:"console"`
	// Further receivers of alerts. Every receiver gets every alert, and has its own messages, limits and retries: one that is down delays no other. Routes by label are an Alertmanager's.
	Receivers []Receiver `yaml:"receivers"`
}

// Slack posts to Slack, and receives clicks.
type Slack struct {
	SlackSink `yaml:",inline"`
	// Post the details of an incident in the thread of its message; only with a bot token.
	Threads bool `yaml:"threads"`
	// Minimum time between two messages to one channel. Slack accepts about one per second.
	Interval time.Duration `yaml:"interval" min:"1ms" max:"1m"`
	// App-level token (xapp-...) with the scope connections:write: adds buttons whose clicks arrive over a connection that this process opens (Socket Mode). Needs bot_token.
	AppToken redact.Secret `yaml:"app_token"`
	// File that holds the app-level token.
	AppTokenFile string `yaml:"app_token_file"`
}

// Alertmanager is the address of a Prometheus Alertmanager, its login and its connections.
type Alertmanager struct {
	AlertmanagerSink `yaml:",inline"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

func defaultAlerting() Alerting {
	return Alerting{
		RuleOptions:  alerting.RuleOptions{Preset: alerting.TwoOrMore, Threshold: new(2.0), High: alerting.SeverityOptions{MinRisk: new(0.9)}},
		GroupOptions: dispatch.DefaultGroupOptions(),
		Excerpts:     true,
		Slack:        Slack{Threads: true, Interval: time.Second},
	}
}

// HasSink reports whether a sink is configured.
func (a *Alerting) HasSink() bool { return a.HasDefaultSink() || len(a.Receivers) > 0 }

// HasDefaultSink reports whether there is a receiver named default.
func (a *Alerting) HasDefaultSink() bool {
	return a.Console || a.Slack.webhook() || a.Slack.bot() || a.Alertmanager.URL != ""
}

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
		tenants[name] = c.Tenants[name].TenantOptions
	}
	return alerting.PolicyOptions{Action: c.Action, Default: c.Alerting.RuleOptions, Recommendation: c.Recommendation, Tenants: tenants}
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

func (s *Slack) webhook() bool { return s.WebhookURL != "" || s.WebhookURLFile != "" }
func (s *Slack) bot() bool     { return s.BotToken != "" || s.BotTokenFile != "" }

// Buttons reports whether messages have buttons, which they have if clicks can be received.
func (s *Slack) Buttons() bool { return s.AppToken != "" || s.AppTokenFile != "" }

// HintForKey implements [strictyaml.KeyHinter]: receivers that Alertmanager notifies.
func (a *Alerting) HintForKey(key string) string {
	switch key {
	case "webhook", "webhooks":
		return "add it to receivers, such as receivers: [{name: audit, webhook: {url_file: ...}}]"
	case "route", "routes", "matchers", "continue":
		return "Alertmanager routes by labels: set alertmanager.url, and see examples/alertmanager"
	case "pagerduty", "teams", "msteams", "opsgenie", "victorops", "email", "smtp", "mail", "discord", "telegram", "pushover", "webex", "sns", "jira",
		"rocketchat", "mattermost":
		return "Alertmanager can notify it: set alertmanager.url, and see examples/alertmanager"
	case "webhook_url", "bot_token", "channels":
		return "set it under slack"
	case "stdout":
		return "set console: true"
	}
	return ""
}
