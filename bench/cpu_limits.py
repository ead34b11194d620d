#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cpu_limits.py BINARY: what a container's CPU limit leaves of signpost. The server runs in a control group with
the limit as quota (100 ms periods, as Kubernetes sets them), its workers chosen by itself; the generator runs
outside of it, on the machine's last core. First as many requests as it takes, in a closed loop; then half as many, in
an open loop, for the answer times: a quota that is used up shows there. Needs root."""

import argparse
import contextlib
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from servers import DOMAIN, HOSTS, TARGET, Server, pinned

from harness.ports import free_port  # found by way of servers
from harness.process import Process, ProcessError, wait_until

PERIOD_US = 100000
LIMITS = ("200m", "500m", "1", "2")


def cores(limit):
    return int(limit[:-1]) / 1000 if limit.endswith("m") else float(limit)


@contextlib.contextmanager
def group(limit):
    """A folder of a control group; whoever is written into its cgroup.procs is limited."""
    quota = int(cores(limit) * PERIOD_US)
    first = Path("/sys/fs/cgroup/cpu")
    folder = (first if first.is_dir() else Path("/sys/fs/cgroup")) / f"signpost-bench.{os.getpid()}"
    folder.mkdir()
    try:
        if first.is_dir():
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (folder.parent / "cgroup.subtree_control").write_text("+cpu")
            (folder / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        yield folder
    finally:
        wait_until(lambda: not (folder / "cgroup.procs").read_text().split(), timeout=10)
        folder.rmdir()


def serve(stack, binary, directory, folder):
    server = Server("limited", "signpost")
    server.http1 = free_port()
    zone = directory / "bench.zone"
    zone.write_text(f"$ORIGIN {DOMAIN}.\n@ 3600 IN SOA ns hostmaster 1 3600 600 86400 60\n" + "".join(
        f"_redirect.h{i} 3600 IN TXT \"v=txtv0;to={TARGET}\"\n" for i in range(HOSTS)))
    argv = [str(binary), "serve", "--listen", f"127.0.0.1:{server.http1}", "--zone", str(zone)]
    command = f"echo $$ >{shlex.quote(str(folder / 'cgroup.procs'))} && exec {shlex.join(argv)} >/dev/null"
    server.process = stack.enter_context(Process(["sh", "-c", command], name="signpost", cwd=directory, statuses=(0,)))
    if not wait_until(server.redirects, timeout=20):
        raise ProcessError(f"signpost does not redirect\n{server.process.err_text}")
    return server


def load(binary, directory, port, *options):
    result, targets = directory / "load.json", directory / "targets.tsv"
    targets.write_text("".join(f"h{i}.{DOMAIN}\t/\t302\t{TARGET}\n" for i in range(HOSTS)))
    argv = [str(binary), "load", "--connect", f"127.0.0.1:{port}", "--json", str(result), *map(str, options), str(targets)]
    done = subprocess.run(pinned((os.cpu_count() or 1) - 1, *argv), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"signpost load: {done.stderr or done.stdout}")
    return json.loads(result.read_text())


def measure(binary, limit, seconds):
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = serve(stack, binary, directory, stack.enter_context(group(limit)))
        most = load(binary, directory, server.http1, "--connections", 64, "--duration", seconds)
        half = load(binary, directory, server.http1, "--rate", int(most["throughput_rps"] / 2), "--connections", 1000,
                    "--duration", seconds)
        threads = len(list(Path(f"/proc/{server.process.popen.pid}/task").iterdir()))
    return {"limit": limit, "requests_per_second": most["throughput_rps"], "p99_ms_at_most": most["latency"]["p99_us"] / 1000,
            "p50_ms": half["latency"]["p50_us"] / 1000, "p99_ms": half["latency"]["p99_us"] / 1000,
            "p99_9_ms": half["latency"]["p99_9_us"] / 1000, "threads": threads}


def row(limit, samples):
    def shown(key, digits):
        values = [one[key] for one in samples]
        return f"{statistics.median(values):,.{digits}f} [{min(values):,.{digits}f} … {max(values):,.{digits}f}]"
    return (f"| {limit} | {shown('requests_per_second', 0)} | {shown('p99_ms_at_most', 1)} | {shown('p50_ms', 2)} | "
            f"{shown('p99_ms', 2)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="JSON with every sample")
    options = parser.parse_args()
    binary = options.binary.resolve()
    samples = [measure(binary, limit, options.seconds) for _ in range(options.rounds) for limit in LIMITS]
    if options.out:
        options.out.write_text(json.dumps(samples, indent=1) + "\n")
    print("| CPU limit | requests/s, closed loop | p99 ms of that | p50 ms at half the rate | p99 ms at half the rate |\n"
          "| --- | --- | --- | --- | --- |")
    for limit in LIMITS:
        print(row(limit, [one for one in samples if one["limit"] == limit]))


main()
