package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/webhook"
	"confab/detectors/knownfalse"
	"confab/detectors/standard"
	"confab/internal/httpclient"
	"confab/internal/kafka"
	"confab/internal/labels"
	"confab/internal/llm"
	"confab/internal/redact"
	"confab/internal/strictyaml"
	"confab/sampling"
	"confab/schemas"
)

// Validate reports all problems between settings as a *[strictyaml.Error] without places. [Load] has called it. Single
// settings are checked while they are read.
func (c *Config) Validate() error { return strictyaml.NewError(c.check()) }

// checker collects problems.
type checker struct {
	problems []strictyaml.Problem
}

// rule is a condition under which a setting is wrong.
type rule struct {
	wrong   bool
	path    string
	message string // cause and remedy
}

func (k *checker) rules(all ...rule) {
	for _, r := range all {
		if r.wrong {
			k.problems = append(k.problems, strictyaml.Problem{Path: r.path, Message: r.message})
		}
	}
}

func (k *checker) fail(path, format string, args ...any) {
	k.rules(rule{true, path, fmt.Sprintf(format, args...)})
}

// joined reports errors that start with the path of a setting below prefix and a separator.
func (k *checker) joined(prefix string, err error, separator string) {
	for _, err := range strictyaml.SplitJoined(err) {
		path, message, _ := strings.Cut(err.Error(), separator)
		k.fail(strictyaml.JoinPath(prefix, strings.TrimSuffix(path, ":")), "%s", message)
	}
}

// useless reports keys of a section that are set although they have no effect.
func (k *checker) useless(section, remedy string, set map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		k.rules(rule{set[key], section + "." + key, "has no effect: " + remedy + ", or remove it"})
	}
}

// half reports whether one of two values is missing.
func half(a, b string) bool { return (a == "") != (b == "") }

func (c *Config) check() []strictyaml.Problem {
	c.connectHTTP()
	k := &checker{}
	k.httpConfigs(c.HTTPConfigs)
	k.kafka(&c.Kafka)
	k.sasl(&c.Kafka.SASL)
	k.inputs(&c.Kafka)
	k.topics(&c.Kafka)
	k.registry(c)
	k.roles(c)
	k.slack(&c.Alerting.Slack)
	k.alerting(&c.Alerting)
	k.confirmation(c)
	k.export(&c.Export)
	k.tenants(c)
	k.llm(&c.LLM)
	k.detectors(c)
	k.texts(c)
	k.labels("metrics.services", c.Metrics.Services)
	k.labels("metrics.models", c.Metrics.Models)
	k.labels("flags.attributes", c.Flags.Attributes)
	k.rules(rule{len(c.Flags.Attributes) > maxAttributes, "flags.attributes", fmt.Sprintf("has %d names: keep at most %d, every flag holds them", len(c.Flags.Attributes), maxAttributes)})
	k.serve(c)
	k.listener("ui", &c.UI.Listener)
	k.redaction(c.Redaction.Patterns)
	k.admin(&c.Admin)
	return k.problems
}

