# SPDX-License-Identifier: Apache-2.0
"""A container as the chart's pod would be, run by runc: the chart's own securityContext and limits, turned
into what a container runtime makes of them."""

import json
import platform
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import yaml

# The profile RuntimeDefault of cri-o and podman, in the form that Docker's has, too.
SECCOMP = Path("/usr/share/containers/seccomp.json")
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
MASKED = ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/sched_debug", "/sys/firmware"]
# signpost needs no shell: it gets none.
SHELLS = ["/usr/bin/sh", "/usr/bin/dash", "/usr/bin/bash"]
READ_ONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
UNITS = {"Ki": 2 ** 10, "Mi": 2 ** 20, "Gi": 2 ** 30}


def chart_values(source):
    return yaml.safe_load((source / "charts/signpost/values.yaml").read_text(encoding="utf-8"))


def seccomp_profile():
    """Docker's conditional form of a profile → what holds for a process without capabilities."""
    profile = json.loads(SECCOMP.read_text(encoding="utf-8"))
    rules = []
    for rule in profile["syscalls"]:
        needs, but = rule.get("includes") or {}, rule.get("excludes") or {}
        if needs.get("caps") or ARCHITECTURE not in needs.get("arches", [ARCHITECTURE]) or ARCHITECTURE in but.get("arches", []):
            continue
        rules.append({key: rule[key] for key in ("names", "action", "args", "errnoRet") if rule.get(key) is not None})
    architectures = next(one for one in profile["archMap"] if one["architecture"] == f"SCMP_ARCH_{platform.machine().upper()}")
    return {"defaultAction": profile["defaultAction"], "defaultErrnoRet": profile.get("defaultErrnoRet", 1), "syscalls": rules,
            "architectures": [architectures["architecture"], *architectures.get("subArchitectures", [])]}


def in_bytes(quantity):
    number, unit = re.fullmatch(r"([0-9]+)([KMG]i)?", quantity).groups()
    return int(number) * UNITS.get(unit, 1)


def in_cpus(quantity):
    return int(quantity[:-1]) / 1000 if quantity.endswith("m") else float(quantity)


def specification(rootfs, image, values, arguments, files, name):
    """`files`: paths inside → paths outside, mounted read-only."""
    pod, own, limits = values["podSecurityContext"], values["securityContext"], values["resources"]["limits"]
    if own["capabilities"] != {"drop": ["ALL"]} or pod["seccompProfile"] != {"type": "RuntimeDefault"}:
        raise AssertionError("the chart's securityContext says what this test does not know")
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc", "options": ["nosuid", "noexec", "nodev"]},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "strictatime", "mode=755", "size=65536k"]},
        {"destination": "/sys", "type": "bind", "source": "/sys", "options": ["rbind", "nosuid", "noexec", "nodev", "ro"]},
    ]
    mounts += [{"destination": inside, "type": "bind", "source": str(outside), "options": ["bind", "ro", "nosuid", "nodev"]}
               for inside, outside in files.items()]
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": pod["runAsUser"], "gid": pod["runAsGroup"], "additionalGids": [pod["fsGroup"]]},
            "args": [*image["Entrypoint"], *arguments],
            "env": image["Env"],
            "cwd": "/",
            "capabilities": {},
            "noNewPrivileges": not own["allowPrivilegeEscalation"],
        },
        "root": {"path": str(rootfs), "readonly": own["readOnlyRootFilesystem"]},
        "mounts": mounts,
        "linux": {
            # The network is the machine's: the ports of the copies differ instead of their addresses.
            "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")],
            "cgroupsPath": f"/{name}",
            "resources": {"memory": {"limit": in_bytes(limits["memory"])},
                          "cpu": {"quota": int(in_cpus(limits["cpu"]) * 100000), "period": 100000}},
            "maskedPaths": MASKED + SHELLS,
            "readonlyPaths": READ_ONLY,
            "seccomp": seccomp_profile(),
        },
    }


class Container:
    """One copy. Leaving the block removes it, whatever has happened."""

    def __init__(self, folder, name, spec, admin):
        self.name, self.admin = name, admin
        self.bundle = folder / name
        self.bundle.mkdir()
        (self.bundle / "config.json").write_text(json.dumps(spec), encoding="utf-8")
        self.out, self.err = self.bundle / "out", self.bundle / "err"
        self.process = None

    def runc(self, *arguments):
        return subprocess.run(["runc", "--root", str(self.bundle.parent / "runc"), *arguments], capture_output=True, text=True,
                              timeout=60, check=False)

    def __enter__(self):
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                ["runc", "--root", str(self.bundle.parent / "runc"), "run", "--bundle", str(self.bundle), self.name],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        return self

    def __exit__(self, *_):
        self.runc("delete", "--force", self.name)
        self.process.kill()
        self.process.wait(30)

    def probe(self, path):
        """The status that a probe of the kubelet gets; None: no answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}{path}", timeout=1) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def state(self):
        return json.loads(self.runc("state", self.name).stdout)

    def status_of_process(self):
        """What the kernel says of signpost, and whether its root can be written to."""
        process = Path("/proc") / str(self.state()["pid"])
        fields = dict(re.findall(r"(?m)^(\w+):\s*(.*)$", (process / "status").read_text(encoding="utf-8")))
        roots = [line.split() for line in (process / "mountinfo").read_text(encoding="utf-8").splitlines()]
        fields["RootOptions"] = next(words[5] for words in roots if words[4] == "/")
        return fields

    def terminate(self, seconds):
        """SIGTERM; the status with which it ends."""
        self.runc("kill", self.name, "TERM")
        return self.process.wait(seconds)
