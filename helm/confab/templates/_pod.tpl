{{/* The variables of every container of Confab. */}}
{{- define "confab.env" -}}
{{- $v := .root.Values }}
- name: CONFAB_CONFIG # also for `kubectl exec ... -- confab topics plan`
  value: /etc/confab/config/{{ .file | default "confab.yaml" }}
{{- if $v.kafka.tls.existingSecret }}
- name: CONFAB_KAFKA_TLS_ENABLED
  value: "true"
{{- end }}
{{- range $s := .secrets }}
{{- range $variable, $key := $s.files }}
{{- if $key }}
- name: {{ $variable }}
  value: /etc/confab/secrets/{{ $s.name }}/{{ $key }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The settings of the Go runtime, from the container's limits. A variable of extraEnv wins. */}}
{{- define "confab.runtimeEnv" -}}
{{- $given := list }}
{{- range .root.Values.extraEnv }}{{ $given = append $given .name }}{{ end }}
{{- $limits := (.resources | default dict).limits | default dict }}
{{- $vpa := .root.Values.verticalAutoscaling }}
{{- $resized := and $vpa.enabled (ne $vpa.updateMode "Off") (has "memory" $vpa.controlledResources) }}
{{- if and .root.Values.useGomemlimit $limits.memory (not $resized) (not (has "GOMEMLIMIT" $given)) }}
- name: GOMEMLIMIT # bytes
  value: {{ mulf (include "confab.quantity" $limits.memory | float64) .root.Values.gomemlimitRatio | floor | int64 | quote }}
{{- end }}
{{- if and .root.Values.useGomaxprocs $limits.cpu (not (has "GOMAXPROCS" $given)) }}
- name: GOMAXPROCS
  valueFrom:
    resourceFieldRef: {containerName: confab, resource: limits.cpu, divisor: "1"}
{{- end }}
{{- end }}

{{/* The mounts and volumes of configuration and secrets. */}}
{{- define "confab.mounts" -}}
- name: config # the directory, not a subPath, so that the file follows the ConfigMap
  mountPath: /etc/confab/config
  readOnly: true
{{- range .secrets }}
- name: {{ .name }}
  mountPath: /etc/confab/secrets/{{ .name }}
  readOnly: true
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "confab.volumes" -}}
- name: config
  configMap:
    name: {{ .configMap }}
{{- range .secrets }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The fields of a pod that say where it runs. */}}
{{- define "confab.placement" -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "hostAliases" "dnsConfig" }}
{{- with index $.Values $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- range $key := list "priorityClassName" "runtimeClassName" "schedulerName" "dnsPolicy" }}
{{- with index $.Values $key }}
{{ $key }}: {{ . }}
{{- end }}
{{- end }}
{{- if kindIs "bool" .Values.hostUsers }}
hostUsers: {{ .Values.hostUsers }}
{{- end }}
{{- end }}

{{/* The pod template of a workload. */}}
{{- define "confab.podTemplate" -}}
{{- $v := .root.Values }}
{{- $size := index $v.roles .workload.size }}
{{- $secrets := include "confab.secrets" (dict "root" .root "roles" .workload.roles) | fromYamlArray }}
{{- $listens := has .workload.component (list "serve" "ui") }}
{{- $kafka := ($v.config | default dict).kafka | default dict }}
{{- $file := include "confab.fileOf" (dict "root" .root "component" .workload.component "roles" .workload.roles) }}
metadata:
  labels:
    {{- $own := include "confab.podLabels" .root | fromYaml }}
    {{- toYaml (set (merge $own $v.podLabels) "app.kubernetes.io/component" .workload.component) | nindent 4 }}
  {{- $notes := dict }}
  {{- if and $v.rollOnConfigChange (not $v.existingConfigMap) }}
  {{- $role := $file | replace "confab" "" }}
  {{- $notes = dict "checksum/config" (include "confab.configOf" (dict "root" .root "role" $role) | sha256sum) }}
  {{- end }}
  {{- with include "confab.annotations" (dict "root" .root "own" (merge $notes $v.podAnnotations)) }}{{ . | nindent 2 }}{{ end }}