func (k *checker) kafka(c *Kafka) {
	for i, broker := range c.SeedBrokers {
		k.address(fmt.Sprintf("kafka.seed_brokers[%d]", i), broker, false)
	}
	t := &c.TLS
	if !t.Enabled {
		k.useless("kafka.tls", "set kafka.tls.enabled: true", map[string]bool{
			"ca_file": t.CAFile != "", "cert_file": t.CertFile != "", "key_file": t.KeyFile != "", "server_name": t.ServerName != "",
		})
	}
	k.rules(
		rule{len(c.SeedBrokers) == 0, "kafka.seed_brokers", "name at least one broker, such as [localhost:9092]"},
		rule{c.ClientID == "", "kafka.client_id", "is empty; give the client a name, such as confab"},
		rule{half(t.CertFile, t.KeyFile), "kafka.tls", "a client certificate needs both cert_file and key_file"},
		rule{!regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`).MatchString(c.ConsumerGroup), "kafka.consumer_group", "expected 1 to 200 letters, digits, dots, hyphens or underscores"},
		rule{strings.TrimSpace(c.InstanceID) != c.InstanceID || len(c.InstanceID) > 200, "kafka.instance_id", "expected at most 200 characters without spaces around them"},
	)
}

func (k *checker) sasl(s *SASL) { //nolint:cyclop // a table of conditions
	o, m := &s.OAuth, s.Mechanism
	user := s.Username != "" || s.Password != ""
	oauth := o.TokenFile != "" || o.TokenURL != "" || o.ClientID != "" || o.ClientSecret != ""
	token := m == kafka.MechanismOAuth || m == kafka.MechanismAWS
	fetches := m == kafka.MechanismOAuth && o.TokenFile == "" && o.TokenURL != ""
	if o.TokenURL != "" {
		k.url("kafka.sasl.oauth.token_url", o.TokenURL, urlRules{private: true, login: "kafka.sasl.oauth.client_id and client_secret"})
	}
	k.rules(
		rule{m == "" && (user || oauth), "kafka.sasl", "has credentials but no mechanism: set mechanism to PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER"},
		rule{token && user, "kafka.sasl.username", "has no effect with " + m + ": remove username and password"},
		rule{m != "" && !token && s.Username == "", "kafka.sasl.username", "is missing: " + m + " needs it"},
		rule{m != "" && !token && s.Username != "" && s.Password == "" && s.PasswordFile == "", "kafka.sasl.password", "is missing: set password_file, or password: ${KAFKA_PASSWORD}"},
		rule{m != "" && m != kafka.MechanismOAuth && oauth, "kafka.sasl.oauth", "has no effect with " + m + ": set mechanism: OAUTHBEARER, or remove it"},
		rule{m == kafka.MechanismOAuth && !half(o.TokenFile, o.TokenURL), "kafka.sasl.oauth", "needs token_file or token_url, one of both"},
		rule{fetches && o.ClientID == "", "kafka.sasl.oauth.client_id", "is missing: the token server needs it"},
		rule{fetches && o.ClientID != "" && o.ClientSecret == "" && o.ClientSecretFile == "", "kafka.sasl.oauth.client_secret", "is missing: set client_secret_file, or client_secret: ${CLIENT_SECRET}"},
	)
	for name, value := range o.Extensions {
		k.rules(
			rule{name == "auth", "kafka.sasl.oauth.extensions", "must not have the name auth, which is that of the token"},
			rule{strings.Contains(name+value, "\x01"), "kafka.sasl.oauth.extensions", fmt.Sprintf("%q has the character that separates extensions (U+0001)", name)},
		)
	}
}

func (k *checker) inputs(c *Kafka) {
	k.rules(rule{len(c.Inputs) == 0, "kafka.inputs", "name at least one topic to read, such as [{topic: llm.interactions}]"})
	seen := map[string]int{}
	for i := range c.Inputs {
		in, path := &c.Inputs[i], fmt.Sprintf("kafka.inputs[%d]", i)
		first, twice := seen[in.Topic]
		k.topic(path+".topic", in.Topic)
		k.rules(
			rule{twice && in.Topic != "", path + ".topic", fmt.Sprintf("the same as inputs[%d]; keep one", first)},
		)
		if !twice {
			seen[in.Topic] = i
		}
		k.input(path, in)
	}
}

func (k *checker) topics(c *Kafka) {
	use := map[string]string{}
	for _, in := range c.Inputs {
		use[in.Topic] = "an input"
	}
	for _, f := range strictyaml.Fields(reflect.ValueOf(&c.Topics).Elem()) {
		name, path := f.Value.String(), "kafka.topics."+f.Name
		k.topic(path, name)
		k.rules(rule{use[name] != "" && name != "", path, fmt.Sprintf("%s is already %s; every topic has one use", name, use[name])})
		use[name] = path
	}
}

// topic checks that Kafka accepts the name.
func (k *checker) topic(path, name string) {
	const longest = 249
	valid := name != "." && name != ".." && len(name) <= longest && regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name)
	k.rules(
		rule{name == "", path, "is missing: name the topic"},
		rule{name != "" && !valid, path, fmt.Sprintf("not a topic name: use at most %d letters, digits, dots, hyphens or underscores", longest)},
	)
}

func (k *checker) registry(c *Config) {
	s := &c.SchemaRegistry
	if s.URL == "" {
		k.useless("schema_registry", "set schema_registry.url", map[string]bool{
			"username": s.Username != "", "password": s.Password != "", "token": s.Token != "", "ca_file": s.CAFile != "", "http_config": s.HTTPConfig != "",
		})
		k.rules(rule{s.Output == OutputAvro, "schema_registry.output", "avro needs a registry: set schema_registry.url"})
		for i, in := range c.Kafka.Inputs {
			k.rules(rule{in.Format == FormatAvro, fmt.Sprintf("kafka.inputs[%d].format", i), "avro needs a registry: set schema_registry.url"})
		}
		return
	}
	k.url("schema_registry.url", s.URL, urlRules{login: "schema_registry.username and password_file"})
	k.httpClient("schema_registry", &s.HTTPClient, s.Token != "" || s.Password != "")
	k.rules(
		rule{s.CAFile != "" && s.Settings != nil && s.Settings.TLS != (httpclient.TLS{}), "schema_registry.ca_file", "has no effect with tls_config of http_configs: move it to ca_file there"},
		rule{s.Token != "" && (s.Username != "" || s.Password != ""), "schema_registry", "has a token and a user; keep one"},
		rule{s.Token == "" && s.Username != "" && s.Password == "", "schema_registry.password", "is missing: set password_file, or password: ${REGISTRY_PASSWORD}"},
		rule{s.Token == "" && s.Password != "" && s.Username == "", "schema_registry.username", "is missing: the password needs it"},
	)
}

func (k *checker) roles(c *Config) {
	for i, role := range c.Roles {
		path := fmt.Sprintf("roles[%d]", i)
		k.rules(
			rule{slices.Contains(c.Roles[:i], role), path, string(role) + " is listed twice"},
			rule{role == RoleAlert && !c.Alerting.HasSink(), path, "alert has no sink: set alerting.slack.webhook_url_file, alerting.slack.bot_token_file, alerting.alertmanager.url, alerting.webhook.url_file or alerting.console: true"},
			rule{role == RoleExport && len(c.Export.Destinations()) == 0, path, "export has no destination: set export.evaluations: true, or the url of export.logs, traces, phoenix, langfuse or opik"},
			rule{role == RoleSample && !c.LLM.Enabled(), path, "sample has no endpoint: set base_url and model of llm.sampler, llm.judge or llm.verifier"},
		)
	}
	if !slices.Contains(c.ActiveRoles(), RoleDetect) {
		return
	}
	once := c.Kafka.ExactlyOnce()
	k.rules(
		rule{len(c.Detectors) > 0 && len(c.EnabledDetectors()) == 0, "detectors", "all are disabled: enable one, or leave detect out of roles"},
		rule{once && c.Kafka.InstanceID == "", "kafka.delivery", "exactly_once needs kafka.instance_id: a name that is unique per replica and stable across restarts"},
	)
}

func (k *checker) slack(s *Slack) {
	const path, needsBot = "alerting.slack", "needs bot_token: only a bot's messages have buttons, and only a bot can show who clicked"
	if s.WebhookURL != "" {
		k.url(path+".webhook_url", s.WebhookURL.Reveal(), urlRules{private: true})
	}
	if s.APIURL != "" {
		k.url(path+".api_url", s.APIURL, urlRules{private: true, login: path + ".bot_token_file"})
	}
	k.rules(
		rule{s.BotToken != "" && s.Channel == "", path + ".channel", "is missing: a bot token needs the channel to post to"},
		// The two tokens are easily confused.
		rule{strings.HasPrefix(s.BotToken.Reveal(), "xapp-"), path + ".bot_token", "this is an app-level token; give the bot token, which starts with xoxb-"},
		rule{strings.HasPrefix(s.AppToken.Reveal(), "xoxb-"), path + ".app_token", "this is a bot token; give the app-level token, which starts with xapp-"},
		rule{s.AppToken != "" && s.BotToken == "", path + ".app_token", needsBot},
	)
}

func (k *checker) alerting(a *Alerting) { //nolint:cyclop // a table of conditions
	m, w, sinks := &a.Alertmanager, &a.Webhook, a.sinks()
	basic, bearer := m.Username != "" || m.Password != "", m.BearerToken != ""
	k.rules(
		rule{len(sinks) > 1, "alerting", fmt.Sprintf("only one sink is allowed, and %s are configured: keep one; an Alertmanager passes alerts on to several", strings.Join(sinks, " and "))},
		rule{len(a.By) == 0, "alerting.group_by", "is empty; name the labels that the incidents of one message share, such as [tenant, service, model, problem]"},
		rule{m.URL == "" && (basic || bearer || m.HTTPConfig != ""), "alerting.alertmanager.url", "is missing: name the Alertmanager, or remove the other keys"},
		rule{m.URL != "" && bearer && basic, "alerting.alertmanager.bearer_token", "is set together with a user; keep one of them"},
		rule{strings.ContainsAny(m.BearerToken.Reveal(), " \t\r\n"), "alerting.alertmanager.bearer_token", "has white space in it: set the token alone"},
		rule{m.URL != "" && !bearer && half(m.Username, m.Password.Reveal()), "alerting.alertmanager", "a login needs both username and password"},
		rule{w.URL == "" && (w.Secrets != "" || w.HTTPConfig != ""), "alerting.webhook.url", "is missing: name the address, or remove the other keys"},
	)
	if m.URL != "" {
		k.httpClient("alerting.alertmanager", &m.HTTPClient, basic || bearer)
		k.url("alerting.alertmanager.url", m.URL, urlRules{private: basic || bearer, login: "alerting.alertmanager.username and password_file"})
	}
	if w.URL != "" {
		k.httpClient("alerting.webhook", &w.HTTPClient, false)
		k.url("alerting.webhook.url", w.URL.Reveal(), urlRules{page: true, private: true})
		_, err := webhook.New(webhook.Options{URL: "https://localhost", Secrets: w.Secrets})
		k.joined("", err, " ")
	}
	for key, link := range map[string]string{"trace_url": a.TraceURL, "page_url": a.PageURL, "runbook_url": a.RunbookURL} {
		if link != "" {
			k.url("alerting."+key, link, urlRules{page: true, private: true})
		}
	}
	if err := card.CheckLink(a.TraceURL); a.TraceURL != "" && err != nil {
		k.fail("alerting.trace_url", "%s", err)
	}
}

// confirmation requires who is asked, where this process would ask: another one may have the judge.
func (k *checker) confirmation(c *Config) {
	asks := len(c.Roles) == 0 || slices.Contains(c.Roles, RoleSample)
	missing := asks && (c.LLM.Judge.BaseURL == "" || !c.asks(schemas.JudgeDetector))
	const why = "needs a judge: set base_url and model of llm.judge, and keep detectors.faithfulness enabled"
	k.rules(
		rule{c.Alerting.Confirm == alerting.ConfirmJudge && missing, "alerting.confirm", why},
		rule{c.Sampling.JudgeShare > 0 && missing, "sampling.judge_share", why},
	)
	for _, name := range slices.Sorted(maps.Keys(c.Tenants)) {
		t, path := c.Tenants[name], strictyaml.JoinPath("tenants", name)+".alerting.confirm"
		judge := t.Alerting.Confirm == alerting.ConfirmJudge
		k.rules(
			rule{judge && missing, path, why},
			rule{judge && t.LLM.OptOut, path, "contradicts llm.opt_out: nothing of this tenant is sent to a judge; keep one of them"},
		)
	}
}

func (k *checker) export(e *Export) {
	for _, d := range []struct {
		path, url, key string
		secret         redact.Secret
	}{
		{"export.logs", e.Logs.URL, "headers", e.Logs.Headers},
		{"export.traces", e.Traces.URL, "headers", e.Traces.Headers},
		{"export.phoenix", e.Phoenix.URL, "api_key", e.Phoenix.APIKey},
		{"export.langfuse", e.Langfuse.URL, "secret_key", e.Langfuse.SecretKey},
		{"export.opik", e.Opik.URL, "api_key", e.Opik.APIKey},
	} {
		k.rules(
			rule{d.url == "" && d.secret != "", d.path + ".url", "is missing: name the address, or remove the other keys"},
			rule{d.key != "headers" && !isPrintable(d.secret.Reveal()), d.path + "." + d.key, notPrintable},
		)
		if d.url == "" {
			continue
		}
		k.url(d.path+".url", d.url, urlRules{private: d.secret != "", login: d.path + "." + d.key + "_file"})
		if d.key == "headers" {
			_, err := (&OTLP{Headers: d.secret}).ParsedHeaders()
			k.rules(rule{err != nil, d.path + ".headers", fmt.Sprint(err)})
		}
	}
	_, err := httpclient.Wrap(httpclient.Options{TLS: httpclient.TLS{CAFile: e.CAFile}}, &http.Transport{})
	k.rules(
		rule{err != nil, "export.ca_file", fmt.Sprint(err)},
		rule{e.Langfuse.URL != "" && (e.Langfuse.PublicKey == "" || e.Langfuse.SecretKey == ""), "export.langfuse", "public_key or secret_key is missing: set both, of the project that has the traces"},
		rule{e.Opik.URL != "" && strings.TrimSpace(e.Opik.Project) == "", "export.opik.project", "is missing: name the project that has the traces"},
		rule{!isPrintable(e.Langfuse.PublicKey), "export.langfuse.public_key", notPrintable},
		rule{!isPrintable(e.Opik.Workspace), "export.opik.workspace", notPrintable},
	)
}

const notPrintable = "has white space or characters beyond ASCII in it: set the value alone"

func isPrintable(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' })
}

// tenants checks the alert rule, and what else tenants override.
func (k *checker) tenants(c *Config) {
	known := slices.Collect(maps.Keys(c.Detectors))
	if c.Observations.Enabled {
		known = append(known, knownfalse.Name)
	}
	slices.Sort(known)
	k.joined("", c.PolicyOptions().Validate(known), ": ")
	for _, name := range slices.Sorted(maps.Keys(c.Tenants)) {
		t, path := c.Tenants[name], "tenants."+name
		k.rules(
			rule{strings.TrimSpace(name) == "", "tenants", "a tenant without a name; name it or remove it"},
			rule{t.LLM.TokensPerWindow != nil && *t.LLM.TokensPerWindow < 0, path + ".llm.tokens_per_window", "must be 0 or more"},
			rule{t.LLM.Worth != nil && !(*t.LLM.Worth >= 0 && *t.LLM.Worth <= 1000), path + ".llm.worth", "must be from 0 to 1000"},
			rule{t.Serve.RateLimit != nil && *t.Serve.RateLimit < 0, path + ".serve.rate_limit", "is negative: set checks a second, or 0 for no limit"},
			rule{t.Rewrite.Check() != nil, path + ".rewrite.empty_answer", fmt.Sprint(t.Rewrite.Check())},
		)
		for detector := range t.Detectors {
			k.rules(rule{c.Detectors[detector] == nil, path + ".detectors." + detector, "no such detector; known are " + strings.Join(slices.Sorted(maps.Keys(c.Detectors)), ", ")})
		}
	}
}

func (k *checker) llm(l *LLM) {
	endpoints := l.Endpoints()
	for _, name := range slices.Sorted(maps.Keys(endpoints)) {
		e, path := endpoints[name], "llm."+name
		if e.BaseURL == "" {
			k.rules(rule{*e != (Endpoint{}), path + ".base_url", "is missing: name the server, or remove the other keys"})
			continue
		}
		k.httpClient(path, &e.HTTPClient, e.APIKey != "")
		client, err := l.Client(e, nil, redact.Redact)
		if err != nil {
			k.fail(path, "%s", strings.TrimPrefix(err.Error(), "llm endpoint: "))
			continue
		}
		client.Close()
	}
	k.verifier(&l.Verifier)
}

// verifier checks how the server is asked.
func (k *checker) verifier(v *Verifier) {
	const path = "llm.verifier"
	mapped := v.Request != "" || v.Supported != "" || v.Unsupported != "" || v.Spans != ""
	k.rules(
		rule{mapped && v.Kind != string(llm.KindHTTP), path + ".kind", "asks in a published form: set kind: http, or remove request, supported, unsupported and spans"},
		rule{!(v.RequestsPerSecond > 0), path + ".requests_per_second", "must be more than 0"},
	)
	if v.BaseURL == "" && !mapped {
		return
	}
	if _, err := v.Form(); err != nil {
		key, _, _ := strings.Cut(err.Error(), " ")
		_, why, _ := strings.Cut(err.Error(), " ")
		k.fail(path+"."+strings.TrimSuffix(key, ":"), "%s", why)
	}
}

// detectors builds each enabled detector: its constructor validates its options.
func (k *checker) detectors(c *Config) {
	for _, e := range slices.Concat(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})) {
		section := c.Detectors[e.Name]
		if section == nil {
			continue
		}
		at := section.Threshold
		k.rules(rule{at != nil && !(*at > 0 && *at <= 1), "detectors." + e.Name + ".threshold", "must be above 0 and at most 1: the detector fires at this score; leave it out for the threshold of the calibration"})
		if !c.Runs(e.Name) {
			continue
		}
		_, err := e.New(section.Options)
		fields := strictyaml.Fields(reflect.ValueOf(section).Elem())
		for _, err := range strictyaml.SplitJoined(err) {
			path, message := "detectors."+e.Name, err.Error()
			key, rest, _ := strings.Cut(message, " ")
			key = strings.TrimSuffix(key, ":")
			if slices.ContainsFunc(fields, func(f strictyaml.Field) bool { return f.Name == key }) { // it starts with the key that is wrong
				path, message = path+"."+key, rest
			}
			k.fail(path, "%s", message)
		}
	}
}

// texts checks sampling, the reference context and what is not measured.
func (k *checker) texts(c *Config) {
	o := c.samplingOptions()
	missing := o.Salt == ""
	o.Salt = "any" // a missing one is a warning, unless the rate is not the default
	_, err := sampling.New(o)
	k.joined("", err, " ")
	k.rules(
		rule{c.Sampling.Rate > 0 && c.Sampling.Rate != defaultRate && missing, "sampling.rate", "needs llm.sampler, llm.judge or sampling.salt_file; without language models set rate: 0"},
		rule{c.Rewrite.Check() != nil, "rewrite.empty_answer", fmt.Sprint(c.Rewrite.Check())},
	)
	for i, r := range c.ReferenceContext {
		at := fmt.Sprintf("reference_context[%d]", i)
		k.rules(
			rule{(r.Text == "") == (r.TextFile == ""), at, "needs a text: set either text or text_file"},
			rule{r.Text != "" && r.ID == "" && r.TextFile == "", at + ".id", "needs an id, which flags show: name the text"},
		)
	}
	rules := 0
	for i, r := range c.LLM.Judge.Instructions {
		rules += len(r.Text)
		k.rules(rule{strings.TrimSpace(r.Text) == "", fmt.Sprintf("llm.judge.instructions[%d].text", i), "is empty: write the rule, or remove it"})
	}
	k.rules(rule{rules > maxInstructions, "llm.judge.instructions", fmt.Sprintf("have %d bytes together, but at most %d are allowed: every request carries those that apply; put facts into reference_context", rules, maxInstructions)})
	for i, name := range c.SkipOperations {
		k.rules(rule{strings.Trim(name, " *") == "", fmt.Sprintf("skip_operations[%d]", i), "is not the name of an operation; to measure nothing, disable the detectors"})
	}
}

// maxLabels is the maximum number of names in a list of labels: every pair of a service and a model may have series.
const maxLabels = 100

// maxAttributes is the maximum number of attributes that flags copy.
const maxAttributes = 10

// labels checks an allow-list of label values.
func (k *checker) labels(path string, names []string) {
	k.rules(rule{len(names) > maxLabels, path, fmt.Sprintf("has %d names, but at most %d get a label: keep those that you compare", len(names), maxLabels)})
	for i, name := range names {
		k.rules(rule{name == "" || labels.Clean(name) != name, fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("expected 1 to %d bytes of visible text without spaces around it", labels.MaxLength)})
	}
}

func (k *checker) serve(c *Config) {
	k.listener("serve", &c.Serve.Listener)
	fixed := func(in *Input) string {
		return fmt.Sprintf("writes to %s, where every interaction is of the tenant %s: set tenant_from: header there, or give every login that tenant alone", in.Topic, in.Tenant)
	}
	othersIn := func(in *Input) bool { return in.TenantFrom == TenantFixed && !c.Serve.Auth.onlyTenant(in.Tenant) }
	if topic := c.Serve.OTLPTopic; topic != "" {
		in := c.OTLPInput()
		k.rules(rule{in == nil, "serve.otlp_topic", fmt.Sprintf("no input reads %s as OTLP: add {topic: %s, format: otlp_proto} to kafka.inputs", topic, topic)})
		if in != nil {
			k.rules(rule{othersIn(in), "serve.otlp_topic", fixed(in)})
		}
	}
	if len(c.Kafka.Inputs) == 0 || c.Serve.Publish != PublishAll {
		return
	}
	in := &c.Kafka.Inputs[0]
	ownForm := len(in.Map) == 0 && (in.Format == FormatAuto || in.Format == FormatJSON)
	k.rules(
		rule{!ownForm, "serve.publish", fmt.Sprintf("all writes interactions in their own JSON form, which %s is not read in: make it the first input without map and with format: json, or set flags", in.Topic)},
		rule{ownForm && othersIn(in), "serve.publish", "all " + fixed(in)},
	)
}

// Bounds of own patterns: each is tried on every text that a flag or a prompt quotes.
const (
	maxPatterns     = 50
	maxPatternBytes = 1000
)

func (k *checker) redaction(patterns []RedactionPattern) {
	k.rules(rule{len(patterns) > maxPatterns, "redaction.patterns", fmt.Sprintf("has %d patterns, at most %d are allowed: join some by |", len(patterns), maxPatterns)})
	valid, names := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`), make([]string, 0, len(patterns))
	for _, p := range patterns {
		names = append(names, p.Name)
	}
	for i, p := range patterns {
		at := fmt.Sprintf("redaction.patterns[%d]", i)
		err := fmt.Errorf("has %d bytes, at most %d are allowed", len(p.Pattern), maxPatternBytes)
		if len(p.Pattern) <= maxPatternBytes {
			_, err = redact.Compile(p.Pattern, names)
		}
		k.rules(
			rule{!valid.MatchString(p.Name), at + ".name", "expected up to 40 lower-case letters, digits and hyphens"},
			rule{err != nil, at + ".pattern", fmt.Sprint(err)},
		)
	}
}

// httpClient checks the client of the service at path. ownLogin says that the service has a login, which excludes OAuth 2.0.
func (k *checker) httpClient(path string, h *HTTPClient, ownLogin bool) {
	k.rules(
		rule{h.HTTPConfig != "" && h.Settings == nil, path + ".http_config", fmt.Sprintf("http_configs has no entry %q: add it, or correct the name", h.HTTPConfig)},
		rule{h.Settings != nil && h.Settings.OAuth2.TokenURL != "" && ownLogin, path + ".http_config", "the login of " + path + " is set, and so is oauth2 of http_configs." + h.HTTPConfig + ": keep one login"},
	)
}

func (k *checker) httpConfigs(all map[string]httpclient.Options) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h, path := all[name], "http_configs."+name
		token := &h.OAuth2
		if token.TokenURL == "" && cmp.Or(token.ClientID, token.ClientSecret.Reveal()) != "" {
			k.fail(path+".oauth2.token_url", "is missing: client_id and client_secret need it")
			continue
		}
		if token.TokenURL != "" {
			k.url(path+".oauth2.token_url", token.TokenURL, urlRules{private: true, login: path + ".oauth2.client_id and client_secret"})
		}
		if _, err := httpclient.Wrap(h, &http.Transport{}); err != nil {
			k.fail(path, "%s", err)
		}
	}
}

