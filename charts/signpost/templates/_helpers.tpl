{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{- define "signpost.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Names get endings and may have 63 octets in all. A long one ends in a hash of the whole, so that two do not become the same. */}}
{{- define "signpost.fullname" -}}
{{- $name := printf "%s-%s" .Release.Name (include "signpost.name" .) -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if contains (include "signpost.name" .) .Release.Name -}}
{{- $name = .Release.Name -}}
{{- end -}}
{{- if gt (len $name) 50 -}}
{{- $name = printf "%s-%s" ($name | trunc 41 | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- $name | trimSuffix "-" -}}
{{- end -}}

{{- define "signpost.selector" -}}
app.kubernetes.io/name: {{ include "signpost.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "signpost.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "signpost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "signpost.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "signpost.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The Service, for clients within the cluster: a name, since what has an IPv6 address only would need brackets. */}}
{{- define "signpost.serviceAddress" -}}
{{- printf "%s.%s.svc:%d" (include "signpost.fullname" .) .Release.Namespace (int .Values.service.port) -}}
{{- end -}}

{{/* An image: {repository, tag, digest}, and a tag for when it has none. */}}
{{- define "signpost.imageOf" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default (index . 1) $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "signpost.image" -}}
{{- include "signpost.imageOf" (list .Values.image .Chart.AppVersion) -}}
{{- end -}}

{{/* The kubelet itself can wait before it sends SIGTERM (1.30 and later); else signpost does. */}}
{{- define "signpost.canSleep" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version -}}yes{{- end -}}
{{- end -}}

{{- define "signpost.resolvers" -}}
{{- if eq .Values.resolver.mode "nodelocal" -}}
{{- list .Values.resolver.nodelocal.address | toJson -}}
{{- else if eq .Values.resolver.mode "sidecar" -}}
{{- list "127.0.0.1:5353" | toJson -}}
{{- else if eq .Values.resolver.mode "custom" -}}
{{- if not .Values.resolver.custom.addresses -}}
{{- fail "resolver.mode is custom: resolver.custom.addresses needs at least one address" -}}
{{- end -}}
{{- .Values.resolver.custom.addresses | toJson -}}
{{- else -}}
{{- list | toJson -}}
{{- end -}}
{{- end -}}

{{/* tls.default is mounted: out of tls.secrets, or by whoever mounts something at its folder or above it. */}}
{{- define "signpost.checkDefault" -}}
{{- $folder := printf "/etc/signpost/tls/%s/" .Values.tls.default -}}
{{- $found := dig "tls" "certificates" "" .Values.config -}}
{{- range .Values.tls.secrets -}}
{{- if eq .name $.Values.tls.default -}}{{- $found = "yes" -}}{{- end -}}
{{- end -}}
{{- range .Values.extraVolumeMounts -}}
{{- if hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) $folder -}}{{- $found = "yes" -}}{{- end -}}
{{- end -}}
{{- if not $found -}}
{{- fail (printf "tls.default is %q, which is the name of none of tls.secrets: signpost would not start; add {name: %q, secretName: …} to tls.secrets, or leave tls.default empty" .Values.tls.default .Values.tls.default) -}}
{{- end -}}
{{- end -}}

{{- define "signpost.acme" -}}
{{- if and .Values.tls.enabled .Values.tls.acme.enabled -}}yes{{- end -}}
{{- end -}}

{{/* Who tells the client's address and the name that it asked for. With no proxy of the chart's own in front nobody does:
     clients may have private addresses themselves, and those of nodes where externalTrafficPolicy is Cluster. */}}
{{- define "signpost.trustedProxies" -}}
{{- if kindIs "slice" .Values.trustedProxies -}}
{{- .Values.trustedProxies | toJson -}}
{{- else if or .Values.ingress.enabled .Values.gateway.enabled -}}
{{- list "10.0.0.0/8" "172.16.0.0/12" "192.168.0.0/16" "100.64.0.0/10" "fc00::/7" | toJson -}}
{{- else -}}
{{- list | toJson -}}
{{- end -}}
{{- end -}}

{{/* signpost's configuration file: what the chart works out, and `config` over it. */}}
{{- define "signpost.config" -}}
{{- $listen := list (dict "address" "[::]:8080") -}}
{{- $tls := dict -}}
{{- if .Values.tls.enabled -}}
{{- if not (or .Values.tls.secrets .Values.tls.acme.enabled) -}}
{{- fail "tls.enabled needs certificates: tls.secrets or tls.acme.enabled" -}}
{{- end -}}
{{- $listen = append $listen (dict "address" "[::]:8443" "tls" true) -}}
{{- $_ := set $tls "certificates" "/etc/signpost/tls" -}}
{{- with .Values.tls.default -}}
{{- include "signpost.checkDefault" $ -}}
{{- $_ := set $tls "default" . -}}
{{- end -}}
{{- if .Values.tls.acme.enabled -}}
{{- with .Values.tls.acme -}}
{{- $acme := dict "directory" .directory "storage" "/var/lib/signpost" "challenge" .challenge -}}
{{- $_ := set $acme "per_domain_per_week" (int .perDomainPerWeek) -}}
{{- $_ := set $acme "per_hour" (int .perHour) -}}
{{- with .email -}}{{- $_ := set $acme "email" . -}}{{- end -}}
{{- $_ := set $tls "acme" $acme -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $dns := dict "resolvers" (include "signpost.resolvers" . | fromJsonArray) -}}
{{- if .Values.zones -}}
{{- $files := list -}}
{{- range $file, $text := .Values.zones -}}
{{- $files = append $files (printf "/etc/signpost/zones/%s" $file) -}}
{{- end -}}
{{- $_ := set $dns "zones" $files -}}
{{- end -}}
{{- $delay := ternary 0 (int .Values.rollout.propagationSeconds) (eq (include "signpost.canSleep" .) "yes") -}}
{{- $drain := dict "delay_s" $delay "timeout_s" (add $delay (int .Values.rollout.drainSeconds)) -}}
{{- $made := dict "listen" $listen "admin" (dict "address" (printf "[::]:%d" (int .Values.metrics.port))) "dns" $dns "drain" $drain "trusted_proxies" (include "signpost.trustedProxies" . | fromJsonArray) "log" (dict "format" "json") -}}
{{- if $tls -}}{{- $_ := set $made "tls" $tls -}}{{- end -}}
{{- mergeOverwrite $made (deepCopy .Values.config) | toPrettyJson -}}
{{- end -}}

{{/* Where questions go that leave the pod, as lists of ports: {plain: …, tls: …}. Port 53 is always among them,
     for the pod's own resolver. What is asked on the loopback is the sidecar. */}}
{{- define "signpost.dnsPorts" -}}
{{- $plain := list 53 -}}
{{- $tls := list -}}
{{- range (include "signpost.config" . | fromJson).dns.resolvers -}}
{{- if and (regexMatch "^([^:]+|\\[.*\\]):[0-9]+$" .) (not (regexMatch "^(127\\.|\\[::1\\])" .)) -}}
{{- $plain = append $plain (regexFind "[0-9]+$" . | int) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.resolver.mode "sidecar" -}}
{{- range .Values.resolver.sidecar.forward -}}
{{- /* ADDRESS[@PORT][#NAME]: with a name Unbound takes 853 where no port is given. */ -}}
{{- $port := regexFind "@[0-9]+" . | trimPrefix "@" | default (ternary "853" "53" (contains "#" .)) | int -}}
{{- if $.Values.resolver.sidecar.forwardTls -}}
{{- $tls = append $tls $port -}}
{{- else -}}
{{- $plain = append $plain $port -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "plain" ($plain | uniq) "tls" (without ($tls | uniq) 53) | toJson -}}
{{- end -}}

{{/* The port of the certificate authority's directory. */}}
{{- define "signpost.acmePort" -}}
{{- $url := urlParse (include "signpost.config" . | fromJson).tls.acme.directory -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "80" "443" (eq $url.scheme "http")) -}}
{{- end -}}

{{- define "signpost.unbound" -}}
server:
  interface: 127.0.0.1@5353
  access-control: 127.0.0.0/8 allow
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "/tmp"
  pidfile: ""
  use-syslog: no
  logfile: ""
  num-threads: 1
  msg-cache-size: 16m
  rrset-cache-size: 32m
  prefetch: yes
  serve-expired: yes
  serve-expired-ttl: 86400
  serve-expired-client-timeout: 1800
  hide-identity: yes
  hide-version: yes
{{- if .Values.resolver.sidecar.forwardTls }}
  tls-cert-bundle: {{ .Values.resolver.sidecar.tlsCertBundle | quote }}
{{- end }}
{{- with .Values.resolver.sidecar.extraConfig }}
{{ . | indent 2 }}
{{- end }}
remote-control:
  control-enable: no
{{- if .Values.resolver.sidecar.forward }}
forward-zone:
  name: "."
{{- if .Values.resolver.sidecar.forwardTls }}
  forward-tls-upstream: yes
{{- end }}
{{- range .Values.resolver.sidecar.forward }}
  forward-addr: {{ . }}
{{- end }}
{{- end }}
{{- end -}}
