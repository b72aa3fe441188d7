{{/* Guards of the roles that listen. */}}
{{- define "confab.guards.listeners" -}}
{{- $v := .Values }}
{{- $config := $v.config | default dict }}
{{- $open := or $v.existingConfigMap $v.extraEnv $v.extraEnvFrom }}
{{- $ports := dict (toString $v.metrics.port) "metrics.port" }}
{{- range $role := list "serve" "ui" }}
{{- $own := index $v $role }}
{{- $given := index $config $role | default dict }}
{{- if (index $v.roles $role).enabled }}
{{- if hasKey $given "listen" }}
{{- fail (printf "config.%s.listen is set by the chart: use %s.port" $role $role) }}
{{- end }}
{{- $auth := $given.auth | default dict }}
{{- if not (or $open $auth.logins ($auth.proxy | default dict).user_header) }}
{{- fail (printf "roles.%s is open to everybody: set config.%s.auth, with tokens or hashes in %s.existingSecret" $role $role $role) }}
{{- end }}
{{- if eq (int $own.port) (int $v.metrics.port) }}
{{- fail (printf "%s.port and metrics.port are the same: choose another" $role) }}
{{- end }}
{{- else if or $own.existingSecret $own.tls.existingSecret }}
{{- fail (printf "%s.existingSecret has no effect: set roles.%s.enabled: true, or remove it" $role $role) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Guards of scalers. */}}
{{- define "confab.guards.scaling" -}}
{{- $v := .Values }}
{{- $kafka := ($v.config | default dict).kafka | default dict }}
{{- range $name, $size := $v.roles }}
{{- if kindIs "map" $size }}
{{- $hpa := $size.autoscaling | default dict }}
{{- $keda := $size.keda | default dict }}
{{- $on := list }}
{{- if $hpa.enabled }}{{ $on = append $on "autoscaling" }}{{ end }}
{{- if $keda.enabled }}{{ $on = append $on "keda" }}{{ end }}
{{- if $size.externalScaler }}{{ $on = append $on "externalScaler" }}{{ end }}
{{- if gt (len $on) 1 }}
{{- fail (printf "roles.%s has two scalers, %s: keep one, or they undo each other's work" $name (join " and " $on)) }}
{{- end }}
{{- if and $on (not $size.enabled) }}
{{- fail (printf "roles.%s.%s has no effect: set roles.%s.enabled: true, or remove it" $name (first $on) $name) }}
{{- end }}
{{- if and $on $v.roles.combined (has $name (list "sample" "export")) }}
{{- fail (printf "roles.%s.%s has no effect: with roles.combined, roles.detect is the size of the one Deployment" $name (first $on)) }}
{{- end }}
{{- if and $on $v.roles.combined $v.roles.alert.enabled (eq $name "detect") }}
{{- fail "roles.combined with a scaler multiplies alert, whose replicas share Slack's limit: set combined: false" }}
{{- end }}
{{- if and $hpa.enabled (gt (int $hpa.minReplicas) (int $hpa.maxReplicas)) }}
{{- fail (printf "roles.%s.autoscaling: minReplicas is above maxReplicas" $name) }}
{{- end }}
{{- if and $hpa.enabled (not (or $hpa.targetCPUUtilizationPercentage $hpa.metrics)) }}
{{- fail (printf "roles.%s.autoscaling has no metric: set targetCPUUtilizationPercentage or metrics" $name) }}
{{- end }}
{{- if and $hpa.enabled $hpa.targetCPUUtilizationPercentage (not (dig "requests" "cpu" "" ($size.resources | default dict))) }}
{{- fail (printf "roles.%s.autoscaling by CPU needs roles.%s.resources.requests.cpu: it is a share of it" $name $name) }}
{{- end }}
{{- if and $keda.enabled (gt (int $keda.minReplicaCount) (int $keda.maxReplicaCount)) }}
{{- fail (printf "roles.%s.keda: minReplicaCount is above maxReplicaCount" $name) }}
{{- end }}
{{- if and $keda.enabled (not (or $v.keda.bootstrapServers $kafka.seed_brokers)) }}
{{- fail "keda.bootstrapServers is missing: KEDA asks the brokers for the lag, and the chart does not know them" }}
{{- end }}
{{- $mechanism := ($kafka.sasl | default dict).mechanism | default "" }}
{{- if and $keda.enabled (has $mechanism (list "OAUTHBEARER" "AWS_MSK_IAM")) (not $v.keda.authenticationRef) }}
{{- fail (printf "roles.%s.keda with config.kafka.sasl.mechanism %s needs keda.authenticationRef: KEDA logs in by itself, and the chart cannot make that login; write a TriggerAuthentication (docs/kubernetes.md, Scaling), or set roles.%s.autoscaling" $name $mechanism $name) }}
{{- end }}
{{- if and $keda.enabled (eq $mechanism "AWS_MSK_IAM") (not $v.keda.awsRegion) }}
{{- fail (printf "roles.%s.keda with config.kafka.sasl.mechanism AWS_MSK_IAM needs keda.awsRegion, such as eu-central-1" $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Guards of group membership and of the workload's kind. */}}
{{- define "confab.guards.groups" -}}
{{- $v := .Values }}
{{- $kafka := ($v.config | default dict).kafka | default dict }}
{{- if $kafka.instance_id }}
{{- fail "config.kafka.instance_id would be the same in every pod: remove it, workload.staticMembership sets the name of the pod" }}
{{- end }}
{{- if and (eq (toString $kafka.delivery) "exactly_once") (not (and $v.workload.staticMembership (eq $v.workload.kind "StatefulSet"))) }}
{{- fail "config.kafka.delivery: exactly_once needs stable member names: set workload.kind: StatefulSet and workload.staticMembership: true" }}
{{- end }}
{{- $rolling := $v.updateStrategy.rollingUpdate | default dict }}
{{- if and (eq $v.workload.kind "StatefulSet") (or (hasKey $rolling "maxSurge") (eq (toString $v.updateStrategy.type) "Recreate")) }}
{{- fail "updateStrategy is a Deployment's: a StatefulSet has no maxSurge and no Recreate" }}
{{- end }}
{{- range include "confab.workloads" . | fromYamlArray }}
{{- if and (eq .kind "StatefulSet") (gt (len (printf "%s-%s" (include "confab.fullname" $) .component)) 52) }}
{{- fail (printf "%s-%s is too long for a StatefulSet, whose pods have a label with it: set a shorter fullnameOverride" (include "confab.fullname" $) .component) }}
{{- end }}
{{- end }}
{{- if and (eq $v.workload.kind "StatefulSet") (not $v.metrics.enabled) }}
{{- fail "workload.kind: StatefulSet needs the headless Service of metrics.enabled" }}
{{- end }}
{{- end }}

{{/* Guards of the other objects. */}}
{{- define "confab.guards.objects" -}}
{{- $v := .Values }}
{{- if and $v.serviceMonitor.enabled $v.podMonitor.enabled }}
{{- fail "serviceMonitor and podMonitor are both enabled, which scrapes every pod twice: keep one" }}
{{- end }}
{{- if and $v.serviceMonitor.enabled (not $v.metrics.enabled) }}
{{- fail "serviceMonitor needs the Service: set metrics.enabled, or use podMonitor" }}
{{- end }}
{{- if and $v.strimzi.topics $v.topics.create }}
{{- fail "strimzi.topics and topics.create are both set: set topics.create: false" }}
{{- end }}
{{- if and (or $v.strimzi.topics $v.strimzi.user) (not $v.strimzi.cluster) }}
{{- fail "strimzi.cluster is missing: it names the Kafka object" }}
{{- end }}
{{- if and (or $v.strimzi.topics $v.strimzi.user) $v.existingConfigMap }}
{{- fail "strimzi reads names of topics and groups from config: it cannot see existingConfigMap" }}
{{- end }}
{{- $kafka := ($v.config | default dict).kafka | default dict }}
{{- $names := pick $kafka "consumer_group" "inputs" "topics" }}
{{- if include "confab.kedaEnabled" . }}
{{- if not $v.keda.bootstrapServers }}{{ $names = merge $names (pick $kafka "seed_brokers") }}{{ end }}
{{- if contains "${" (toYaml $names) }}
{{- fail "config.kafka refers to the environment, which KEDA cannot see: write out the groups and topics, and the brokers there or in keda.bootstrapServers" }}
{{- end }}
{{- end }}
{{- if and (or $v.strimzi.topics $v.strimzi.user) (contains "${" (toYaml (merge $names (pick $kafka "max_record_bytes")))) }}
{{- fail "config.kafka refers to the environment, which Strimzi cannot see: write out consumer_group, inputs, topics and max_record_bytes" }}
{{- end }}
{{- $known := dict }}
{{- range $file, $_ := .Files.Glob "monitoring/*.yaml" }}
{{- range ($.Files.Get $file | fromYaml).groups }}{{ range .rules }}{{ with .alert }}{{ $_ := set $known . true }}{{ end }}{{ end }}{{ end }}
{{- end }}
{{- range concat $v.prometheusRule.disabled (keys $v.prometheusRule.overrides) }}
{{- if not (hasKey $known .) }}
{{- fail (printf "prometheusRule names %s, which is no alert of monitoring/" .) }}
{{- end }}
{{- end }}
{{- end }}
