{{/* The lag that scales a workload, as YAML: topics with the groups that read them. */}}
{{- define "confab.lagTriggers" -}}
{{- $kafka := (.root.Values.config | default dict).kafka | default dict }}
{{- $topics := $kafka.topics | default dict }}
{{- $group := default "confab" $kafka.consumer_group }}
{{- if has "detect" .workload.roles }}
{{- range default (list (dict "topic" "llm.interactions")) $kafka.inputs }}
- {topic: {{ .topic | quote }}, group: {{ $group }}-detect}
{{- end }}
{{- end }}
{{- if has "sample" .workload.roles }}
- {topic: {{ default "llm.interactions.sampled" $topics.sampled | quote }}, group: {{ $group }}-sample}
{{- end }}
{{- end }}

{{/* Whether the broker's login or certificates come from Secrets, so that KEDA needs a TriggerAuthentication. */}}
{{- define "confab.kedaLogin" -}}
{{- if or .Values.kafka.existingSecret .Values.kafka.tls.existingSecret }}true{{ end }}
{{- end }}

{{- define "confab.kedaEnabled" -}}
{{- range $w := include "confab.workloads" . | fromYamlArray }}
{{- if ((index $.Values.roles $w.size).keda | default dict).enabled }}true{{ end }}
{{- end }}
{{- end }}
