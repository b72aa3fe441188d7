package config

import (
	"maps"
	"strings"
)

// fixedKeys are removed keys whose value is a constant now.
const fixedKeys = `
	serve.max_body_size serve.max_concurrent serve.read_timeout serve.rate_burst ui.max_body_size ui.max_concurrent ui.read_timeout
	llm.evaluation_timeout llm.budget.block_tokens
	detectors.consistency.temperature detectors.consistency.agreed_share detectors.entailment.max_claims
	detectors.confidence.window detectors.faithfulness.max_statements detectors.grounding.min_support detectors.schema.cache_size metrics.max_names observations.max_per_tenant
	observations.max_entries watchdog alerting.new_messages kafka.rebalance_timeout kafka.heartbeat_interval kafka.fetch_max_partition_bytes kafka.fetch_max_wait schema_registry.timeout
	alerting.stale_after alerting.resolve_timeout alerting.slack.timeout alerting.alertmanager.timeout export.*.timeout export.*.compression export.*.interval export.*.span_wait`

// removedKeys says why keys, or sections that became a value, are gone, by path; see [strictyaml.Decoder].
func removedKeys() map[string]string {
	const (
		http   = "name an entry of http_configs, and move the keys there"
		logins = "tokens, users and clients are one list now: auth.logins"
		join   = "let the Collector group spans by trace, see docs/otlp.md"
		fixed  = "it is fixed now; remove it"
	)
	removed := map[string]string{
		"kafka.inputs[].join_traces":         join,
		"kafka.inputs[].join_wait":           join,
		"kafka.inputs[].join_chunks":         "records of single chunks are not joined: write a record for each answer, which may be the text of its events",
		"serve.upstream":                     "confab serve is no reverse proxy any more: let a gateway ask POST /v1/check/chat, see docs/serve.md",
		"schema_registry.http_config":        http,
		"*.*.http_config":                    http,
		"*.auth.logins[].password_hash":      "people log in with a token, as the password for which browsers ask: set token_file",
		"*.auth.logins[].password_hash_file": "people log in with a token, as the password for which browsers ask: set token_file",
		"*.auth.tokens":                      logins,
		"*.auth.users":                       logins,
		"*.auth.clients":                     logins,
		"*.tls.client_ca_file":               "logins are tokens, passwords or a trusted proxy's headers: let a proxy or a service mesh in front check client certificates",
		"llm.entailer":                       "set llm.verifier: kind nli asks as it did",
		"llm.*.azure":                        "give the address of the deployment in base_url: https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT",
		"llm.*.timeout":                      "set llm.timeout, for all endpoints",
		"llm.*.max_concurrency":              "set llm.max_concurrency, for all endpoints",
		"llm.*.ignores_n":                    "the client detects it; remove it",
		"llm.workers":                        "it follows llm.max_concurrency; remove it",
		"sampling.triggers.grey_zone":        "sampling.judge_share asks about the answers where it is worth most",
		"sampling.triggers.*":                "write its rate alone; the limits of weak_retrieval are weak_support, weak_sources and weak_score",
		"limits.max_claims":                  "every claim is measured; remove it",
		"tenants.*.limits.max_claims":        "every claim is measured; remove it",
		"detectors.facts.synonyms":           "no detector knows synonyms any more; remove it",
		"detectors.facts.names":              "names count as any other words; remove it",
		"metrics.unchecked_share":            "the log does not warn of unchecked answers any more: alert on confab_unchecked_interactions_total, see docs/operations.md",
		"ui.store":                           "the page holds flags in memory and has no file: ui.flags sets their number",
		"export.traces.openinference":        "export.phoenix writes the results as annotations of the answers' spans",
		"export.*.http_config":               "destinations share export.ca_file and the proxy of HTTPS_PROXY; a login is a key of the destination",
		"source_cache":                       "the sources of every answer are read anew",
		"shadow_calibration_file":            "confab replay with --calibration and confab diff compare calibrations, see docs/tuning.md",
		"load_shedding":                      "every answer is measured completely: add replicas by the lag, see docs/sizing.md",
		"observations.keep":                  "the flagged claims of incidents that people confirm are kept; other claims are added by confab observations --add-claim",
		"export.*.resource":                  "one for all: export.resource",
		"kafka.dead_letters":                 "dead letters are whole records, as in the input topic: limit who may read kafka.topics.dlq, and its retention",
		"kafka.poison_circuit":               "write false, or true",
		"kafka.crash_suspect":                "write false, or true",
		"kafka.sasl.oauth.params":            "the token server takes client_id, client_secret and scopes",
		"kafka.sasl.oauth.ca_file":           "name the authorities of the token server in the environment variable SSL_CERT_FILE",
		"admin.auth":                         "set admin.token_file",
		"metrics.unchecked":                  "the log does not warn of unchecked answers any more: alert on confab_unchecked_interactions_total, see docs/operations.md",
	}
	maps.Copy(removed, removedAlertKeys())
	for key := range strings.FieldsSeq(fixedKeys) {
		removed[key] = fixed
	}
	return removed
}

// removedAlertKeys are those of the section alerting.
func removedAlertKeys() map[string]string {
	const (
		clicks  = "clicks arrive over Socket Mode: set alerting.slack.app_token_file"
		manager = "Alertmanager routes, and notifies others: set alerting.alertmanager.url, and see examples/alertmanager"
	)
	return map[string]string{
		"alerting.max_state":                 "alert state is bounded by max_groups, see docs/adr/0017-alert-state.md",
		"alerting.firing_rate":               "the Prometheus rule ConfabDetectorBroken reports a detector that fires on most answers, see docs/runbooks.md",
		"alerting.quiet_hours":               "Slack and Alertmanager have quiet hours of their own; remove it",
		"alerting.slack.interactions_listen": clicks,
		"alerting.slack.signing_secret":      clicks,
		"alerting.route":                     manager,
		"alerting.pagerduty":                 manager,
		"alerting.teams":                     manager,
		"alerting.daily_limit":               "bursts go to digests by themselves; confab tune --alerts N/day finds thresholds for a number of alerts a day, see docs/tuning.md",
		"alerting.slack.threads":             "no details are posted in threads: confab ui and confab tail show them, and messages link to the page with alerting.page_url",
		"alerting.slack.signing_secret_file": clicks,
		"alerting.receivers":                 "one sink is configured by alerting.slack, alerting.alertmanager, alerting.webhook or alerting.console; an Alertmanager passes alerts on to several",
		"tenants.*.alerting.quiet_hours":     "Slack and Alertmanager have quiet hours: use theirs",
	}
}
