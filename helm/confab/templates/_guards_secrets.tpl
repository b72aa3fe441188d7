{{/* Keys of the configuration whose values are secret. http_headers and proxy_url may be. */}}
{{- define "confab.secretNames" -}}
[api_key, app_token, bearer_token, bot_token, client_secret, headers, password, password_hash, salt, secret_key, secrets, token, webhook_url]
{{- end }}

{{/* Fails on a secret in `config`, which is a ConfigMap. References such as ${VAR} are none. */}}
{{- define "confab.guards.inline" -}}
{{- $secret := include "confab.secretNames" . | fromYamlArray }}
{{- range $key, $value := .at }}
{{- $path := printf "%s.%s" $.path $key }}
{{- if kindIs "map" $value }}
{{- include "confab.guards.inline" (dict "at" $value "path" $path) }}
{{- else if kindIs "slice" $value }}
{{- range $i, $entry := $value }}
{{- if kindIs "map" $entry }}
{{- include "confab.guards.inline" (dict "at" $entry "path" (printf "%s[%d]" $path $i)) }}
{{- end }}
{{- end }}
{{- else if or (has $key $secret) (and (eq $key "url") (hasSuffix ".webhook" $.path)) }}
{{- if and $value (not (contains "${" (toString $value))) }}
{{- fail (printf "%s would be readable in a ConfigMap: put it into a Secret, and name the file by %s_file or the variable by ${NAME}" $path $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Guards of TLS and login of the metrics. */}}
{{- define "confab.guards.metrics" -}}
{{- $v := .Values }}
{{- $open := or $v.existingConfigMap $v.extraEnv $v.extraEnvFrom }}
{{- $admin := ($v.config | default dict).admin | default dict }}
{{- $auth := $admin.auth | default dict }}
{{- $named := false }}
{{- $secret := false }}
{{- range $auth.logins }}
{{- if or .token .token_file .password_hash .password_hash_file }}{{ $secret = true }}{{ else }}{{ $named = true }}{{ end }}
{{- end }}
{{- if $admin.tls }}
{{- fail "config.admin.tls is set by the chart, for the probes: use metrics.tls.existingSecret" }}
{{- end }}
{{- if and $v.metrics.existingSecret (not (or $open $secret)) }}
{{- fail "metrics.existingSecret has no effect: set config.admin.auth.logins with token_file or password_hash_file, or remove it" }}
{{- end }}
{{- $ca := and $v.metrics.tls.existingSecret $v.metrics.tls.secretKeys.clientCa }}
{{- if and $named (not (or $open $ca)) }}
{{- fail "a login of config.admin.auth without token and password needs metrics.tls.existingSecret and metrics.tls.secretKeys.clientCa, which verify its certificate" }}
{{- end }}
{{- if and $ca (not (or $open $named)) }}
{{- fail "metrics.tls.secretKeys.clientCa has no effect: set config.admin.auth.logins with the name of a certificate, or empty it" }}
{{- end }}
{{- range $name := list "serviceMonitor" "podMonitor" }}
{{- $own := index $v $name }}
{{- $client := ($own.tlsConfig | default dict).cert }}
{{- if $own.enabled }}
{{- if and $v.metrics.tls.existingSecret (not $own.tlsConfig) }}
{{- fail (printf "%s.tlsConfig is missing: Prometheus reaches pods by address, so name the serverName and ca of the certificate" $name) }}
{{- end }}
{{- if and $own.tlsConfig (not (or $open $v.metrics.tls.existingSecret)) }}
{{- fail (printf "%s.tlsConfig has no effect: set metrics.tls.existingSecret, or remove it" $name) }}
{{- end }}
{{- if and $own.basicAuth $own.authorization }}
{{- fail (printf "%s has basicAuth and authorization: keep one" $name) }}
{{- end }}
{{- if and $auth.logins (not (or $own.basicAuth $own.authorization $client)) }}
{{- fail (printf "%s has no login, but config.admin.auth asks for one: set %s.basicAuth, authorization or tlsConfig.cert" $name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Guards of VerticalPodAutoscalers and of the Grafana operator's objects. */}}
{{- define "confab.guards.vertical" -}}
{{- $v := .Values }}
{{- $own := $v.verticalAutoscaling }}
{{- range $w := include "confab.workloads" . | fromYamlArray }}
{{- $hpa := (index $v.roles $w.size).autoscaling | default dict }}
{{- if and $own.enabled (ne $own.updateMode "Off") $hpa.enabled }}
{{- $by := list }}
{{- if $hpa.targetCPUUtilizationPercentage }}{{ $by = append $by "cpu" }}{{ end }}
{{- range $hpa.metrics }}
{{- with .resource }}{{ $by = append $by .name }}{{ end }}
{{- with .containerResource }}{{ $by = append $by .name }}{{ end }}
{{- end }}
{{- range $by }}
{{- if has . $own.controlledResources }}
{{- fail (printf "verticalAutoscaling changes the requested %s that roles.%s.autoscaling scales by: take it out of controlledResources, or set updateMode: \"Off\"" . $w.size) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $v.dashboards.grafanaOperator.enabled (not $v.dashboards.enabled) }}
{{- fail "dashboards.grafanaOperator needs the ConfigMaps of dashboards.enabled: true; empty dashboards.labels where a sidecar would load them, too" }}
{{- end }}
{{- end }}
