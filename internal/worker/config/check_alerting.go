package config

import (
	"maps"
	"slices"
	"strings"

	"confab/alerting/card"
	"confab/detectors/knownfalse"
	"confab/detectors/rewrite"
	"confab/internal/strictyaml"
)

func (k *checker) alerting(a *Alerting) {
	k.sinks(a)
	a.checkReceivers(func(at, format string, args ...any) { k.fail("alerting"+at, format, args...) })
	k.slack(&a.Slack)
	k.alertmanager(&a.Alertmanager)
	if len(a.By) == 0 {
		k.fail("alerting.group_by", "is empty; name the labels that the incidents of one message share, such as [tenant, service, model, detectors]")
	}
	if a.TraceURL != "" {
		k.url("alerting.trace_url", a.TraceURL, urlRules{page: true, private: true})
		if err := card.CheckLink(a.TraceURL); err != nil {
			k.fail("alerting.trace_url", "%s", err)
		}
	}
	if a.PageURL != "" {
		k.url("alerting.page_url", a.PageURL, urlRules{page: true, private: true})
	}
	if a.RunbookURL != "" {
		k.url("alerting.runbook_url", a.RunbookURL, urlRules{page: true, private: true})
	}
}

// sinks checks that at most one sink is configured.
func (k *checker) sinks(a *Alerting) {
	var have []string
	for _, s := range []struct {
		name string
		on   bool
	}{
		{"a Slack webhook", a.Slack.WebhookURL != ""},
		{"a Slack bot token", a.Slack.BotToken != ""},
		{"an Alertmanager", a.Alertmanager.URL != ""},
		{"the console", a.Console},
	} {
		if s.on {
			have = append(have, s.name)
		}
	}
	if len(have) > 1 {
		k.fail("alerting", "only one sink is allowed here, and %s are configured; keep one and move the others to alerting.receivers", strings.Join(have, " and "))
	}
}

func (k *checker) slack(s *Slack) {
	if s.BotToken != "" && s.Channel == "" {
		k.fail("alerting.slack.channel", "is missing: a bot token needs the channel to post to")
	}
	if s.WebhookURL != "" {
		k.url("alerting.slack.webhook_url", s.WebhookURL.Reveal(), urlRules{private: true})
	}
	if s.APIURL != "" {
		k.url("alerting.slack.api_url", s.APIURL, urlRules{private: true, login: "alerting.slack.bot_token_file"})
	}
	// The two tokens are easily confused.
	if strings.HasPrefix(s.BotToken.Reveal(), "xapp-") {
		k.fail("alerting.slack.bot_token", "this is an app-level token; give the bot token, which starts with xoxb-")
	}
	if strings.HasPrefix(s.AppToken.Reveal(), "xoxb-") {
		k.fail("alerting.slack.app_token", "this is a bot token; give the app-level token, which starts with xapp-")
	}
	if s.AppToken != "" && s.BotToken == "" {
		k.fail("alerting.slack.app_token", "needs bot_token: only a bot's messages have buttons, and only a bot can show who clicked")
	}
}

func (k *checker) alertmanager(a *Alertmanager) {
	const path = "alerting.alertmanager"
	basic, bearer := a.Username != "" || a.Password != "", a.BearerToken != ""
	if a.URL == "" {
		if basic || bearer || a.HTTPConfig != "" {
			k.fail(path+".url", "is missing: name the Alertmanager, or remove the other keys")
		}
		return
	}
	k.httpClient(path, &a.HTTPClient, loginKeys(path, a.BearerToken, a.Password))
	k.url(path+".url", a.URL, urlRules{private: basic || bearer, login: path + ".username and password_file"})
	if bearer && basic {
		k.fail(path+".bearer_token", "is set together with a user; keep one of them")
	} else if (a.Username == "") != (a.Password == "") {
		k.fail(path, "a login needs both username and password")
	}
}

// policy runs the alert rule's validation, whose errors start with the path.
func (k *checker) policy(c *Config) {
	known := slices.Sorted(maps.Keys(c.Detectors))
	if c.Observations.Enabled {
		known = append(known, knownfalse.Name)
		slices.Sort(known)
	}
	for _, err := range strictyaml.SplitJoined(c.PolicyOptions().Validate(known)) {
		path, message, _ := strings.Cut(err.Error(), ": ")
		k.fail(path, "%s", message)
	}
	for name := range c.Tenants {
		if strings.TrimSpace(name) == "" {
			k.fail("tenants", "a tenant without a name; name it or remove it")
		}
		k.emptyAnswer("tenants."+name+".rewrite", c.Tenants[name].Rewrite)
	}
	k.emptyAnswer("rewrite", c.Rewrite)
}

func (k *checker) emptyAnswer(path string, s rewrite.Settings) {
	if err := s.Check(); err != nil {
		k.fail(path+".empty_answer", "%v", err)
	}
}

// RewriteSettings are the settings of a tenant's rewritten answers.
func (c *Config) RewriteSettings(tenant string) rewrite.Settings {
	return c.Rewrite.Overridden(c.Tenants[tenant].Rewrite)
}