// listener checks an address that others reach.
func (k *checker) listener(path string, s *Listener) {
	k.address(path+".listen", s.Listen, true)
	k.rules(rule{s.Auth.IsEmpty() && !isLoopbackAddress(s.Listen), path + ".listen", fmt.Sprintf("anybody who reaches %s could ask: add auth.logins or auth.proxy, or listen on 127.0.0.1", s.Listen)})
	k.certificates(path+".tls", &s.TLS)
	names, tokens := map[string]bool{}, map[redact.Secret]bool{}
	for i := range s.Auth.Logins {
		l, at := &s.Auth.Logins[i], fmt.Sprintf("%s.auth.logins[%d]", path, i)
		k.rules(
			rule{l.Name == "", at + ".name", "is empty: the audit log needs a name"},
			rule{l.Name != "" && names[l.Name], at + ".name", fmt.Sprintf("%q is used twice", l.Name)},
			rule{l.Token != "" && tokens[l.Token] && !names[l.Name], at + ".token", "is that of another entry: give each program its own"},
			rule{!l.HasToken(), at, "has no token: set token_file"},
		)
		names[l.Name], tokens[l.Token] = true, true
		k.token(at+".token", l.Token)
		k.names(at, l.Tenants)
	}
	k.proxy(path+".auth.proxy", &s.Auth.Proxy)
}

