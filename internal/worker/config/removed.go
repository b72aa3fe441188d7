package config

import "strings"

// removedKeys says why keys, or sections that became a value, are gone, by path; see [strictyaml.Decoder].
func removedKeys() map[string]string {
	const (
		http   = "name an entry of http_configs, and move the keys there"
		logins = "tokens, users and clients are one list now: auth.logins"
		join   = "set join_wait to how long records wait for each other"
		fixed  = "it is fixed now; remove it"
	)
	removed := map[string]string{
		"kafka.inputs[].join_traces":  join,
		"kafka.inputs[].join_chunks":  join,
		"serve.upstream":              "confab serve is no reverse proxy any more: let a gateway ask POST /v1/check/chat, see docs/gateways.md",
		"schema_registry.http_config": http,
		"*.*.http_config":             http,
		"*.auth.tokens":               logins,
		"*.auth.users":                logins,
		"*.auth.clients":              logins,
		"llm.*.azure":                 "give the address of the deployment in base_url: https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT",
		"llm.*.timeout":               "set llm.timeout, for all endpoints",
		"llm.*.max_concurrency":       "set llm.max_concurrency, for all endpoints",
		"llm.*.ignores_n":             "the client detects it; remove it",
		"llm.workers":                 "it follows llm.max_concurrency; remove it",
		"sampling.triggers.*":         "write its rate alone; the limits of weak_retrieval are weak_support, weak_sources and weak_score",
		"metrics.unchecked":           "set metrics.unchecked_share",
		"ui.store":                    "the page holds flags in memory and has no file: ui.flags sets their number",
		"export.traces.openinference": "export.phoenix writes the results as annotations of the answers' spans",
		"export.*.http_config":        "destinations share export.ca_file and the proxy of HTTPS_PROXY; a login is a key of the destination",
		"alerting.max_state":          "alert state is bounded by max_groups, see docs/adr/0017-alert-state.md",
		"source_cache":                "the sources of every answer are read anew",
		"shadow_calibration_file":     "confab replay with --calibration and confab diff compare calibrations, see docs/tuning.md",
		"load_shedding":               "every answer is measured completely: add replicas by the lag, see docs/sizing.md",
		"observations.keep":           "the flagged claims of incidents that people confirm are kept; other claims are added by confab observations --add-claim",
		"export.*.resource":           "one for all: export.resource",
	}
	for key := range strings.FieldsSeq(`
		serve.max_body_size serve.max_concurrent serve.read_timeout serve.rate_burst ui.max_body_size ui.max_concurrent ui.read_timeout
		llm.evaluation_timeout llm.budget.block_tokens
		detectors.consistency.temperature detectors.consistency.agreed_share detectors.entailment.max_claims
		detectors.confidence.window detectors.faithfulness.max_statements detectors.grounding.min_support detectors.schema.cache_size metrics.max_names observations.max_per_tenant
		kafka.rebalance_timeout kafka.heartbeat_interval kafka.fetch_max_partition_bytes kafka.fetch_max_wait
		kafka.poison_circuit.window kafka.poison_circuit.probe_after schema_registry.timeout
		alerting.stale_after alerting.resolve_timeout alerting.firing_rate.checks alerting.slack.timeout
		alerting.alertmanager.timeout alerting.receivers[].timeout
		export.*.timeout export.*.compression export.*.interval export.*.span_wait`) {
		removed[key] = fixed
	}
	return removed
}
