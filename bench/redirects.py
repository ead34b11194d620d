#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests per second of signpost, with its cache and without, beside `return 302` of nginx.

One worker each, on one core; wrk and the resolver (Unbound, its answers in memory) share the other.
The three are measured in turn, round after round, so that what else the machine does meets all of
them; what counts is the median of the ratios within a round, not the rates themselves."""

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness import http1  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import Process, ProcessError, wait_until  # noqa: E402

HOSTS = 1000
DOMAIN = "bench.example"
SERVER_CORE, CLIENT_CORE = "0", "1"
UNBOUND = """
server:
  interface: 127.0.0.1@{port}
  do-ip6: no
  chroot: ""
  username: ""
  directory: "{directory}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 0
  num-threads: 1
  do-daemonize: no
  local-zone: "{domain}." static
remote-control:
  control-enable: no
"""
NGINX = """
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/nginx.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
  server {{ listen 127.0.0.1:{port}; return 302 https://target.example.net/landing; }}
}}
"""
WRK = """
local requests = {{}}
for i = 0, {hosts} - 1 do
  requests[i] = "GET /some/path?x=1 HTTP/1.1\\r\\nHost: h" .. i .. ".{domain}\\r\\n\\r\\n"
end
request = function() return requests[math.random(0, {hosts} - 1)] end
"""


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        sys.exit(f"redirects.py: {name} is needed and not installed")
    return path


def pinned(core, *argv):
    return ["taskset", "-c", core, *argv]


def start_unbound(stack, directory):
    port = free_port()
    text = UNBOUND.format(port=port, directory=directory, domain=DOMAIN)
    rows = [
        f"local-data: '_redirect.h{i}.{DOMAIN}. 3600 TXT "
        f'"v=txtv0;to=https://target.example.net/landing"\''
        for i in range(HOSTS)
    ]
    path = directory / "unbound.conf"
    path.write_text(text + "server:\n  " + "\n  ".join(rows) + "\n")
    argv = pinned(CLIENT_CORE, program("unbound"), "-d", "-c", str(path))
    stack.enter_context(Process(argv, name="unbound"))
    return f"127.0.0.1:{port}"


def start_nginx(stack, directory):
    port = free_port()
    path = directory / "nginx.conf"
    path.write_text(NGINX.format(directory=directory, port=port))
    argv = pinned(SERVER_CORE, program("nginx"), "-p", str(directory), "-c", str(path))
    stack.enter_context(Process(argv, name="nginx"))
    return port


def start_signpost(stack, binary, resolver, directory, name, *flags):
    port = free_port()
    config = {
        "listen": [{"address": f"127.0.0.1:{port}"}],
        "threads": 1,
        "dns": {"resolvers": [resolver]},
        "log": {"level": "error", "access": "off"},
    }
    path = directory / f"{name}.json"
    path.write_text(json.dumps(config))
    argv = pinned(SERVER_CORE, binary, "serve", "--config", str(path), *flags)
    running = stack.enter_context(Process(argv, name=name))
    if running.wait_line(lambda line: line == "ready") is None:
        raise ProcessError(f"{name} did not become ready\n{running.err_text}")
    return port


def redirects(port):
    try:
        got = http1.fetch(("127.0.0.1", port), f"h{HOSTS - 1}.{DOMAIN}", "/")
    except (OSError, http1.HttpError):
        return False
    return got.status == 302 and got.location == "https://target.example.net/landing"


def measure(port, script, seconds, connections):
    """One run of wrk: (requests a second, median latency in ms, 99th percentile in ms)."""
    argv = pinned(
        CLIENT_CORE,
        program("wrk"),
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--latency",
        "--timeout",
        "10s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}/",
    )
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", text)
    if wrong:
        sys.exit(f"redirects.py: wrk met errors: {wrong[0]}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return rate, latency(text, "50%"), latency(text, "99%")


def latency(text, row):
    value, unit = re.search(rf"^\s+{row}\s+([\d.]+)(us|ms|s)\b", text, re.MULTILINE).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def run_rounds(ports, options, script):
    """name → one sample a round; the order turns by one each round."""
    samples = {name: [] for name in ports}
    names = list(ports)
    for number in range(options.rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            sample = measure(ports[name], script, options.seconds, options.connections)
            samples[name].append(sample)
            print(f"round {number + 1}: {name} {sample[0]:,.0f}/s", file=sys.stderr)
    return samples


def summarise(samples):
    base = [sample[0] for sample in samples["nginx return 302"]]
    rows = []
    for name, values in samples.items():
        rates = [sample[0] for sample in values]
        ratios = [rate / other for rate, other in zip(rates, base)]
        rows.append(
            {
                "server": name,
                "requests_per_s": statistics.median(rates),
                "lowest": min(rates),
                "highest": max(rates),
                "p50_ms": statistics.median(sample[1] for sample in values),
                "p99_ms": statistics.median(sample[2] for sample in values),
                "ratio": statistics.median(ratios),
                "ratio_lowest": min(ratios),
                "ratio_highest": max(ratios),
            }
        )
    return rows


def print_table(rows, options):
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; "
        f"wrk -t1 -c{options.connections}, {options.rounds} rounds of {options.seconds} s, "
        f"{HOSTS} hosts; medians"
    )
    print(
        f"{'server':<22} {'requests/s':>11} {'lowest … highest':>21} {'p50 ms':>8} {'p99 ms':>8}"
        f" {'ratio to nginx':>22}"
    )
    for row in rows:
        spread = f"{row['lowest']:,.0f} … {row['highest']:,.0f}"
        ratio = f"{row['ratio']:.2f} [{row['ratio_lowest']:.2f} … {row['ratio_highest']:.2f}]"
        print(
            f"{row['server']:<22} {row['requests_per_s']:>11,.0f} {spread:>21} "
            f"{row['p50_ms']:>8.2f} {row['p99_ms']:>8.2f} {ratio:>22}"
        )


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "binary",
        nargs="?",
        default=os.environ.get("SIGNPOST_BINARY") or str(ROOT / "build" / "signpost"),
        help="a release build of signpost",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--json", metavar="FILE", help="also write every figure there")
    options = parser.parse_args()
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is no program; build it first")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("two cores are needed: one for the server, one for the load")
    return options


def main():
    options = read_options()
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signpost-bench-")))
        script = directory / "hosts.lua"
        script.write_text(WRK.format(hosts=HOSTS, domain=DOMAIN))
        resolver = start_unbound(stack, directory)
        ports = {
            "nginx return 302": start_nginx(stack, directory),
            "signpost": start_signpost(stack, options.binary, resolver, directory, "signpost"),
            "signpost --no-cache": start_signpost(
                stack, options.binary, resolver, directory, "uncached", "--no-cache"
            ),
        }
        for name, port in ports.items():
            if not wait_until(lambda port=port: redirects(port), timeout=20):
                sys.exit(f"redirects.py: {name} does not redirect")
            measure(port, script, 1, options.connections)  # fills caches, ours and the kernel's
        samples = run_rounds(ports, options, script)
    rows = summarise(samples)
    print_table(rows, options)
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "samples": samples}, indent=2))


if __name__ == "__main__":
    main()