func (k *checker) admin(s *Admin) {
	if s.Listen != "" {
		k.address("admin.listen", s.Listen, true)
	}
	k.certificates("admin.tls", &s.TLS)
	k.token("admin.token", s.Token)
}

func (k *checker) certificates(path string, t *ListenerTLS) {
	k.rules(rule{half(t.CertFile, t.KeyFile), path, "needs both cert_file and key_file"})
}

func (k *checker) token(at string, token redact.Secret) {
	n := len(token.Reveal())
	k.rules(rule{n > 0 && n < MinTokenLength, at, fmt.Sprintf("needs at least %d characters: make one with `openssl rand -hex 32`", MinTokenLength)})
}

func (k *checker) proxy(at string, p *Proxy) {
	on := p.UserHeader != ""
	k.rules(
		rule{!on && (p.TenantsHeader != "" || len(p.Trusted) > 0), at + ".user_header", "is missing: it names the person"},
		rule{on && len(p.Trusted) == 0, at + ".trusted", "is missing: without it anybody could send the header; list the proxy's addresses, such as [10.1.2.3/32]"},
	)
	for i, text := range p.Trusted {
		_, err := netip.ParsePrefix(text)
		k.rules(rule{on && err != nil, fmt.Sprintf("%s.trusted[%d]", at, i), "expected addresses such as 10.0.0.0/8 or 10.1.2.3/32"})
	}
	if on && p.TenantsHeader == "" {
		k.names(at, p.Tenants)
	}
}

