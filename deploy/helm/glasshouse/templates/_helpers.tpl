{{- /* At most 45 characters: a StatefulSet's name, with "-worker" behind it, becomes a label with eleven more. Without the dots that a
release may have in its name, and that a Service may not. */ -}}
{{- define "glasshouse.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 45 | trimSuffix "-" }}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | replace "." "-" | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "glasshouse.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "glasshouse.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "glasshouse.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "glasshouse.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "glasshouse.fullname" .) .Values.serviceAccount.name }}
{{- else }}{{ default "default" .Values.serviceAccount.name }}{{ end -}}
{{- end -}}

{{- define "glasshouse.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end -}}
{{- end -}}

{{- /* The enabled workloads as JSON: {name: {settings, roles}}. What a workload does not set is that of `defaults`. */ -}}
{{- define "glasshouse.workloads" -}}
{{- $all := dict -}}
{{- range $name, $own := .Values.roles -}}
{{- if $own.enabled -}}
{{- $workload := mergeOverwrite (deepCopy $.Values.defaults) (deepCopy $own) -}}
{{- $_ := set $workload "roles" (ternary (list "api" "edge" "render" "worker") (list $name) (eq $name "all")) -}}
{{- $_ := set $all $name $workload -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{- /* Settings as variables, `GLASSHOUSE_SECTION__KEY: "value"`. Lists and maps are JSON; numbers too, which else become 1e+06. */ -}}
{{- define "glasshouse.variables" -}}
{{- $prefix := .prefix -}}
{{- range $key, $value := .settings -}}
{{- $name := printf "%s%s" $prefix (upper $key) -}}
{{- if and (kindIs "map" $value) (ne $name "GLASSHOUSE_NETWORK__HOSTS") }}
{{- include "glasshouse.variables" (dict "prefix" (printf "%s__" $name) "settings" $value) }}
{{- else if kindIs "string" $value }}
{{ $name }}: {{ $value | quote }}
{{- else if not (kindIs "invalid" $value) }}
{{ $name }}: {{ toJson $value | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Address of the dashboard: as set, else the Ingress's host, with https where the Ingress has a certificate. */ -}}
{{- define "glasshouse.publicUrl" -}}
{{- $host := printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecretName "")) .Values.ingress.host -}}
{{- dig "server" "public_url" "" .Values.config | default (ternary $host "" .Values.ingress.enabled) -}}
{{- end -}}

{{- define "glasshouse.listen" -}}
{{- printf "%s:%d" (ternary "[::]" .root.Values.listenAddress (eq .root.Values.listenAddress "::")) (int .port) -}}
{{- end -}}

{{- define "glasshouse.terminationGracePeriodSeconds" -}}
{{- $needed := add (int .Values.drainSeconds) (int .Values.shutdownGraceSeconds) -}}
{{- if .Values.terminationGracePeriodSeconds }}{{ int .Values.terminationGracePeriodSeconds }}{{ else }}{{ add $needed 15 }}{{ end -}}
{{- end -}}

{{- /* What the schema cannot say. Each refusal names the key. */ -}}
{{- define "glasshouse.validate" -}}
{{- if not (regexMatch "^[a-z]" (include "glasshouse.fullname" .)) -}}
{{- fail (printf "fullnameOverride: %s, made from the name of the release, does not begin with a letter, as names of Services must; set one" (include "glasshouse.fullname" .)) -}}
{{- end -}}
{{- $workloads := include "glasshouse.workloads" . | fromJson -}}
{{- $roles := list -}}
{{- $isOnePod := eq (len $workloads) 1 -}}
{{- range $name, $workload := $workloads -}}
{{- $roles = concat $roles $workload.roles -}}
{{- if or $workload.autoscaling.enabled (gt (int $workload.replicaCount) 1) -}}{{- $isOnePod = false -}}{{- end -}}
{{- if and $workload.autoscaling.enabled (gt (int $workload.autoscaling.minReplicas) (int $workload.autoscaling.maxReplicas)) -}}
{{- fail (printf "roles.%s.autoscaling.minReplicas (%d) is more than maxReplicas (%d)" $name (int $workload.autoscaling.minReplicas) (int $workload.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- if and $workload.autoscaling.enabled (not $workload.autoscaling.targetCPUUtilizationPercentage) -}}
{{- if not (has "render" $workload.roles) -}}
{{- fail (printf "roles.%s.autoscaling.targetCPUUtilizationPercentage is needed: pods without browsers do not grow with waiting renders" $name) -}}
{{- else if not $workload.autoscaling.targetWaitingRenders -}}
{{- fail (printf "roles.%s.autoscaling needs targetWaitingRenders or targetCPUUtilizationPercentage" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (hasKey $workloads "all") (gt (len $workloads) 1) (not (hasKey $workloads "render")) -}}
{{- fail "roles.all runs every role: disable it (roles.all.enabled: false), or add nothing but roles.render for more browsers" -}}
{{- end -}}
{{- range $role := list "api" "edge" "render" "worker" -}}
{{- if not (has $role $roles) -}}
{{- fail (printf "roles.%s.enabled: nothing runs the role %s; enable it, or roles.all" $role $role) -}}
{{- end -}}
{{- end -}}
{{- if not $isOnePod -}}
{{- /* Three periods of the readiness probe of _pod.tpl. */ -}}
{{- if lt (int .Values.drainSeconds) 9 -}}{{- fail (printf "drainSeconds (%d): with more than one pod at least 9, the time in which a readiness probe is noticed; requests are lost otherwise" (int .Values.drainSeconds)) -}}{{- end -}}
{{- if not .Values.database.existingSecret -}}{{- fail "database.existingSecret: more than one pod needs PostgreSQL; name a Secret with its address" -}}{{- end -}}
{{- if not .Values.objectStore.url -}}{{- fail "objectStore.url: more than one pod needs a bucket, s3://BUCKET/PREFIX" -}}{{- end -}}
{{- if not .Values.secret.existingSecret -}}{{- fail "secret.existingSecret: more than one pod needs a common secret; name a Secret with it" -}}{{- end -}}
{{- else -}}
{{- if and (not (index $workloads "all").persistence.enabled) (or (not .Values.database.existingSecret) (not .Values.objectStore.url) (not .Values.secret.existingSecret)) -}}
{{- fail "roles.all.persistence.enabled: without a volume all data are lost with the pod; enable it, or set database.existingSecret, objectStore.url and secret.existingSecret" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.terminationGracePeriodSeconds (le (int .Values.terminationGracePeriodSeconds) (int (add (int .Values.drainSeconds) (int .Values.shutdownGraceSeconds)))) -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be more than drainSeconds and shutdownGraceSeconds together (%d)" (int .Values.terminationGracePeriodSeconds) (add (int .Values.drainSeconds) (int .Values.shutdownGraceSeconds))) -}}
{{- end -}}
{{- end -}}
