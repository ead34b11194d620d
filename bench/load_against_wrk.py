#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much load `signpost load` makes, and what a request costs it, beside wrk.

nginx, `return 302`, one worker, on one core; on the other, in turn and round after round, wrk with
a list of requests that it has built beforehand, and signpost with the same list, both in a closed
loop on one thread. Rates are bounded by the slower of server and generator, so the CPU time of the
generator (user and system) for a request stands beside them. What counts is the ratio within a
round."""

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness.ports import free_port  # noqa: E402
from harness.process import Process, wait_until  # noqa: E402

HOSTS = 1000
DOMAIN = "bench.example"
PATH = "/some/path?x=1"
LOCATION = "https://target.example.net/landing"
SERVER_CORE, CLIENT_CORE = "0", "1"
NGINX = """
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=4096; return 302 {location}; }}
}}
"""
WRK = """
local requests = {{}}
for i = 0, {hosts} - 1 do
  requests[i] = "GET {path} HTTP/1.1\\r\\nHost: h" .. i .. ".{domain}\\r\\n\\r\\n"
end
request = function() return requests[math.random(0, {hosts} - 1)] end
"""


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        sys.exit(f"load_against_wrk.py: {name} is needed and not installed")
    return path


def pinned(core, *argv):
    return ["taskset", "-c", core, *argv]


def accepts(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def start_nginx(stack, directory):
    port = free_port()
    path = directory / "nginx.conf"
    path.write_text(NGINX.format(directory=directory, port=port, location=LOCATION))
    argv = pinned(SERVER_CORE, program("nginx"), "-p", str(directory), "-c", str(path))
    stack.enter_context(Process(argv, name="nginx"))
    if not wait_until(lambda: accepts(port)):
        sys.exit("load_against_wrk.py: nginx does not listen")
    return port


def run_counted(argv):
    """(what it printed, CPU seconds of the program)"""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(pinned(CLIENT_CORE, *argv), **streams) as running:
        text = running.stdout.read()
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        sys.exit(f"load_against_wrk.py: {argv[0]} ended with {running.returncode}\n{text}")
    return text, usage.ru_utime + usage.ru_stime


def measure_wrk(port, directory, options):
    script = directory / "requests.lua"
    script.write_text(WRK.format(hosts=HOSTS, domain=DOMAIN, path=PATH))
    argv = [program("wrk"), "-t1", f"-c{options.connections}", f"-d{options.seconds}s"]
    text, cpu_s = run_counted([*argv, "-s", str(script), f"http://127.0.0.1:{port}/"])
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", text)
    if wrong:
        sys.exit(f"load_against_wrk.py: wrk met errors: {wrong[0]}")
    requests = int(re.search(r"(\d+) requests in", text)[1])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), cpu_s / requests * 1e6


def measure_signpost(port, directory, options):
    targets = directory / "targets"
    rows = [f"h{i}.{DOMAIN}\t{PATH}\t302\t{LOCATION}\n" for i in range(HOSTS)]
    targets.write_text("".join(rows))
    argv = [options.binary, "load", "--connect", f"127.0.0.1:{port}", "--closed", "--json", "-"]
    argv += ["--connections", str(options.connections), "--duration", str(options.seconds)]
    text, cpu_s = run_counted([*argv, str(targets)])
    report = json.loads(text)
    return report["throughput_rps"], cpu_s / report["requests"]["ok"] * 1e6


def run_rounds(port, directory, options):
    """name → one (rate, µs of CPU for a request) a round; who begins changes each round."""
    measures = [("wrk", measure_wrk), ("signpost load", measure_signpost)]
    samples = {name: [] for name, _ in measures}
    for number in range(options.rounds):
        for name, measure in measures if number % 2 == 0 else measures[::-1]:
            rate, cost_us = measure(port, directory, options)
            samples[name].append((rate, cost_us))
            print(f"round {number + 1}: {name} {rate:,.0f}/s, {cost_us:.2f} µs", file=sys.stderr)
    return samples


def summarise(samples):
    rows = []
    for name, values in samples.items():
        pairs = list(zip(values, samples["wrk"]))
        rate_ratios = [own[0] / other[0] for own, other in pairs]
        cost_ratios = [own[1] / other[1] for own, other in pairs]
        rows.append(
            {
                "generator": name,
                "requests_per_s": statistics.median(value[0] for value in values),
                "cpu_us_per_request": statistics.median(value[1] for value in values),
                "rate_ratio": statistics.median(rate_ratios),
                "rate_ratios": rate_ratios,
                "cost_ratio": statistics.median(cost_ratios),
                "cost_ratios": cost_ratios,
            }
        )
    return rows


def print_table(rows, options):
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; nginx "
        f"return 302, {options.connections} connections, {options.rounds} rounds of "
        f"{options.seconds} s, {HOSTS} hosts; medians"
    )
    print(
        f"{'generator':<14} {'requests/s':>11} {'to wrk':>20} {'CPU µs each':>12} {'to wrk':>20}"
    )
    for row in rows:
        cells = []
        for key in ("rate_ratio", "cost_ratio"):
            spread = row[key + "s"]
            cells.append(f"{row[key]:.2f} [{min(spread):.2f} … {max(spread):.2f}]")
        print(
            f"{row['generator']:<14} {row['requests_per_s']:>11,.0f} {cells[0]:>20} "
            f"{row['cpu_us_per_request']:>12.2f} {cells[1]:>20}"
        )


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "binary",
        nargs="?",
        default=os.environ.get("SIGNPOST_BINARY") or str(ROOT / "build" / "signpost"),
        help="a release build of signpost",
    )
    parser.add_argument("--rounds", type=int, default=3)
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
        port = start_nginx(stack, directory)
        samples = run_rounds(port, directory, options)
    rows = summarise(samples)
    print_table(rows, options)
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "samples": samples}, indent=2))


if __name__ == "__main__":
    main()
