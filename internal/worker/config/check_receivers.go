package config

import (
	"fmt"
	"regexp"
	"strings"
)

// maxReceivers bounds the receivers: each has its own alert state.
const maxReceivers = 20

// ReceiverNames are the names of all receivers.
func (a *Alerting) ReceiverNames() (names []string) {
	if a.HasDefaultSink() {
		names = append(names, DefaultReceiver)
	}
	for i := range a.Receivers {
		names = append(names, a.Receivers[i].Name)
	}
	return names
}

// checkReceivers reports problems with their path below alerting.
func (a *Alerting) checkReceivers(fail func(at, format string, args ...any)) {
	if len(a.Receivers) > maxReceivers {
		fail(".receivers", "has %d receivers, at most %d are allowed", len(a.Receivers), maxReceivers)
	}
	name := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	seen := map[string]bool{}
	for i := range a.Receivers {
		r, at := &a.Receivers[i], fmt.Sprintf(".receivers[%d]", i)
		switch {
		case !name.MatchString(r.Name):
			fail(at+".name", "expected up to 40 lower-case letters, digits and hyphens")
		case r.Name == DefaultReceiver:
			fail(at+".name", "default is the receiver of alerting.slack, alerting.alertmanager or alerting.console: take another name")
		case seen[r.Name]:
			fail(at+".name", "is the name of two receivers; rename one")
		}
		seen[r.Name] = true
		r.check(at, fail)
	}
}

// check reports a receiver that has not exactly one sink, or half a sink. The sinks check their addresses themselves.
func (r *Receiver) check(at string, fail func(at, format string, args ...any)) {
	var have []string
	for _, sink := range []struct {
		key string
		set bool
	}{
		{"webhook", r.Webhook != Webhook{}},
		{"slack", r.Slack != SlackSink{}},
		{"alertmanager", r.Alertmanager != AlertmanagerSink{}},
	} {
		if sink.set {
			have = append(have, sink.key)
		}
	}
	switch {
	case len(have) == 0:
		fail(at, "has no sink: set one of webhook, slack, alertmanager")
	case len(have) > 1:
		fail(at, "has %s: give each sink a receiver of its own", strings.Join(have, " and "))
	}
	if s := &r.Slack; s.WebhookURL != "" && s.BotToken != "" {
		fail(at+".slack", "has a webhook_url and a bot_token; keep one")
	}
	if len(have) != 1 {
		return
	}
	n, _, err := r.Open(OpenOptions{Path: at})
	if err != nil {
		fail(splitPath(at, err.Error()))
		return
	}
	n.Close()
}

// splitPath cuts the path of a setting off a sink's error.
func splitPath(at, message string) (path, format string, rest any) {
	path, text, found := strings.Cut(message, " ")
	if !found || !strings.HasPrefix(path, at+".") {
		return at, "%s", message
	}
	return strings.TrimSuffix(path, ":"), "%s", text
}
