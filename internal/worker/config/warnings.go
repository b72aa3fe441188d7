package config

import (
	"fmt"
	"net"
	"slices"

	"confab/schemas"
)

// Warnings describe settings that work but are risky, one sentence each.
func (c *Config) Warnings() []string { //nolint:cyclop // a table of conditions
	var list []string
	warn := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	k, wanted := &c.Kafka, c.samplingOptions()
	// With roles, another process may have the language models.
	warn(slices.Contains(c.Roles, RoleDetect) && wanted.Enabled() && wanted.Salt == "",
		"sampling is off: set llm.sampler or llm.judge as for the role sample, or sampling.salt_file")
	warn(k.TLS.InsecureSkipVerify, "kafka.tls.insecure_skip_verify accepts any broker: for tests only")
	warn(k.SASL.Mechanism == "PLAIN" && !k.TLS.Enabled,
		"kafka.sasl.mechanism PLAIN sends the password unencrypted: set kafka.tls.enabled: true")
	warn((k.SASL.Mechanism == "AWS_MSK_IAM" || k.SASL.Mechanism == "OAUTHBEARER") && !k.TLS.Enabled,
		"kafka.sasl.mechanism %s without TLS: its brokers take it over TLS only, and a token would be sent unencrypted: set kafka.tls.enabled: true", k.SASL.Mechanism)
	warn(c.SchemaRegistry.sendsPlaintextLogin(), "schema_registry.url is http: the login is sent unencrypted")
	warn(c.Tuning.Learns() && len(c.Roles) == 0 && (!wanted.Enabled() || c.LLM.Judge.BaseURL == ""),
		"tuning.auto has nothing to learn from: it needs llm.judge, and answers sampled with sampling.rate")
	warn(slices.Contains(c.Roles, RoleServe) && c.Action != schemas.ActionBlock && c.Serve.Auth.anyTenant() && c.blocks(),
		"action is BLOCK for some tenants only: a client of serve that names another tenant is not blocked; set action: BLOCK, or give each of serve.auth.logins its tenant")
	public := !isLoopbackAddress(c.Admin.Listen)
	login := c.Admin.Token != "" || c.Admin.TokenFile != ""
	warn(login && c.Admin.TLS.CertFile == "" && public, "admin.token without admin.tls: it is sent unencrypted")
	warn(c.Admin.Pprof && public && !login,
		"admin.pprof shows memory contents to anyone who can reach %s", c.Admin.Listen)
	c.warnAlerting(warn)
	return list
}

// blocks reports a tenant whose answers are blocked.
func (c *Config) blocks() bool {
	for _, t := range c.Tenants {
		if t.Action == schemas.ActionBlock {
			return true
		}
	}
	return false
}

func (c *Config) warnAlerting(warn func(when bool, format string, args ...any)) {
	a := &c.Alerting
	channels := a.Slack.Channel != "" || a.Channel != "" || a.High.Channel != ""
	for _, t := range c.Tenants {
		channels = channels || t.Alerting.Channel != "" || t.Alerting.High.Channel != ""
	}
	warn(a.Slack.WebhookURL != "" && channels,
		"a webhook posts to its own channel: the configured channels are not used")
	warn(a.Alertmanager.URL != "" && channels,
		"an Alertmanager routes alerts by their labels: the configured channels are not used")
	warn(a.HasSink() && a.Repeat < a.Interval,
		"alerting.repeat_interval is below group_interval: every edit becomes a new message")
}

// isLoopbackAddress reports whether an address can be reached from this machine only.
func isLoopbackAddress(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err != nil || IsLoopback(host)
}
