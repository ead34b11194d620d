#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""api.py FOLDER: holds every rendering of the chart against a real Kubernetes API: etcd (Debian's), and
the kube-apiserver that apiserver/build.sh put into FOLDER, both on free ports of 127.0.0.1. Each
rendering is applied with --dry-run=server and then for real, in a namespace that enforces the Pod
Security Standard "restricted"; no warning may come back; and since nothing here makes pods out of
Deployments and Jobs, their templates are tried as pods, too."""

import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
CHART = HERE.parents[1] / "charts" / "signpost"
HELM = os.environ.get("SIGNPOST_HELM") or shutil.which("helm")
KUBECTL = os.environ.get("SIGNPOST_KUBECTL") or shutil.which("kubectl")
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web", "labels": {
    f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}}}
# Made by controllers that do not run here.
ACCOUNTS = [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "web"}}
            for name in ("default", "existing")]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def process(name, folder, *argv):
    log = folder / f"{name}.log"
    with log.open("w") as out:
        child = subprocess.Popen(argv, stdout=out, stderr=out, cwd=folder)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def until(what, child, log, seconds=90):
    """Waits for an answer from outside, which sends no event."""
    end = time.monotonic() + seconds
    while not what():
        if child.poll() is not None or time.monotonic() > end:
            sys.exit(f"api.py: {log.name} says:\n{log.read_text()[-4000:]}")
        time.sleep(0.1)


def answers(url):
    context = ssl._create_unverified_context()
    with contextlib.suppress(OSError):
        with urllib.request.urlopen(url, timeout=2, context=context) as answer:
            return answer.status == 200
    return False


def cluster(stack, folder, binaries):
    etcd_port, peer_port, port = free_port(), free_port(), free_port()
    store = f"http://127.0.0.1:{etcd_port}"
    child = stack.enter_context(process(
        "etcd", folder, "etcd", "--data-dir", str(folder / "etcd"), "--listen-client-urls", store,
        "--advertise-client-urls", store, "--listen-peer-urls", f"http://127.0.0.1:{peer_port}",
        "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer_port}",
        "--initial-cluster", f"default=http://127.0.0.1:{peer_port}"))
    until(lambda: answers(f"{store}/health"), child, folder / "etcd.log")
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", str(folder / "sa.key")], check=True, capture_output=True)
    (folder / "tokens").write_text("secret,admin,admin,system:masters\n")
    child = stack.enter_context(process(
        "kube-apiserver", folder, str(binaries / "kube-apiserver"), "--etcd-servers", store, "--bind-address", "127.0.0.1",
        "--advertise-address", "127.0.0.1",
        "--secure-port", str(port), "--cert-dir", str(folder / "certificates"), "--token-auth-file", str(folder / "tokens"),
        "--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.96.0.0/16", "--service-account-issuer", "https://127.0.0.1",
        "--service-account-key-file", str(folder / "sa.key"), "--service-account-signing-key-file", str(folder / "sa.key")))
    until(lambda: answers(f"https://127.0.0.1:{port}/readyz"), child, folder / "kube-apiserver.log")
    return f"https://127.0.0.1:{port}"


class Kubectl:
    def __init__(self, server):
        self.base = [KUBECTL, "--server", server, "--token", "secret", "--insecure-skip-tls-verify", "--kubeconfig", "/dev/null"]

    def __call__(self, *arguments, objects=None):
        text = None if objects is None else yaml.safe_dump_all(objects)
        return subprocess.run([*self.base, *arguments], input=text, capture_output=True, text=True, check=False)


def render(values, upgrade):
    made = subprocess.run([HELM, "template", "release", str(CHART), "--namespace", "web", "--kube-version", "1.34.0",
                           "--values", str(values), *(["--is-upgrade"] if upgrade else [])],
                          capture_output=True, text=True, check=True)
    objects = [one for one in yaml.safe_load_all(made.stdout) if one]
    for one in objects:
        one["metadata"].setdefault("namespace", "web")
    return objects


def as_pods(objects):
    for one in objects:
        if one["kind"] in ("Deployment", "Job"):
            template = one["spec"]["template"]
            yield {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"], "metadata": {
                "name": one["metadata"]["name"], "namespace": "web", "labels": template["metadata"]["labels"]}}


def check(kubectl, values, complaints):
    objects = render(values, False)
    pods = list(as_pods(objects))
    accounts = [one for one in objects if one["kind"] == "ServiceAccount"]
    if accounts:  # no pod is let in without
        kubectl("apply", "-f", "-", objects=accounts)
    steps = [("apply, tried", ["apply", "--dry-run=server", "--validate=strict", "-f", "-"], objects),
             ("apply", ["apply", "--validate=strict", "-f", "-"], objects),
             ("the pods, tried", ["create", "--dry-run=server", "--validate=strict", "-f", "-"], pods),
             ("apply again", ["apply", "--validate=strict", "-f", "-"], objects)]
    for name, arguments, what in steps:
        done = kubectl(*arguments, objects=what)
        if done.returncode != 0 or "Warning" in done.stderr:
            complaints.append(f"{values.name}: {name}: {done.stdout}{done.stderr}")
            break
    qos = [json.loads(kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", objects=[pod]).stdout or "{}")
           .get("status", {}).get("qosClass") for pod in pods]
    if not qos or any(one != "Guaranteed" for one in qos):
        complaints.append(f"{values.name}: QoS classes of the pods: {qos}")
    kubectl("delete", "--wait=false", "--grace-period=0", "--force", "-f", "-",
            objects=[one for one in objects if one not in accounts])


def main():
    for name, program in (("helm", HELM), ("kubectl", KUBECTL), ("etcd", shutil.which("etcd"))):
        if program is None:
            sys.exit(f"api.py: {name} is needed and not installed")
    binaries = Path(sys.argv[1]).resolve()
    complaints = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kubectl = Kubectl(cluster(stack, folder, binaries))
        for objects in ([NAMESPACE], ACCOUNTS):
            done = kubectl("apply", "-f", "-", objects=objects)
            if done.returncode != 0:
                sys.exit(f"api.py: {done.stderr}")
        done = kubectl("apply", "--server-side", "-f", str(binaries / "crds"))
        done = kubectl("wait", "--for=condition=Established", "--timeout=60s", "-f", str(binaries / "crds")) if done.returncode == 0 else done
        if done.returncode != 0:
            sys.exit(f"api.py: {done.stderr}")
        every = sorted(HERE.glob("*-values.yaml"))
        for values in every:
            check(kubectl, values, complaints)
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{len(every)} renderings applied to a real Kubernetes API")


main()
