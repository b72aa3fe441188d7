package app

import (
	"fmt"
	"net"
	"slices"

	"confab/detectors"
)

// Warnings are settings that work but that an operator should know about, one sentence each.
func (c *Config) Warnings() []string {
	var list []string
	warn := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	k, wanted := &c.Kafka, c.Sampling.options()
	warn(wanted.On() && c.Sampling.Salt == "",
		"sampling is off: it needs a secret key in sampling.salt_file")
	warn(k.TLS.InsecureSkipVerify, "kafka.tls.insecure_skip_verify accepts any broker: for tests only")
	warn(k.SASL.Mechanism == "PLAIN" && !k.TLS.Enabled,
		"kafka.sasl.mechanism PLAIN sends the password in the clear: set kafka.tls.enabled: true")
	warn(c.SchemaRegistry.inTheClear(), "schema_registry.url is http: the login travels in the clear")
	warn(c.Admin.Pprof && !loopback(c.Admin.Listen),
		"admin.pprof shows memory contents to whoever reaches %s", c.Admin.Listen)
	c.warnAlerting(warn)
	warn(c.Alerting.HasSink() && !c.reachable(), "no set of detectors can reach alerting.threshold: nothing will alert")
	return list
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
	warn(a.Alertmanager.URL != "" && a.Quiet != nil,
		"alerting.quiet_hours keep alerts from the Alertmanager, which has time intervals of its own: keep one of them")
	warn(a.Slack.listens() && !loopback(a.Slack.InteractionsListen),
		"alerting.slack.interactions_listen speaks plain HTTP on %s: let a proxy with TLS stand before it", a.Slack.InteractionsListen)
	a.warnLinks(warn)
	warn(a.HasSink() && a.Repeat < a.Interval,
		"alerting.repeat_interval is below group_interval: every edit becomes a new message")
}

// loopback says whether an address is reached from this very machine only.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err != nil || isLoopback(host)
}

// reachable says whether all enabled detectors firing at once would be an alert.
func (c *Config) reachable() bool {
	sum, names := 0.0, c.EnabledDetectors()
	if c.LLM.On() {
		entries, _ := c.detectors(detectors.Deep())
		names = append(names, detectors.Names(entries)...)
	}
	for _, name := range names {
		weight, ok := c.Alerting.Weights[name]
		switch {
		case slices.Contains(c.Alerting.Muted, name):
		case ok:
			sum += weight
		default:
			sum++
		}
	}
	return c.Alerting.Threshold == nil || sum >= *c.Alerting.Threshold
}
