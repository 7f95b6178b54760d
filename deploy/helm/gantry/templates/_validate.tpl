{{/* Fails with a sentence if a required value is missing, or a secret is among the settings. */}}
{{- define "gantry.validate" -}}
{{- if not .Values.image.registry -}}
{{- fail "image.registry is missing: set it to the registry that has your images of Gantry, such as registry.example.com/platform." -}}
{{- end -}}
{{- $secrets := omit .Values.secrets "existingSecret" -}}
{{- range $name, $secret := $secrets -}}
{{- if not (or $secret.optional (include "gantry.secretName" (dict "root" $ "name" $name))) -}}
{{- fail (printf "secrets.existingSecret is missing: set it to the name of the Secret that has the key %s, or set secrets.%s.existingSecret." $secret.key $name) -}}
{{- end -}}
{{- end -}}
{{- range $place, $settings := dict "settings" .Values.settings "api.settings" .Values.api.settings "worker.settings" .Values.worker.settings -}}
{{- range $name := keys $settings | sortAlpha -}}
{{- if hasKey $secrets $name -}}
{{- fail (printf "%s.%s is a secret and must not be in the values: put it into a Secret, and name that in secrets.%s.existingSecret and its key in secrets.%s.key." $place $name $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component, $ports := dict "api" (list "PORT" "METRICS_PORT") "worker" (list "METRICS_PORT") -}}
{{- $all := include "gantry.settings" (dict "root" $ "component" $component) | fromJson -}}
{{- range $ports -}}
{{- if le (int64 (index $all .)) 0 -}}
{{- fail (printf "settings.%s is not a port: set it to one from 1 to 65535, because the Services and probes need it." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.api.ingress.enabled (not .Values.api.ingress.host) -}}
{{- fail "api.ingress.host is missing: set it to the host name of the API, such as gantry.example.com." -}}
{{- end -}}
{{- with .Values.worker.keda -}}
{{- if and .enabled (not (or .triggers.prometheus.enabled .triggers.postgresql.enabled)) -}}
{{- fail "worker.keda has no trigger: set worker.keda.triggers.prometheus.enabled or worker.keda.triggers.postgresql.enabled to true." -}}
{{- end -}}
{{- if and .enabled .triggers.prometheus.enabled (not .triggers.prometheus.serverAddress) -}}
{{- fail "worker.keda.triggers.prometheus.serverAddress is missing: set it to the URL of Prometheus, such as http://prometheus.monitoring:9090." -}}
{{- end -}}
{{- end -}}
{{- end -}}