// names checks the tenants of a login.
func (k *checker) names(at string, tenants []string) {
	k.rules(rule{len(tenants) == 0 || slices.Contains(tenants, ""), at + ".tenants", `name the tenants, such as [default], or ["*"] for all`})
}

// address checks that text is host:port.
func (k *checker) address(path, text string, anyHost bool) {
	host, port, err := net.SplitHostPort(text)
	number, numErr := strconv.ParseUint(port, 10, 16)
	k.rules(rule{err != nil || numErr != nil || !anyHost && (host == "" || number == 0), path, "expected host:port, such as localhost:9092"})
}

// urlRules restrict an address, in addition to http or https, a host and no login.
type urlRules struct {
	page    bool   // people open it: a query and a fragment are allowed. The worker appends paths to other addresses
	private bool   // it holds or receives a secret: https, or http to this machine
	login   string // the keys that hold the login instead; "" for a page
}

// url checks an address. Problems do not quote it: it may hold a secret.
func (k *checker) url(path, text string, rules urlRules) { //nolint:cyclop // a table of conditions
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		k.fail(path, "expected an https:// address with a host")
		return
	}
	remedy := "remove it: anyone who sees the address could use it"
	if rules.login != "" {
		remedy = "move it to " + rules.login
	}
	switch {
	case u.User != nil:
		k.fail(path, "holds a login: %s", remedy)
	case !rules.page && (u.RawQuery != "" || u.Fragment != ""):
		k.fail(path, "holds a query or a fragment: give the base address alone")
	case rules.private && u.Scheme == "http" && !IsLoopback(u.Hostname()):
		k.fail(path, "is http, which would send a secret unencrypted: use https://")
	}
}
