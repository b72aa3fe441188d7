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

{{- define "confab.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "confab.selectorLabels" -}}
app.kubernetes.io/name: {{ include "confab.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Labels of pods: nothing that changes with every version of the chart, which would restart them. */}}
{{- define "confab.podLabels" -}}
{{ include "confab.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "confab.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "confab.podLabels" . }}
{{- end }}

{{/* Labels of pods of Jobs and tests, which no Service and no Deployment may select. */}}
{{- define "confab.jobLabels" -}}
{{- $own := dict "app.kubernetes.io/name" (printf "%s-job" (include "confab.name" .root)) "app.kubernetes.io/component" .component }}
{{- toYaml (merge $own (include "confab.podLabels" .root | fromYaml)) }}
{{- end }}

{{/* Annotations of an object: those given, over the common ones. */}}
{{- define "confab.annotations" -}}
{{- with merge (dict) (.own | default dict) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Metadata of an object: name suffix, component, own annotations and labels. */}}
{{- define "confab.metadata" -}}
{{- $name := include "confab.fullname" .root -}}
name: {{ with .suffix }}{{ printf "%s-%s" $name . }}{{ else }}{{ $name }}{{ end }}
namespace: {{ include "confab.namespace" .root }}
labels:
  {{- include "confab.labels" .root | nindent 2 }}
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with include "confab.annotations" (dict "root" .root "own" .annotations) }}{{ . | nindent 0 }}{{ end }}
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
{{- with default .Values.image.registry (.Values.global | default dict).imageRegistry }}{{ $name = printf "%s/%s" . $name }}{{ end }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* Secrets to pull the image with: the chart's, and those of all charts. A name alone is accepted among the latter. */}}
{{- define "confab.pullSecrets" -}}
{{- $all := .Values.imagePullSecrets | default list }}
{{- range (.Values.global | default dict).imagePullSecrets }}
{{- $all = append $all (ternary (dict "name" .) . (kindIs "string" .)) }}
{{- end }}
{{- with uniq $all }}{{ toYaml . }}{{ end }}
{{- end }}

{{/* The workloads to make, as YAML: a component, its kind, its roles, and whose size it has. serve and ui are always alone. */}}
{{- define "confab.workloads" -}}
{{- $enabled := list }}
{{- range list "detect" "sample" "alert" "export" }}
{{- if (index $.Values.roles .).enabled }}{{ $enabled = append $enabled . }}{{ end }}
{{- end }}
{{- $kind := .Values.workload.kind }}
{{- if and .Values.roles.combined $enabled }}
- {component: worker, kind: {{ $kind }}, size: detect, roles: [{{ join ", " $enabled }}]}
{{- else }}
{{- range $enabled }}
- {component: {{ . }}, kind: {{ $kind }}, size: {{ . }}, roles: [{{ . }}]}
{{- end }}
{{- end }}
{{- range list "serve" "ui" }}
{{- if (index $.Values.roles .).enabled }}
- {component: {{ . }}, kind: Deployment, size: {{ . }}, roles: [{{ . }}]}
{{- end }}
{{- end }}
{{- end }}

{{/* All enabled roles, as a YAML list. */}}
{{- define "confab.enabledRoles" -}}
{{- range list "detect" "sample" "alert" "export" "serve" "ui" }}
{{- if (index $.Values.roles .).enabled }}
- {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The configuration of a role, as YAML. serve and ui have files of their own, whose logins no other pod can read. */}}
{{- define "confab.configOf" -}}
{{- $without := list }}
{{- range list "serve" "ui" }}
{{- if and (index $.root.Values.roles .).enabled (ne . $.role) }}{{ $without = append $without . }}{{ end }}
{{- end }}
{{- $config := deepCopy (.root.Values.config | default dict) }}
{{- range $without }}{{ $config = omit $config . }}{{ end }}
{{- toYaml $config }}
{{- end }}

{{/* The name of the file, without .yaml, of a pod with roles. */}}
{{- define "confab.fileOf" -}}
{{- if .root.Values.existingConfigMap -}}
confab
{{- else if has .component (list "serve" "ui") -}}
{{ .component }}
{{- else -}}
confab
{{- end }}
{{- end }}

{{/* The files of the ConfigMap. */}}
{{- define "confab.configFiles" -}}
confab.yaml: |
  {{- include "confab.configOf" (dict "root" . "role" "") | nindent 2 }}
{{- range list "serve" "ui" }}
{{- if (index $.Values.roles .).enabled }}
{{ . }}.yaml: |
  {{- include "confab.configOf" (dict "root" $ "role" .) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Bytes of a size as in confab.yaml, such as 1MiB. */}}
{{- define "confab.bytes" -}}
{{- $text := toString . | trim }}
{{- $number := regexFind "^[0-9]+" $text | int64 }}
{{- $unit := regexFind "[a-zA-Z]+$" $text }}
{{- mul $number (get (dict "" 1 "B" 1 "kB" 1000 "KB" 1000 "MB" 1000000 "GB" 1000000000 "KiB" 1024 "MiB" 1048576 "GiB" 1073741824) $unit | default 1 | int64) }}
{{- end }}

{{/* Bytes of a Kubernetes quantity, such as 512Mi or 1.5G. */}}
{{- define "confab.quantity" -}}
{{- $text := . | toString | trim }}
{{- if kindIs "float64" . }}{{ $text = printf "%.0f" . }}{{ end }}
{{- $number := regexFind "^[0-9.]+" $text | float64 }}
{{- $unit := regexFind "[A-Za-z]+$" $text }}
{{- $factor := get (dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776) $unit }}
{{- if not $factor }}{{ fail (printf "memory limit %s: use a unit such as Mi or Gi" $text) }}{{ end }}
{{- mulf $number $factor | floor | int64 }}
{{- end }}
