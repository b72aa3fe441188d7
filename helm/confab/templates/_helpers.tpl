{{- define "confab.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "confab.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "confab.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "confab.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "confab.selectorLabels" -}}
app.kubernetes.io/name: {{ include "confab.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "confab.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "confab.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Annotations of an object: those given, over the common ones. */}}
{{- define "confab.annotations" -}}
{{- with merge (dict) (.own | default dict) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "confab.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "confab.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "confab.configMapName" -}}
{{- default (include "confab.fullname" .) .Values.existingConfigMap }}
{{- end }}

{{- define "confab.image" -}}
{{- $name := .Values.image.repository }}
{{- with .Values.image.registry }}{{ $name = printf "%s/%s" . $name }}{{ end }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The Deployments to make, as YAML: a component, its roles, and whose size it has. */}}
{{- define "confab.workloads" -}}
{{- $enabled := list }}
{{- range list "detect" "sample" "alert" "export" }}
{{- if (index $.Values.roles .).enabled }}{{ $enabled = append $enabled . }}{{ end }}
{{- end }}
{{- if .Values.roles.combined }}
- {component: worker, size: detect, roles: [{{ join ", " $enabled }}]}
{{- else }}
{{- range $enabled }}
- {component: {{ . }}, size: {{ . }}, roles: [{{ . }}]}
{{- end }}
{{- end }}
{{- end }}

{{/* The secrets to mount, as YAML: a volume, its secret, its files, and the variables that point at them. */}}
{{- define "confab.secrets" -}}
{{- with .root.Values.kafka }}
{{- if .existingSecret }}
- name: kafka
  secret: {{ .existingSecret }}
  files:
    CONFAB_KAFKA_SASL_PASSWORD_FILE: {{ .secretKeys.password }}
{{- end }}
{{- if .tls.existingSecret }}
- name: kafka-tls
  secret: {{ .tls.existingSecret }}
  files:
    CONFAB_KAFKA_TLS_CA_FILE: {{ .tls.secretKeys.ca | quote }}
    CONFAB_KAFKA_TLS_CERT_FILE: {{ .tls.secretKeys.cert | quote }}
    CONFAB_KAFKA_TLS_KEY_FILE: {{ .tls.secretKeys.key | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.schemaRegistry }}
{{- if .existingSecret }}
- name: schema-registry
  secret: {{ .existingSecret }}
  files:
    CONFAB_SCHEMA_REGISTRY_PASSWORD_FILE: {{ .secretKeys.password | quote }}
    CONFAB_SCHEMA_REGISTRY_TOKEN_FILE: {{ .secretKeys.token | quote }}
    CONFAB_SCHEMA_REGISTRY_CA_FILE: {{ .secretKeys.ca | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.slack }}
{{- if and .existingSecret (has "alert" $.roles) }}
- name: slack
  secret: {{ .existingSecret }}
  files:
    CONFAB_ALERTING_SLACK_WEBHOOK_URL_FILE: {{ .secretKeys.webhookUrl | quote }}
    CONFAB_ALERTING_SLACK_BOT_TOKEN_FILE: {{ .secretKeys.botToken | quote }}
    CONFAB_ALERTING_SLACK_APP_TOKEN_FILE: {{ .secretKeys.appToken | quote }}
    CONFAB_ALERTING_SLACK_SIGNING_SECRET_FILE: {{ .secretKeys.signingSecret | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.alertmanager }}
{{- if and .existingSecret (has "alert" $.roles) }}
- name: alertmanager
  secret: {{ .existingSecret }}
  files:
    CONFAB_ALERTING_ALERTMANAGER_PASSWORD_FILE: {{ .secretKeys.password | quote }}
    CONFAB_ALERTING_ALERTMANAGER_BEARER_TOKEN_FILE: {{ .secretKeys.bearerToken | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.export }}
{{- if and .existingSecret (has "export" $.roles) }}
- name: export
  secret: {{ .existingSecret }}
  files:
    CONFAB_EXPORT_LOGS_HEADERS_FILE: {{ .secretKeys.logs | quote }}
    CONFAB_EXPORT_TRACES_HEADERS_FILE: {{ .secretKeys.traces | quote }}
    CONFAB_EXPORT_PHOENIX_API_KEY_FILE: {{ .secretKeys.phoenix | quote }}
    CONFAB_EXPORT_LANGFUSE_SECRET_KEY_FILE: {{ .secretKeys.langfuse | quote }}
    CONFAB_EXPORT_OPIK_API_KEY_FILE: {{ .secretKeys.opik | quote }}
{{- end }}
{{- end }}
{{- if and .root.Values.llm.existingSecret (has "sample" $.roles) }}
{{- $llm := (.root.Values.config | default dict).llm | default dict }}
{{- $unknown := .root.Values.existingConfigMap }}
- name: llm
  secret: {{ .root.Values.llm.existingSecret }}
  files:
    {{- range $name, $key := .root.Values.llm.secretKeys }}
    {{- if or $unknown (get $llm $name) }}
    CONFAB_LLM_{{ upper $name }}_API_KEY_FILE: {{ $key | quote }}
    {{- end }}
    {{- end }}
{{- end }}
{{- with .root.Values.sampling }}
{{- if .existingSecret }}
- name: sampling
  secret: {{ .existingSecret }}
  files:
    CONFAB_SAMPLING_SALT_FILE: {{ .secretKeys.salt }}
{{- end }}
{{- end }}
{{- end }}
