package config

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/detectors/standard"
	"confab/internal/labels"
	"confab/internal/strictyaml"
	"confab/sampling"
)

// Validate reports all problems between settings as a *[strictyaml.Error] without places. [Load] has called it. Single
// settings are checked while they are read.
func (c *Config) Validate() error { return strictyaml.NewError(c.check()) }

// checker collects problems.
type checker struct {
	problems []strictyaml.Problem
}

func (k *checker) fail(path, format string, args ...any) {
	k.problems = append(k.problems, strictyaml.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *Config) check() []strictyaml.Problem {
	c.connectHTTP()
	k := &checker{}
	k.httpConfigs(c.HTTPConfigs)
	k.brokers(&c.Kafka)
	k.encryption(&c.Kafka.TLS)
	if at := c.Kafka.SASL.OAuth.TokenURL; at != "" {
		k.url("kafka.sasl.oauth.token_url", at, urlRules{private: true, login: "kafka.sasl.oauth.client_id and client_secret"})
	}
	c.Kafka.SASL.check(func(at, format string, args ...any) { k.fail("kafka.sasl"+at, format, args...) })
	k.group(&c.Kafka)
	k.inputs(&c.Kafka)
	k.delivery(c)
	k.topics(&c.Kafka)
	k.deadLetters(&c.Kafka.DeadLetters)
	k.registry(c)
	k.roles(c)
	k.alerting(&c.Alerting)
	k.export(c)
	k.policy(c)
	k.sampling(&c.Sampling)
	k.llm(c)
	k.detectors(c)
	k.references(c.ReferenceContext)
	k.operations(c.SkipOperations)
	k.labels("metrics.services", c.Metrics.Services)
	k.labels("metrics.models", c.Metrics.Models)
	k.serving(c)
	k.listener("ui", &c.UI.Listener)
	k.redaction(&c.Redaction)
	k.admin(&c.Admin)
	return k.problems
}

func (k *checker) brokers(c *Kafka) {
	if len(c.SeedBrokers) == 0 {
		k.fail("kafka.seed_brokers", "name at least one broker, such as [localhost:9092]")
	}
	for i, broker := range c.SeedBrokers {
		k.address(fmt.Sprintf("kafka.seed_brokers[%d]", i), broker, false)
	}
	if c.ClientID == "" {
		k.fail("kafka.client_id", "is empty; give the client a name, such as confab")
	}
}

// maxLabels is the maximum number of names in a list of labels: every pair of a service and a model may have series.
const maxLabels = 100

// labels checks an allow-list of label values.
func (k *checker) labels(path string, names []string) {
	if len(names) > maxLabels {
		k.fail(path, "has %d names, but at most %d get a label: keep those that you compare", len(names), maxLabels)
	}
	for i, name := range names {
		if name == "" || labels.Clean(name) != name {
			k.fail(fmt.Sprintf("%s[%d]", path, i), "expected 1 to %d bytes of visible text without spaces around it", labels.MaxLength)
		}
	}
}

// address checks that text is host:port.
func (k *checker) address(path, text string, anyHost bool) {
	host, port, err := net.SplitHostPort(text)
	number, numErr := strconv.ParseUint(port, 10, 16)
	if err != nil || numErr != nil || host == "" && !anyHost || number == 0 && !anyHost {
		k.fail(path, "expected host:port, such as localhost:9092")
	}
}

func (k *checker) encryption(c *TLS) {
	for _, f := range []struct{ key, value string }{
		{"ca_file", c.CAFile},
		{"cert_file", c.CertFile},
		{"key_file", c.KeyFile},
		{"server_name", c.ServerName},
	} {
		if f.value != "" && !c.Enabled {
			k.fail("kafka.tls."+f.key, "has no effect: set kafka.tls.enabled: true, or remove it")
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		k.fail("kafka.tls", "a client certificate needs both cert_file and key_file")
	}
}

func (k *checker) group(c *Kafka) {
	if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`).MatchString(c.ConsumerGroup) {
		k.fail("kafka.consumer_group", "expected 1 to 200 letters, digits, dots, hyphens or underscores")
	}
	if strings.TrimSpace(c.InstanceID) != c.InstanceID || len(c.InstanceID) > 200 {
		k.fail("kafka.instance_id", "expected at most 200 characters without spaces around them")
	}
}

func (k *checker) inputs(c *Kafka) {
	if len(c.Inputs) == 0 {
		k.fail("kafka.inputs", "name at least one topic to read, such as [{topic: llm.interactions}]")
	}
	seen := map[string]int{}
	for i, in := range c.Inputs {
		path := fmt.Sprintf("kafka.inputs[%d]", i)
		if k.topic(path+".topic", in.Topic); in.Topic != "" {
			if first, twice := seen[in.Topic]; twice {
				k.fail(path+".topic", "the same as inputs[%d]; keep one", first)
			}
			seen[in.Topic] = i
		}
		in.check(func(at, format string, args ...any) { k.fail(path+at, format, args...) })
		if in.JoinWait > c.SessionTimeout {
			k.fail(path+".join_wait", "must be at most kafka.session_timeout (%s): after a crash, records wait for both", c.SessionTimeout)
		}
	}
}

// delivery checks what transactions cannot be combined with: a transaction commits all records that it read.
func (k *checker) delivery(c *Config) {
	if !c.Kafka.ExactlyOnce() || !slices.Contains(c.ActiveRoles(), RoleDetect) {
		return
	}
	if c.Kafka.InstanceID == "" {
		k.fail("kafka.delivery", "exactly_once needs kafka.instance_id: a name that is unique per replica and stable across restarts")
	}
	for i, in := range c.Kafka.Inputs {
		if _, joins := in.HoldLimits(); joins {
			k.fail(fmt.Sprintf("kafka.inputs[%d]", i), "join_wait holds records longer than a transaction lasts: "+
				"set kafka.delivery: at_least_once, or remove it")
		}
	}
}

func (k *checker) topics(c *Kafka) {
	use := map[string]string{}
	for _, in := range c.Inputs {
		use[in.Topic] = "an input"
	}
	for _, t := range []struct{ key, name string }{
		{"sampled", c.Topics.Sampled},
		{"incidents", c.Topics.Incidents},
		{"dlq", c.Topics.DLQ},
		{"alerts", c.Topics.Alerts},
		{"budget", c.Topics.Budget},
		{"feedback", c.Topics.Feedback},
		{"observations", c.Topics.Observations},
		{"evaluations", c.Topics.Evaluations},
	} {
		path := "kafka.topics." + t.key
		k.topic(path, t.name)
		if other := use[t.name]; other != "" && t.name != "" {
			k.fail(path, "%s is already %s; every topic has one use", t.name, other)
		}
		use[t.name] = path
	}
}

func (k *checker) deadLetters(d *DeadLetters) {
	for i, tenant := range d.PointerOnly {
		if tenant == "" {
			k.fail(fmt.Sprintf("kafka.dead_letters.pointer_only[%d]", i), "is empty: name a tenant, or * for all")
		}
	}
}

// topic checks that Kafka accepts the name.
func (k *checker) topic(path, name string) {
	const longest = 249
	switch {
	case name == "":
		k.fail(path, "is missing: name the topic")
	case name == "." || name == ".." || len(name) > longest || !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name):
		k.fail(path, "not a topic name: use at most %d letters, digits, dots, hyphens or underscores", longest)
	}
}

func (k *checker) roles(c *Config) {
	for i, role := range c.Roles {
		path := fmt.Sprintf("roles[%d]", i)
		if slices.Contains(c.Roles[:i], role) {
			k.fail(path, "%s is listed twice", role)
		}
		if role == RoleAlert && !c.Alerting.HasSink() {
			k.fail(path, "alert has no sink: set alerting.slack.webhook_url_file, alerting.slack.bot_token_file, alerting.alertmanager.url, alerting.receivers or alerting.console: true")
		}
	}
	if roles := c.ActiveRoles(); slices.Contains(roles, RoleDetect) && len(c.Detectors) > 0 && len(c.EnabledDetectors()) == 0 {
		k.fail("detectors", "all are disabled: enable one, or leave detect out of roles")
	}
}

// sampling runs the sampler's validation. A missing salt is a warning only.
func (k *checker) sampling(s *Sampling) {
	o := s.options()
	o.Salt = "any"
	_, err := sampling.New(o)
	for _, err := range strictyaml.SplitJoined(err) {
		path, message, _ := strings.Cut(err.Error(), " ")
		k.fail(path, "%s", message)
	}
}

// detectors builds each enabled detector: its constructor validates its options.
func (k *checker) detectors(c *Config) {
	for _, e := range slices.Concat(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})) {
		section := c.Detectors[e.Name]
		if section == nil || !section.Enabled {
			continue
		}
		_, err := e.New(section.Options)
		keys := strictyaml.Keys(section)
		for _, err := range strictyaml.SplitJoined(err) {
			path, message := "detectors."+e.Name, err.Error()
			if key, rest, _ := strings.Cut(message, " "); slices.Contains(keys, strings.TrimSuffix(key, ":")) {
				path, message = strictyaml.JoinPath(path, strings.TrimSuffix(key, ":")), rest // it starts with the key that is wrong
			}
			k.fail(path, "%s", message)
		}
	}
}
