package config

import (
	"time"

	"confab/alerting"
	"confab/alerting/dispatch/grouping"
	"confab/internal/redact"
	"confab/internal/strictyaml"
	"confab/internal/worker/config/routing"
)

// Alerting says which flags become alerts, and where they are sent.
type Alerting struct {
	// When a flag becomes an alert.
	alerting.RuleOptions `yaml:",inline"`
	// How alerts become messages.
	grouping.GroupOptions `yaml:",inline"`
	// Memory for the state of alerts: half for groups, half for the incidents that are remembered so that none counts twice. Above 5/8 of its half, delivered groups are evicted, oldest first. When the half is full, incidents are counted in one shared group per tenant (metric reason state_limit). A quarter is reserved for tenants that the configuration names.
	MaxState strictyaml.Bytes `yaml:"max_state" min:"1MiB" max:"64GiB"`
	// The firing rate from which on a detector may be broken.
	FiringRate alerting.FiringRateOptions `yaml:"firing_rate"`
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
	// Further receivers.
	routing.Settings `yaml:",inline"`
}

// Slack posts by an incoming webhook, or by a bot token with a channel.
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
	// Post the details of an incident in the thread of its message; only with a bot token.
	Threads bool `yaml:"threads"`
	// App-level token (xapp-...) with the scope connections:write: adds buttons whose clicks arrive over a connection that this process opens (Socket Mode). Needs bot_token.
	AppToken redact.Secret `yaml:"app_token"`
	// File that holds the app-level token.
	AppTokenFile string `yaml:"app_token_file"`
	// Address to listen on for clicks, host:port: adds buttons whose clicks Slack sends to your request URL, POST /slack/interactions. Needs signing_secret, bot_token, and a proxy that terminates TLS. Empty: no server.
	InteractionsListen string `yaml:"interactions_listen"`
	// Signing secret of the Slack app; clicks without its signature are refused.
	SigningSecret redact.Secret `yaml:"signing_secret"`
	// File that holds the signing secret.
	SigningSecretFile string `yaml:"signing_secret_file"`
	// Timeout of one request to Slack.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`
	// Minimum time between two messages to one channel. Slack accepts about one per second.
	Interval time.Duration `yaml:"interval" min:"1ms" max:"1m"`
	// Base of Slack's Web API; for tests and proxies.
	APIURL string `yaml:"api_url"`
}

// Alertmanager is the address of a Prometheus Alertmanager, and its login.
type Alertmanager struct {
	// Base address, such as https://alertmanager:9093. Empty: none.
	URL string `yaml:"url"`
	// Timeout of one request.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
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

func defaultAlerting() Alerting {
	return Alerting{
		RuleOptions:  alerting.RuleOptions{Preset: alerting.TwoOrMore, Threshold: new(2.0), High: alerting.SeverityOptions{MinRisk: new(0.9)}},
		GroupOptions: grouping.DefaultGroupOptions(),
		MaxState:     64 * strictyaml.MiB,
		FiringRate:   alerting.DefaultFiringRateOptions(),
		Excerpts:     true,
		Slack:        Slack{Threads: true, Timeout: 10 * time.Second, Interval: time.Second},
		Alertmanager: Alertmanager{Timeout: 10 * time.Second},
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

// UsesSocket reports whether clicks arrive over a connection that the worker opens.
func (s *Slack) UsesSocket() bool { return s.AppToken != "" || s.AppTokenFile != "" }

// UsesListener reports whether Slack sends clicks to an address of the worker.
func (s *Slack) UsesListener() bool { return s.InteractionsListen != "" }

// Buttons reports whether messages have buttons, which they have if clicks can be received.
func (s *Slack) Buttons() bool { return s.UsesSocket() || s.UsesListener() }

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
