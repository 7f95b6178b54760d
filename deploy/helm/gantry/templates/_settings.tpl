{{/* The settings of a component as JSON: the chart's, then those of both apps, then its own. */}}
{{- define "gantry.settings" -}}
{{- $own := (index .root.Values (ternary "api" .component (eq .component "migrations"))).settings -}}
{{- $chart := dict "HOST" "0.0.0.0" "METRICS_PORT" 9464 -}}
{{- if ne .component "worker" -}}{{- $_ := set $chart "PORT" 3000 -}}{{- end -}}
{{- mustMergeOverwrite (dict) $chart (deepCopy .root.Values.settings) (deepCopy $own) | toJson -}}
{{- end -}}

{{/* A setting as text: YAML's whole numbers arrive as floats, which would be shown as 1e+06. */}}
{{- define "gantry.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* The number of seconds that a component has to stop. */}}
{{- define "gantry.shutdownSeconds" -}}
{{- (include "gantry.settings" . | fromJson).SHUTDOWN_SECONDS | default 15 | ceil | int64 -}}
{{- end -}}

{{/* A component's port for metrics and health. */}}
{{- define "gantry.metricsPort" -}}
{{- (include "gantry.settings" . | fromJson).METRICS_PORT | int64 -}}
{{- end -}}

{{/* The port of the API. */}}
{{- define "gantry.apiPort" -}}
{{- (include "gantry.settings" (dict "root" . "component" "api") | fromJson).PORT | int64 -}}
{{- end -}}

{{/* The name of the Secret that has a setting. Arguments: root, name. */}}
{{- define "gantry.secretName" -}}
{{- default .root.Values.secrets.existingSecret (index .root.Values.secrets .name).existingSecret -}}
{{- end -}}

{{/* The environment variables of a component's container. */}}
{{- define "gantry.env" -}}
{{- $ := .root -}}
{{- $component := .component -}}
{{- range $name, $value := include "gantry.settings" . | fromJson }}
- name: {{ $name }}
  value: {{ include "gantry.text" $value | quote }}
{{- end }}
{{- range $name, $secret := omit $.Values.secrets "existingSecret" }}
{{- $readers := dict "DATABASE_OWNER_URL" (list "migrations") "OIDC_CLIENT_SECRET" (list "api") "REDIS_URL" (list "api" "worker") "OTEL_EXPORTER_OTLP_HEADERS" (list "api" "worker") "DATABASE_DIRECT_URL" (list "api" "migrations") }}
{{- $isRead := has $component (get $readers $name | default (list "api" "worker" "migrations")) }}
{{- $secretName := include "gantry.secretName" (dict "root" $ "name" $name) }}
{{- if and $secretName $isRead }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $secretName }}
      key: {{ $secret.key }}
      optional: {{ $secret.optional }}
{{- end }}
{{- end }}
{{- with (index $.Values $component).extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
