# SPDX-License-Identifier: Apache-2.0
"""lab_driver: the laboratory's network, told what to do line by line; and what must not be left of it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent.parent / "lab"
DRIVER = os.environ.get("LAB_DRIVER_BINARY", "")
SIGNPOST = os.environ.get("SIGNPOST_BINARY", "")
NAMESPACES = ("net", "mnt", "pid", "uts", "ipc")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
CONNTRACK_MAX = pathlib.Path("/proc/sys/net/netfilter/nf_conntrack_max")


class LabError(Exception):
    pass


def children(pid):
    """All descendants of a process; some may end while we look."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            numbers = [int(number) for number in task.read_text().split()]
        except OSError:
            continue
        for number in numbers:
            found += [number, *children(number)]
    return found


def namespaces(pid):
    """Those of a process that are not ours."""
    found = set()
    for kind in NAMESPACES:
        try:
            mine, other = (os.readlink(f"/proc/{whose}/ns/{kind}") for whose in ("self", pid))
        except OSError:
            continue
        found |= {other} - {mine}
    return found


def identity(pid):
    """A process number and when it began: numbers are used again."""
    try:
        return pid, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except OSError:
        return None


def is_zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return False


def processes():
    return [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()]


def now_ticks():
    """Like the beginnings of processes: since the machine was started."""
    return int(float(pathlib.Path("/proc/uptime").read_text().split()[0]) * os.sysconf("SC_CLK_TCK"))


def rules():
    """Of this namespace, those that look like ours."""
    done = subprocess.run(["iptables-save"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "KUBE-" in line or "SIGNPOST" in line]


def outside(pid):
    """What the run that process `pid` began may change outside, and has to put back. Other programs may
    change other things meanwhile."""
    places = ("client", "pod", "node", "cluster", "upstream")
    mounts = pathlib.Path("/proc/self/mountinfo").read_text(encoding="ascii").splitlines()
    names = [f"/run/netns/{place} " for place in places] + ["signpost-lab"]
    return {
        "groups": sorted(str(path) for path in CGROUPS.glob(f"*/signpost-lab.{pid}*")),
        "run": [path for path in ("signpost-lab", *(f"netns/{place}" for place in places))
                if (pathlib.Path("/run") / path).exists()],
        "mounts": [line for line in mounts if any(name in line for name in names)],
        "conntrack": CONNTRACK_MAX.read_text() if CONNTRACK_MAX.exists() else "",
        "rules": rules(),
    }


class Driver:
    """with Driver() as lab: lab.up("bridge")"""

    def __init__(self, patient=True):
        """A patient one waits for the end of a laboratory that is running."""
        self._patient = patient
        self.group = None
        self._begin()

    def _begin(self):
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([DRIVER, SIGNPOST], stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def start(self):
        """Waits until the capsule is there."""
        while not (line := self._process.stdout.readline()):
            refusal = self._process.communicate()[1].strip()
            other = re.search(r"another laboratory is running \(process (\d+)\)", refusal)
            if other is None or not self._patient:
                raise LabError(refusal)
            if not wait_for(lambda path=f"/proc/{other[1]}": not os.path.exists(path), timeout=300):
                raise LabError(refusal)
            self._begin()
        self.group = line.rstrip("\n").split("\t")[1]
        return self

    def __enter__(self):
        try:
            return self.start()
        except LabError:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()

    @property
    def pid(self):
        return self._process.pid

    def send(self, *words):
        self._process.stdin.write("\t".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def tell(self, *words):
        self.send(*words)
        line = self._process.stdout.readline()
        if not line:
            raise LabError("it ended")
        status, text = line.rstrip("\n").split("\t", 1)
        text = text.replace("\x1f", "\n")
        if status != "ok":
            raise LabError(text)
        return text

    def run(self, place, *argv):
        return self.tell("run", place, *argv)

    def echo(self, place, name, *addresses):
        """Returns when it listens."""
        ready = f"/run/signpost-lab/ready-{name}"
        pid = self.tell("spawn", place, 0, "/usr/bin/env", f"READY={ready}", sys.executable, "-B", HERE / "echo.py",
                        name, *addresses)
        self.run(place, "/bin/sh", "-c", f"i=0; until [ -e {ready} ]; do i=$((i+1)); [ $i -lt 500 ] || exit 1; "
                                         "sleep 0.02; done")
        return int(pid)

    def ask(self, place, how, address, port, count):
        return json.loads(self.run(place, sys.executable, "-B", HERE / "ask.py", how, address, port, count))

    def family(self):
        """(warden, conductor, all in the capsule): numbers as they are out here. The conductor has a PID
        namespace of its own, the warden has not."""
        direct = [pid for pid in children(self.pid) if namespaces(pid)]
        wardens = [pid for pid in children(self.pid) if identity(pid) and not namespaces(pid)]
        conductor = next((pid for pid in direct if pid_in_capsule(pid) == 1), None)
        return (wardens or [None])[0], conductor, direct

    def wait(self, timeout=30):
        return self._process.wait(timeout)

    def signal(self, number):
        self._process.send_signal(number)


def pid_in_capsule(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return None


def kill(*pids):
    for pid in pids:
        if pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def wait_for(condition, timeout=20):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
