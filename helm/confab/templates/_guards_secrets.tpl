{{/* Keys of the configuration whose values are secret. http_headers and proxy_url may be. */}}
{{- define "confab.secretNames" -}}
[api_key, app_token, bearer_token, bot_token, client_secret, headers, password, salt, secret_key, secrets, token, webhook_url]
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
{{- if $admin.tls }}
{{- fail "config.admin.tls is set by the chart, for the probes: use metrics.tls.existingSecret" }}
{{- end }}
{{- range $name := list "serviceMonitor" "podMonitor" }}
{{- $own := index $v $name }}
{{- if $own.enabled }}
{{- if and $v.metrics.tls.existingSecret (not $own.tlsConfig) }}
{{- fail (printf "%s.tlsConfig is missing: Prometheus reaches pods by address, so name the serverName and ca of the certificate" $name) }}
{{- end }}
{{- if and $own.tlsConfig (not (or $open $v.metrics.tls.existingSecret)) }}
{{- fail (printf "%s.tlsConfig has no effect: set metrics.tls.existingSecret, or remove it" $name) }}
{{- end }}
{{- if and $v.metrics.existingSecret (not $own.authorization) }}
{{- fail (printf "%s has no login, but metrics.existingSecret asks for one: set %s.authorization" $name $name) }}
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