spec:
  serviceAccountName: {{ include "confab.serviceAccountName" .root }}
  automountServiceAccountToken: {{ $v.serviceAccount.automount }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $v.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml $v.podSecurityContext | nindent 4 }}
  {{- with include "confab.pullSecrets" .root }}
  imagePullSecrets:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with include "confab.placement" .root | trim }}{{ . | nindent 2 }}{{ end }}
  {{- with $v.initContainers }}
  initContainers:
    {{- tpl (toYaml .) $.root | nindent 4 }}
  {{- end }}
  containers:
    - name: confab
      image: {{ include "confab.image" .root | quote }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      {{- with $v.command }}
      command:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      args:
        - run
        - --roles={{ join "," .workload.roles }}
        {{- with $v.extraArgs }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      env:
        {{- include "confab.env" (dict "root" .root "secrets" $secrets "file" (printf "%s.yaml" $file)) | trim | nindent 8 }}
        - name: CONFAB_ADMIN_LISTEN
          value: {{ printf "0.0.0.0:%d" (int $v.metrics.port) }}
        {{- if $listens }}
        - name: CONFAB_{{ upper .workload.component }}_LISTEN
          value: {{ printf "0.0.0.0:%d" (int (index $v .workload.component).port) }}
        {{- end }}
        {{- if and $v.workload.staticMembership (not $listens) }}
        - name: CONFAB_KAFKA_INSTANCE_ID
          valueFrom:
            fieldRef: {fieldPath: metadata.name}
        {{- if and (eq .workload.kind "Deployment") (not (hasKey $kafka "leave_on_exit")) }}
        - name: CONFAB_KAFKA_LEAVE_ON_EXIT # the pod that replaces this one has another name
          value: "true"
        {{- end }}
        {{- end }}
        {{- with include "confab.runtimeEnv" (dict "root" .root "resources" $size.resources) | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with $v.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $v.extraEnvFrom }}
      envFrom:
        {{- tpl (toYaml .) $.root | nindent 8 }}
      {{- end }}
      ports:
        - name: metrics
          containerPort: {{ $v.metrics.port }}
        {{- if $listens }}
        - name: http
          containerPort: {{ (index $v .workload.component).port }}
        {{- end }}
      {{- range $name := list "startupProbe" "livenessProbe" "readinessProbe" }}
      {{- $path := ternary "/readyz" "/livez" (eq $name "readinessProbe") }}
      {{ $name }}:
        {{- $get := dict "path" $path "port" "metrics" }}
        {{- if $v.metrics.tls.existingSecret }}{{ $_ := set $get "scheme" "HTTPS" }}{{ end }}
        {{- merge (dict "httpGet" $get) (index $v $name) | toYaml | nindent 8 }}
      {{- end }}
      {{- with $v.lifecycle }}
      lifecycle:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $size.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml $v.securityContext | nindent 8 }}
      volumeMounts:
        {{- include "confab.mounts" (dict "root" .root "secrets" $secrets) | trim | nindent 8 }}
    {{- with $v.extraContainers }}
    {{- tpl (toYaml .) $.root | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "confab.volumes" (dict "root" .root "secrets" $secrets "configMap" (include "confab.configMapName" .root)) | trim | nindent 4 }}
{{- end }}

{{/* Whether a scaler owns the number of replicas of a workload. */}}
{{- define "confab.isScaled" -}}
{{- $size := index .root.Values.roles .workload.size }}
{{- if or (($size.autoscaling | default dict).enabled) (($size.keda | default dict).enabled) $size.externalScaler }}true{{ end }}
{{- end }}

{{/* The pod of a command of Confab: `topics apply`, `doctor`. */}}
{{- define "confab.commandPod" -}}
{{- $v := .root.Values }}
{{- $roles := .roles }}
{{- $secrets := include "confab.secrets" (dict "root" .root "roles" (without $roles "serve" "ui")) | fromYamlArray }}
restartPolicy: Never
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: {{ $v.serviceAccount.automount }}
enableServiceLinks: false
securityContext:
  {{- toYaml $v.podSecurityContext | nindent 2 }}
{{- with include "confab.pullSecrets" .root }}
imagePullSecrets:
  {{- . | nindent 2 }}
{{- end }}
{{- with include "confab.placement" .root | trim }}{{ . | nindent 0 }}{{ end }}
containers:
  - name: confab
    image: {{ default (include "confab.image" .root) .image | quote }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
    {{- with $v.command }}
    command:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    args:
      {{- toYaml .args | nindent 6 }}
    env:
      {{- include "confab.env" (dict "root" .root "secrets" $secrets "file" "confab.yaml") | trim | nindent 6 }}
      - name: CONFAB_ROLES
        value: {{ join "," $roles }}
      {{- with $v.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with $v.extraEnvFrom }}
    envFrom:
      {{- tpl (toYaml .) $.root | nindent 6 }}
    {{- end }}
    {{- with .resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      {{- toYaml $v.securityContext | nindent 6 }}
    volumeMounts:
      {{- include "confab.mounts" (dict "root" .root "secrets" $secrets) | trim | nindent 6 }}
volumes:
  {{- include "confab.volumes" (dict "root" .root "secrets" $secrets "configMap" .configMap) | trim | nindent 2 }}
{{- end }}
