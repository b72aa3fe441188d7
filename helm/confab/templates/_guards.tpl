{{/* Fails the rendering on combinations of values that cannot work, with the remedy. */}}
{{- define "confab.guards" -}}
{{- $v := .Values }}
{{- $config := $v.config | default dict }}
{{- $kafka := $config.kafka | default dict }}
{{- $alerting := $config.alerting | default dict }}
{{- $slack := $alerting.slack | default dict }}
{{- $open := or $v.existingConfigMap $v.extraEnv $v.extraEnvFrom }}
{{- if and $v.existingConfigMap $v.config }}
{{- fail "existingConfigMap and config are both set: keep one" }}
{{- end }}
{{- if not (include "confab.enabledRoles" . | fromYamlArray) }}
{{- fail "no role is enabled: set roles.detect.enabled, or enabled of roles.sample, alert, export, serve or ui" }}
{{- end }}
{{- if not (or $open $kafka.seed_brokers) }}
{{- fail "config.kafka.seed_brokers is missing: name at least one broker, such as [kafka:9092]" }}
{{- end }}
{{- if hasKey $config "roles" }}
{{- fail "config.roles is set by the chart: use roles.detect.enabled and the others" }}
{{- end }}
{{- if ($config.admin | default dict).listen }}
{{- fail "config.admin.listen is set by the chart, for the probes: use metrics.port" }}
{{- end }}
{{- $grace := $config.shutdown_grace | default "30s" | toString }}
{{- $from := toDate "2006-01-02" "2000-01-01" }}
{{- $seconds := sub ($from | dateModify $grace | unixEpoch) ($from | unixEpoch) }}
{{- if le (int $v.terminationGracePeriodSeconds) (int $seconds) }}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be above config.shutdown_grace (%s): pods would be killed before they stop" (int $v.terminationGracePeriodSeconds) $grace) }}
{{- end }}
{{- if and $v.slack.existingSecret (eq (empty $v.slack.secretKeys.webhookUrl) (empty $v.slack.secretKeys.botToken)) }}
{{- fail "slack.secretKeys: name one of webhookUrl and botToken, and empty the other" }}
{{- end }}
{{- if and $v.slack.existingSecret $v.slack.secretKeys.botToken (not (or $slack.channel $open)) }}
{{- fail "config.alerting.slack.channel is missing: a bot token needs the channel to post to" }}
{{- end }}
{{- $keys := $v.slack.secretKeys }}
{{- if and $v.slack.existingSecret $keys.appToken (not $keys.botToken) }}
{{- fail "slack.secretKeys: appToken is for buttons, which only a bot's messages have: name botToken, too" }}
{{- end }}
{{- $am := $alerting.alertmanager | default dict }}
{{- if and $v.alertmanager.existingSecret (not (and $v.roles.alert.enabled (or $open $am.url))) }}
{{- fail "alertmanager.existingSecret has no effect: set roles.alert.enabled and config.alerting.alertmanager.url, or remove it" }}
{{- end }}
{{- if and $v.alertmanager.existingSecret (eq (empty $v.alertmanager.secretKeys.password) (empty $v.alertmanager.secretKeys.bearerToken)) }}
{{- fail "alertmanager.secretKeys: name one of password and bearerToken, and empty the other" }}
{{- end }}
{{- if and $v.webhook.existingSecret (not $v.roles.alert.enabled) }}
{{- fail "webhook.existingSecret has no effect: set roles.alert.enabled: true, or remove it" }}
{{- end }}
{{- $sink := or $v.slack.existingSecret $am.url $v.webhook.existingSecret $alerting.webhook $alerting.console $slack.webhook_url_file $slack.bot_token_file $slack.webhook_url $slack.bot_token }}
{{- if and $v.roles.alert.enabled (not (or $open $sink)) }}
{{- fail "roles.alert has no sink: set slack.existingSecret, config.alerting.alertmanager.url, webhook.existingSecret or config.alerting.console: true" }}
{{- end }}
{{- if and $v.slack.existingSecret (not $v.roles.alert.enabled) }}
{{- fail "slack.existingSecret has no effect: set roles.alert.enabled: true, or remove it" }}
{{- end }}
{{- $llm := $config.llm | default dict }}
{{- $asked := or ($llm.sampler | default dict).base_url ($llm.judge | default dict).base_url ($llm.verifier | default dict).base_url }}
{{- if and $v.roles.sample.enabled (not (or $open $asked)) }}
{{- fail "roles.sample has no endpoint: set base_url and model of config.llm.sampler, config.llm.judge or config.llm.verifier" }}
{{- end }}
{{- if and $v.llm.existingSecret (not $v.roles.sample.enabled) }}
{{- fail "llm.existingSecret has no effect: set roles.sample.enabled: true, or remove it" }}
{{- end }}
{{- $export := $config.export | default dict }}
{{- $logs := ($export.logs | default dict).url }}
{{- $traces := ($export.traces | default dict).url }}
{{- $scores := or ($export.phoenix | default dict).url ($export.langfuse | default dict).url ($export.opik | default dict).url }}
{{- if and $v.roles.export.enabled (not (or $open $export.evaluations $logs $traces $scores)) }}
{{- fail "roles.export has no destination: set config.export.evaluations: true, or the url of config.export.logs, traces, phoenix, langfuse or opik" }}
{{- end }}
{{- if and $v.export.existingSecret (not $v.roles.export.enabled) }}
{{- fail "export.existingSecret has no effect: set roles.export.enabled: true, or remove it" }}
{{- end }}
{{- if and $v.export.existingSecret (not $open) (or (and $v.export.secretKeys.logs (not $logs)) (and $v.export.secretKeys.traces (not $traces))) }}
{{- fail "export.secretKeys names headers of an endpoint that config.export has not: set its url, or empty the key" }}
{{- end }}
{{- if and $v.kafka.existingSecret (not (or $open ($kafka.sasl | default dict).mechanism)) }}
{{- fail "kafka.existingSecret needs a login: set config.kafka.sasl.mechanism and config.kafka.sasl.username" }}
{{- end }}
{{- $registry := $config.schema_registry | default dict }}
{{- if and $v.schemaRegistry.existingSecret (not (or $open $registry.url)) }}
{{- fail "schemaRegistry.existingSecret has no effect: set config.schema_registry.url, or remove it" }}
{{- end }}
{{- if and $v.schemaRegistry.existingSecret $v.schemaRegistry.secretKeys.password $v.schemaRegistry.secretKeys.token }}
{{- fail "schemaRegistry.secretKeys: keep one of password and token, and empty the other" }}
{{- end }}
{{- if ne (empty $v.kafka.tls.secretKeys.cert) (empty $v.kafka.tls.secretKeys.key) }}
{{- fail "kafka.tls.secretKeys: a client certificate needs both cert and key" }}
{{- end }}
{{- with $v.podDisruptionBudget }}
{{- if and .enabled (ne (toString .maxUnavailable) "") (ne (toString .minAvailable) "") }}
{{- fail "podDisruptionBudget: maxUnavailable and minAvailable are both set: keep one" }}
{{- end }}
{{- end }}
{{- include "confab.guards.inline" (dict "at" $config "path" "config") }}
{{- include "confab.guards.metrics" . }}
{{- include "confab.guards.vertical" . }}
{{- include "confab.guards.listeners" . }}
{{- include "confab.guards.scaling" . }}
{{- include "confab.guards.groups" . }}
{{- include "confab.guards.objects" . }}
{{- end }}
