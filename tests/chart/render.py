#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""render.py [--write]: the chart is linted and rendered with each *-values.yaml here, and what comes
out must be the *.golden.yaml beside it; values that can't be right must be refused with a sentence.
--write makes the golden files anew: look at the difference before committing it."""

import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
CHART = HERE.parents[1] / "charts" / "signpost"
HELM = os.environ.get("SIGNPOST_HELM") or shutil.which("helm")
# Before this one the kubelet can't sleep, and signpost does.
OLD, NEW = "1.29.0", "1.34.0"

REFUSED = [
    ({"replicaCount": "two"}, "replicaCount"),
    ({"replicas": 2}, "replicas"),
    ({"resolver": {"mode": "none"}}, "resolver/mode"),
    ({"resolver": {"mode": "custom"}}, "resolver.custom.addresses needs at least one address"),
    ({"tls": {"enabled": True}}, "tls.enabled needs certificates"),
    ({"ingress": {"enabled": True, "catchAll": False}}, "ingress.hosts or ingress.catchAll"),
    ({"ingress": {"enabled": True, "certManager": {"issuer": "x"}}}, "ingress.certManager needs ingress.hosts"),
    ({"gateway": {"enabled": True}}, "gateway.parentRefs"),
    ({"autoscaling": {"enabled": True, "targetCPUUtilizationPercentage": 0}}, "customMetric.name"),
    ({"benchmark": {"names": 5001}}, "benchmark/names"),
    ({"tls": {"secrets": [{"name": "../x", "secretName": "x"}]}}, "tls/secrets"),
    ({"service": {"type": "Cluster"}}, "service/type"),
    ({"tls": {"enabled": True, "secrets": [{"name": "*.example.com", "secretName": "x"}], "default": "www.example.com"}},
     'tls.default is "www.example.com", which is the name of none of tls.secrets'),
    ({"tls": {"enabled": True, "acme": {"enabled": True}, "default": "www.example.com"}}, "is the name of none of tls.secrets"),
    ({"resolver": {"sidecar": {"tlsCertBundle": "relative.crt"}}}, "sidecar/tlsCertBundle"),
]


# Values, and the ports that the NetworkPolicy lets out to anywhere, or to whom dnsTo names.
FORWARD = {"mode": "sidecar", "sidecar": {"forward": ["192.0.2.1@5300#a.example", "192.0.2.2@853#b.example", "2001:db8::1#c.example"]}}
ACME = {"enabled": True, "acme": {"enabled": True, "directory": "https://ca.example:14000/dir"}}
EGRESS = [
    ({}, "53/UDP 53/TCP"),
    ({"networkPolicy": {"dnsTo": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}}, "53/UDP 53/TCP 5353/UDP 5353/TCP"),
    ({"resolver": {"mode": "nodelocal"}}, "53/UDP 53/TCP"),
    ({"resolver": {"mode": "nodelocal", "nodelocal": {"address": "169.254.20.10:5301"}}}, "53/UDP 53/TCP 5301/UDP 5301/TCP"),
    ({"resolver": {"mode": "custom", "custom": {"addresses": ["192.0.2.1", "192.0.2.2:5353", "[2001:db8::1]:5354", "2001:db8::99",
                                                              "[2001:db8::2]", "192.0.2.3:5353", "127.0.0.1:5399"]}}},
     "53/UDP 53/TCP 5353/UDP 5353/TCP 5354/UDP 5354/TCP"),
    ({"config": {"dns": {"resolvers": ["192.0.2.1:5300"]}}}, "53/UDP 53/TCP 5300/UDP 5300/TCP"),
    ({"resolver": {"mode": "sidecar"}}, "53/UDP 53/TCP"),
    ({"resolver": FORWARD}, "53/UDP 53/TCP 5300/UDP 5300/TCP 853/UDP 853/TCP"),
    ({"resolver": FORWARD | {"sidecar": FORWARD["sidecar"] | {"forwardTls": True}}}, "53/UDP 53/TCP 5300/TCP 853/TCP"),
    ({"tls": ACME}, "53/UDP 53/TCP 14000/TCP"),
    ({"tls": ACME | {"acme": {"enabled": True}}}, "53/UDP 53/TCP 443/TCP"),
    ({"tls": ACME, "config": {"tls": {"acme": {"directory": "https://[2001:db8::1]/dir"}}}}, "53/UDP 53/TCP 443/TCP"),
    ({"networkPolicy": {"extraEgress": [{"ports": [{"port": 1053, "protocol": "UDP"}]}]}}, "53/UDP 53/TCP 1053/UDP"),
]

# Values, and whose X-Forwarded-* headers count with them.
PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]
PROXIES = [
    ({}, []),
    ({"service": {"type": "LoadBalancer"}}, []),
    ({"ingress": {"enabled": True}}, PRIVATE),
    ({"gateway": {"enabled": True, "parentRefs": [{"name": "a"}]}}, PRIVATE),
    ({"ingress": {"enabled": True}, "trustedProxies": []}, []),
    ({"trustedProxies": ["192.0.2.0/24"]}, ["192.0.2.0/24"]),
]
TRAFFIC = [  # values of service, externalTrafficPolicy
    ({}, None), ({"type": "NodePort"}, None), ({"type": "NodePort", "externalTrafficPolicy": "Cluster"}, "Cluster"),
    ({"type": "LoadBalancer"}, "Local"), ({"type": "LoadBalancer", "externalTrafficPolicy": "Cluster"}, "Cluster"),
]

# Texts whose beginnings and ends YAML has its own thoughts about.
ZONES = {
    "a": "   @ IN SOA a b 1 2 3 4 5\nx IN A 192.0.2.1\n", "b": "  \n   indented\nnot indented\n", "c": "\n\n  @ IN SOA a\n\n",
    "d": "\tx IN\r\n\ty\n\n\n", "e": "no newline", "f": "", "g": "---\n...\n", "h": ' ; "comment"\n# another \n', "123": " x\n", "null": "y: {z\n",
    "z": "  the last one, of which Helm cuts empty lines off\n",
}


def helm(*arguments, text=None):
    return subprocess.run([HELM, *arguments], input=text, capture_output=True, text=True, check=False)


def render(values, version=NEW):
    return helm("template", "release", str(CHART), "--namespace", "web", "--kube-version", version, "--values", str(values))


def check_golden(values, write, complaints):
    golden = values.with_name(values.name.replace("-values.yaml", ".golden.yaml"))
    lint = helm("lint", "--strict", str(CHART), "--values", str(values))
    if lint.returncode != 0:
        complaints.append(f"{values.name}: helm lint: {lint.stdout}{lint.stderr}")
    made = render(values)
    if made.returncode != 0:
        complaints.append(f"{values.name}: helm template: {made.stderr}")
        return
    if write:
        golden.write_text(made.stdout)
    before = golden.read_text() if golden.exists() else ""
    if before != made.stdout:
        complaints.append("".join(difflib.unified_diff(
            before.splitlines(True), made.stdout.splitlines(True), golden.name, "rendered")))
    check_objects(values.name, made.stdout, complaints)


def check_objects(name, text, complaints):
    """What must hold whatever the values are."""
    objects = [o for o in yaml.safe_load_all(text) if o]
    check_hooks(name, objects, complaints)
    for one in objects:
        kind = one["kind"]
        for field in ("app.kubernetes.io/name", "app.kubernetes.io/instance"):
            if field not in one["metadata"].get("labels", {}):
                complaints.append(f"{name}: {kind} has no label {field}")
        if kind == "ConfigMap" and "signpost.json" in one["data"]:
            json.loads(one["data"]["signpost.json"])
        template = one["spec"].get("template", one if kind == "Pod" else None) if kind in ("Deployment", "Job", "Pod") else None
        if template is not None:
            check_pod(f"{name}: {kind}", template["spec"], complaints)


def check_pod(name, pod, complaints):
    """The Pod Security Standard "restricted", and limits for everything."""
    if pod.get("automountServiceAccountToken") is not False:
        complaints.append(f"{name}: a token is mounted")
    if not pod["securityContext"].get("runAsNonRoot") or pod["securityContext"]["seccompProfile"]["type"] != "RuntimeDefault":
        complaints.append(f"{name}: not restricted")
    for container in pod["containers"] + pod.get("initContainers", []):
        context = container["securityContext"]
        if context["allowPrivilegeEscalation"] or context["capabilities"]["drop"] != ["ALL"] or not context["readOnlyRootFilesystem"]:
            complaints.append(f"{name}: {container['name']} is not restricted")
        if container["resources"]["requests"] != container["resources"]["limits"]:
            complaints.append(f"{name}: {container['name']} is not of QoS class Guaranteed")


def check_refusals(complaints):
    for values, words in REFUSED:
        made = helm("template", "release", str(CHART), "--values", "-", text=json.dumps(values))
        if made.returncode == 0 or words not in made.stderr:
            complaints.append(f"{json.dumps(values)}: expected a refusal that says '{words}', got {made.returncode}: {made.stderr}")


def first_of(template, values, complaints):
    """The first object out of one template; an empty one where it fails."""
    made = helm("template", "release", str(CHART), "--show-only", f"templates/{template}.yaml", "--values", "-", text=json.dumps(values))
    if made.returncode != 0:
        complaints.append(f"{json.dumps(values)}: {made.stderr}")
        return {"spec": {}, "data": {}}
    return next(yaml.safe_load_all(made.stdout))


def check_egress(complaints):
    for values, wanted in EGRESS:
        rules = first_of("networkpolicy", values, complaints)["spec"].get("egress", [])
        ports = [port for rule in rules if "openshift-dns" not in json.dumps(rule) for port in rule["ports"]]
        got = " ".join(f"{port['port']}/{port['protocol']}" for port in ports)
        if got != wanted:
            complaints.append(f"{json.dumps(values)}: egress is {got}, expected {wanted}")


def check_clients(complaints):
    """Nobody can say that he comes from elsewhere, or for another name, unless there is a proxy."""
    for values, wanted in PROXIES:
        got = json.loads(first_of("configmap", values, complaints)["data"].get("signpost.json", "{}")).get("trusted_proxies")
        if got != wanted:
            complaints.append(f"{json.dumps(values)}: trusted_proxies are {got}, expected {wanted}")
    for values, wanted in TRAFFIC:
        got = first_of("service", {"service": values}, complaints)["spec"].get("externalTrafficPolicy")
        if got != wanted:
            complaints.append(f"service {json.dumps(values)}: externalTrafficPolicy is {got}, expected {wanted}")


def check_zones(complaints):
    """Zone files are mounted as they were given."""
    for mode in ("cluster", "sidecar"):
        values = {"zones": ZONES, "resolver": {"mode": mode}}
        made = helm("template", "release", str(CHART), "--show-only", "templates/configmap.yaml", "--values", "-", text=json.dumps(values))
        try:
            objects = [one for one in yaml.safe_load_all(made.stdout) if one]
        except yaml.YAMLError as error:
            complaints.append(f"zones: not YAML: {error}")
            continue
        got = next((one["data"] for one in objects if one["metadata"]["name"].endswith("-zones")), None)
        if got != ZONES:
            complaints.append(f"zones became {got}, expected {ZONES}: {made.stderr}")


def check_mounted_default(complaints):
    """tls.default may be mounted in another way than by tls.secrets."""
    tls = {"enabled": True, "acme": {"enabled": True}, "default": "www.example.com"}
    for more in ({"extraVolumeMounts": [{"name": "x", "mountPath": "/etc/signpost/tls/www.example.com"}]},
                 {"extraVolumeMounts": [{"name": "x", "mountPath": "/etc/signpost/tls/"}]},
                 {"config": {"tls": {"certificates": "/elsewhere"}}}):
        first_of("configmap", {"tls": tls} | more, complaints)


def names_of(release, *arguments):
    made = helm("template", release, str(CHART), *arguments)
    return {one["metadata"]["name"] for one in yaml.safe_load_all(made.stdout) if one}


def check_names(complaints):
    """Releases whose names differ only at the end share no object, and no name is too long."""
    long = "a" * 52
    cases = [[names_of(f"{long}{end}", "--set", "benchmark.enabled=true") for end in "xy"],
             [names_of("release", "--set", f"fullnameOverride={long}{end}") for end in "xy"]]
    for first, second in cases:
        if not first or first & second or any(len(name) > 63 for name in first | second):
            complaints.append(f"long names: {sorted(first)} beside {sorted(second)}")
    if "release-signpost" not in names_of("release") or "my-signpost" not in names_of("my-signpost"):
        complaints.append("short names are not left as they are")


def check_hooks(name, objects, complaints):
    """Helm deletes no hook when a release goes: a hook is one that goes when it has succeeded."""
    for one in objects:
        notes = one["metadata"].get("annotations") or {}
        if "helm.sh/hook" in notes and "hook-succeeded" not in notes.get("helm.sh/hook-delete-policy", ""):
            complaints.append(f"{name}: {one['kind']} {one['metadata']['name']} would stay after `helm uninstall`")


def check_old_kubernetes(complaints):
    """Without the kubelet's sleep signpost itself goes on accepting for as long."""
    made = render(HERE / "default-values.yaml", OLD).stdout
    if "preStop" in made or '"delay_s": 10' not in made or '"timeout_s": 40' not in made:
        complaints.append(f"Kubernetes {OLD}: drain.delay_s does not stand in for preStop")


def main():
    if HELM is None:
        sys.exit("render.py: helm is needed and not installed; scripts/install-helm.sh installs it")
    complaints = []
    for values in sorted(HERE.glob("*-values.yaml")):
        check_golden(values, "--write" in sys.argv[1:], complaints)
    check_refusals(complaints)
    check_egress(complaints)
    check_clients(complaints)
    check_zones(complaints)
    check_mounted_default(complaints)
    check_names(complaints)
    check_old_kubernetes(complaints)
    if complaints:
        sys.exit("\n".join(complaints))


main()
