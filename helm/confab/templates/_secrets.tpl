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
{{- with .root.Values.webhook }}
{{- if and .existingSecret (has "alert" $.roles) }}
- name: webhook
  secret: {{ .existingSecret }}
  files:
    CONFAB_ALERTING_WEBHOOK_URL_FILE: {{ .secretKeys.url | quote }}
    CONFAB_ALERTING_WEBHOOK_SECRETS_FILE: {{ .secretKeys.secrets | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.metrics }}
{{- if .existingSecret }}
- name: metrics
  secret: {{ .existingSecret }}
  files:
    CONFAB_ADMIN_TOKEN_FILE: {{ .secretKeys.token | quote }}
{{- end }}
{{- if .tls.existingSecret }}
- name: metrics-tls
  secret: {{ .tls.existingSecret }}
  files:
    CONFAB_ADMIN_TLS_CERT_FILE: {{ .tls.secretKeys.cert | quote }}
    CONFAB_ADMIN_TLS_KEY_FILE: {{ .tls.secretKeys.key | quote }}
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
{{- range $role := list "serve" "ui" }}
{{- $own := index $.root.Values $role }}
{{- if or (has $role $.roles) (and $.root.Values.existingConfigMap (index $.root.Values.roles $role).enabled) }}
{{- if $own.existingSecret }}
- name: {{ $role }}
  secret: {{ $own.existingSecret }}
  files: {}
{{- end }}
{{- if and $own.tls.existingSecret (has $role $.roles) }}
- name: {{ $role }}-tls
  secret: {{ $own.tls.existingSecret }}
  files:
    CONFAB_{{ upper $role }}_TLS_CERT_FILE: {{ $own.tls.secretKeys.cert | quote }}
    CONFAB_{{ upper $role }}_TLS_KEY_FILE: {{ $own.tls.secretKeys.key | quote }}
    CONFAB_{{ upper $role }}_TLS_CLIENT_CA_FILE: {{ $own.tls.secretKeys.clientCa | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
