{{- /* The pod of a workload. Takes {root, name, workload}. */ -}}
{{- define "glasshouse.pod" -}}
{{- $root := .root -}}{{- $workload := .workload -}}{{- $values := .root.Values -}}
metadata:
  labels:
    {{- with $workload.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
    {{- include "glasshouse.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
    {{- range $workload.roles }}
    glasshouse/role-{{ . }}: "true"
    {{- end }}
  annotations:
    checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
    {{- with $workload.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "glasshouse.serviceAccountName" $root }}
  automountServiceAccountToken: false
  # Variables such as GLASSHOUSE_PORT would only be warned about.
  enableServiceLinks: false
  {{- if not (kindIs "invalid" $values.hostUsers) }}
  hostUsers: {{ $values.hostUsers }}
  {{- end }}
  terminationGracePeriodSeconds: {{ include "glasshouse.terminationGracePeriodSeconds" $root }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ int $values.runAsUser }}
    runAsGroup: {{ int $values.runAsUser }}
    fsGroup: {{ int $values.runAsUser }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      {{- if has "render" $workload.roles }}
      type: {{ $values.seccompProfile.type }}
      {{- if eq $values.seccompProfile.type "Localhost" }}
      localhostProfile: {{ $values.seccompProfile.localhostProfile }}
      {{- end }}
      {{- else }}
      type: RuntimeDefault
      {{- end }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $workload.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $workload.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $workload.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $workload.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $workload.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- toYaml . | nindent 6 }}
      labelSelector:
        matchLabels:
          {{- include "glasshouse.selectorLabels" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $.name }}
    {{- end }}
  {{- end }}
  containers:
    - name: glasshouse
      image: {{ include "glasshouse.image" $root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [serve]
      envFrom:
        - configMapRef: {name: {{ include "glasshouse.fullname" $root }}}
        {{- with $workload.extraEnvFrom }}{{ toYaml . | nindent 8 }}{{ end }}
      env:
        - name: GLASSHOUSE_SERVER__ROLES
          value: {{ join "," $workload.roles | quote }}
        {{- with $values.database.existingSecret }}
        - name: GLASSHOUSE_STORAGE__DATABASE_URL
          valueFrom: {secretKeyRef: {name: {{ . }}, key: {{ $values.database.key }}}}
        {{- end }}
        {{- with $values.objectStore.existingSecret }}
        - name: GLASSHOUSE_STORAGE__S3_ACCESS_KEY_ID
          valueFrom: {secretKeyRef: {name: {{ . }}, key: {{ $values.objectStore.accessKeyIdKey }}}}
        - name: GLASSHOUSE_STORAGE__S3_SECRET_ACCESS_KEY
          valueFrom: {secretKeyRef: {name: {{ . }}, key: {{ $values.objectStore.secretAccessKeyKey }}}}
        {{- end }}
        {{- with $values.secret.existingSecret }}
        - name: GLASSHOUSE_EDGE__SECRET
          valueFrom: {secretKeyRef: {name: {{ . }}, key: {{ $values.secret.key }}}}
        {{- end }}
        {{- range $values.secretSettings }}
        - name: GLASSHOUSE_{{ .setting | replace "." "__" | upper }}
          valueFrom: {secretKeyRef: {name: {{ .secretName }}, key: {{ .key }}}}
        {{- end }}
        {{- with $workload.extraEnv }}{{ toYaml . | nindent 8 }}{{ end }}
      ports:
        {{- if has "api" $workload.roles }}
        - {name: api, containerPort: 3000}
        {{- end }}
        {{- if has "edge" $workload.roles }}
        - {name: edge-http, containerPort: 8080}
        {{- if $values.edgeTls.enabled }}
        - {name: edge-https, containerPort: 8443}
        {{- end }}
        {{- end }}
        - {name: metrics, containerPort: 9100}
      # All on the metrics listener, which every role has and which customers' connections cannot fill.
      # The first start makes the schema, which may take minutes on a large database.
      startupProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # About this pod alone. /readyz would empty the Service whenever the database is away.
      readinessProbe:
        httpGet: {path: /readyz/traffic, port: metrics}
        periodSeconds: 3
        timeoutSeconds: 2
        failureThreshold: 2
      resources: {{- toYaml $workload.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: data, mountPath: /var/lib/glasshouse}
        - {name: tmp, mountPath: /tmp}
        {{- with $workload.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    {{- if not $workload.persistence.enabled }}
    - {name: data, emptyDir: {}}
    {{- end }}
    - {name: tmp, emptyDir: {}}
    {{- with $workload.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end -}}
