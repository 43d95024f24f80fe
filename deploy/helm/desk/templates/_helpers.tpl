{{- define "desk.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 30 | trimSuffix "-" -}}
{{- end -}}

{{- define "desk.account" -}}
{{ include "desk.name" . }}
{{- end -}}

{{/* A build's name in the names of objects: 0.2.0 is 0-2-0. */}}
{{- define "desk.suffix" -}}
{{- regexReplaceAll "[^a-z0-9-]+" (lower .) "-" | trimAll "-" -}}
{{- end -}}

{{/* All builds that have workers: the newest, and those whose runs are open yet. */}}
{{- define "desk.builds" -}}
{{- $newest := dict "build" .Values.build "digest" .Values.image.digest -}}
{{- toJson (prepend .Values.draining $newest) -}}
{{- end -}}

{{/* The queues that a role polls. */}}
{{- define "desk.queues" -}}
{{- if eq .role "sources" -}}
{{- $queues := list -}}
{{- range .Values.sources }}{{ $queues = append $queues (printf "source.%s" .) }}{{ end -}}
{{- toJson $queues -}}
{{- else if eq .role "orchestrator" -}}
["desk"]
{{- else -}}
{{- toJson (list .role) -}}
{{- end -}}
{{- end -}}

{{- define "desk.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Variables out of a secret, each of which may be missing there. */}}
{{- define "desk.secret" -}}
{{- if .secret }}
{{- range .names }}
- name: {{ . }}
  valueFrom:
    secretKeyRef: { name: {{ $.secret | quote }}, key: {{ . }}, optional: true }
{{- end }}
{{- end }}
{{- end -}}

{{/* How the server is reached, by workers and by Temporal's command line. */}}
{{- define "desk.connection" -}}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- if .Values.temporal.tlsSecret }}
- { name: TEMPORAL_TLS, value: "true" }
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/temporal/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/temporal/tls.key }
{{- if .Values.temporal.tlsCa }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/temporal/ca.crt }
{{- end }}
{{- end }}
{{- end -}}

{{- define "desk.pod" -}}
serviceAccountName: {{ include "desk.account" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "desk.hardened" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "desk.mounts" -}}
- { name: home, mountPath: /data/desk }
- { name: reports, mountPath: /data/reports }
- { name: tmp, mountPath: /tmp }
{{- if .Values.temporal.tlsSecret }}
- { name: temporal-tls, mountPath: /etc/temporal, readOnly: true }
{{- end }}
{{- if .Values.configMap }}
- { name: configuration, mountPath: /app, readOnly: true }
{{- end }}
{{- end -}}

{{/* Each pod has a home of its own: what workers share is in the store. */}}
{{- define "desk.volumes" -}}
- { name: home, emptyDir: {} }
- { name: reports, emptyDir: {} }
- { name: tmp, emptyDir: {} }
{{- if .Values.temporal.tlsSecret }}
- { name: temporal-tls, secret: { secretName: {{ .Values.temporal.tlsSecret | quote }} } }
{{- end }}
{{- if .Values.configMap }}
- { name: configuration, configMap: { name: {{ .Values.configMap | quote }} } }
{{- end }}
{{- end -}}

{{- define "desk.environment" -}}
{{- $values := .Values -}}
{{ include "desk.connection" . }}
- { name: DESK_VERSIONING, value: pinned }
- { name: DESK_BUILD_ID, value: {{ .version.build | quote }} }
- { name: DESK_HOME, value: /data/desk }
- { name: DESK_REPORTS, value: /data/reports }
- { name: DESK_METRICS, value: "0.0.0.0:9464" }
- { name: LOG_JSON, value: "1" }
{{- with $values.temporal.uiUrl }}
- { name: DESK_UI_URL, value: {{ . | quote }} }
{{- end }}
- { name: DESK_STORE, value: {{ $values.store.url | quote }} }
- { name: DESK_STORE_REGION, value: {{ $values.store.region | quote }} }
{{- with $values.store.endpoint }}
- { name: DESK_STORE_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := $values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- include "desk.secret" (dict "secret" $values.secrets.store "names" (list "DESK_STORE_ACCESS_KEY_ID" "DESK_STORE_SECRET_ACCESS_KEY")) }}
{{- include "desk.secret" (dict "secret" $values.secrets.payloads "names" (list "DESK_PAYLOAD_KEYS")) }}
{{- if eq .role "sources" }}
- { name: DESK_MCP_TRANSPORT, value: configured }
{{- include "desk.secret" (dict "secret" $values.secrets.sources "names" (list "REUTERS_API_TOKEN" "LSEG_APP_KEY" "LSEG_USERNAME" "LSEG_PASSWORD" "LSEG_CLIENT_ID" "LSEG_CLIENT_SECRET")) }}
{{- else if eq .role "serve" }}
{{- include "desk.secret" (dict "secret" $values.secrets.serve "names" (list "DESK_SERVE_TOKEN")) }}
{{- else }}
{{- include "desk.secret" (dict "secret" $values.secrets.model "names" (list "ANTHROPIC_API_KEY")) }}
{{- end }}
{{- if eq .role "orchestrator" }}
{{- include "desk.secret" (dict "secret" $values.secrets.deliveries "names" (list "SMTP_PASSWORD" "SLACK_WEBHOOK_URL" "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" "AWS_SESSION_TOKEN")) }}
{{- include "desk.secret" (dict "secret" $values.secrets.signing "names" (list "DESK_SIGNING_KEY")) }}
{{- end }}
{{- end -}}
