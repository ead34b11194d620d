#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TLS 1.3 handshakes per second and core, full and resumed, of signpost beside nginx.

Both show the same certificate (ECDSA P-256) and answer one redirect on each connection. One worker each,
on one core; the client (tests/e2e/load/handshakes.c) is on the other, and is the slower of the two:
what counts is therefore not the rate but the processor time that the server spends, handshakes for each
second of it. The two are measured in turn, round after round; the result is the median of the ratios
within a round."""

import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness import http1  # noqa: E402
from harness.connect import Tls  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import Process, ProcessError, wait_until  # noqa: E402
from harness.tls import make_certificate  # noqa: E402

NAME = "bench.example"
TARGET = "https://target.example.net/landing"
SERVER_CORE, CLIENT_CORE = "0", "1"
TICKS = os.sysconf("SC_CLK_TCK")
ZONE = """
$TTL 3600
{name}. SOA ns.{name}. host.{name}. 1 3600 600 86400 60
_redirect.{name}. TXT "v=txtv0;to={target}"
"""
NGINX = """
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/nginx.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi; uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  server {{
    listen 127.0.0.1:{port} ssl http2; server_name {name}; return 302 {target};
    ssl_certificate {folder}/fullchain.pem; ssl_certificate_key {folder}/privkey.pem;
    ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on; ssl_ecdh_curve X25519:prime256v1;
  }}
}}
"""


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        sys.exit(f"handshakes.py: {name} is needed and not installed")
    return path


def pinned(core, *argv):
    return ["taskset", "-c", core, *argv]


def start_nginx(stack, directory, folder):
    port = free_port()
    path = directory / "nginx.conf"
    path.write_text(
        NGINX.format(directory=directory, port=port, name=NAME, target=TARGET, folder=folder)
    )
    argv = pinned(SERVER_CORE, program("nginx"), "-p", str(directory), "-c", str(path))
    return port, stack.enter_context(Process(argv, name="nginx"))


def start_signpost(stack, binary, directory, folder):
    port = free_port()
    (directory / "zone").write_text(ZONE.format(name=NAME, target=TARGET))
    config = {
        "listen": [{"address": f"127.0.0.1:{port}", "tls": True}],
        "threads": 1,
        "dns": {"zones": [str(directory / "zone")]},
        "tls": {"certificates": str(folder.parent)},
        "log": {"level": "error", "access": "off"},
    }
    path = directory / "signpost.json"
    path.write_text(json.dumps(config))
    argv = pinned(SERVER_CORE, binary, "serve", "--config", str(path))
    running = stack.enter_context(Process(argv, name="signpost"))
    if running.wait_line(lambda line: line == "ready") is None:
        raise ProcessError(f"signpost did not become ready\n{running.err_text}")
    return port, running


def redirects(port):
    try:
        got = http1.fetch(Tls("127.0.0.1", port, NAME), NAME, "/")
    except (OSError, http1.HttpError):
        return False
    return got.status == 302 and got.location == TARGET


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure(server, kind, options):
    """Handshakes for each second of the server's processor time."""
    port, running = server
    before = processor_seconds(running.popen.pid)
    argv = pinned(CLIENT_CORE, options.client, "127.0.0.1", str(port), NAME, str(options.threads))
    argv += [str(options.seconds), kind]
    figures = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    spent = processor_seconds(running.popen.pid) - before
    expected = figures["done"] if kind == "resumed" else 0
    if figures["failed"] or figures["resumed"] != expected or spent == 0:
        sys.exit(f"handshakes.py: {running.name}, {kind}: {figures}, {spent} s")
    return figures["done"] / spent, figures["done"] / options.seconds


def run_rounds(servers, options):
    samples = {kind: {name: [] for name in servers} for kind in ("full", "resumed")}
    names = list(servers)
    for number in range(options.rounds):
        for kind in samples:
            for name in names if number % 2 == 0 else names[::-1]:
                sample = measure(servers[name], kind, options)
                samples[kind][name].append(sample)
                print(
                    f"round {number + 1}: {kind}, {name}: {sample[0]:,.0f}/s of processor time,"
                    f" {sample[1]:,.0f}/s",
                    file=sys.stderr,
                )
    return samples


def print_table(samples, options):
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; TLS 1.3, X25519, "
        f"ECDSA P-256; {options.rounds} rounds of {options.seconds} s; medians"
    )
    print(f"{'handshake':<10} {'signpost':>10} {'nginx':>10}   per second and core, and ratio")
    for kind, by_name in samples.items():
        ours = [sample[0] for sample in by_name["signpost"]]
        theirs = [sample[0] for sample in by_name["nginx"]]
        ratios = [one / other for one, other in zip(ours, theirs)]
        print(
            f"{kind:<10} {statistics.median(ours):>10,.0f} {statistics.median(theirs):>10,.0f}"
            f"   {statistics.median(ratios):.2f} [{min(ratios):.2f} … {max(ratios):.2f}]"
        )


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "binary",
        nargs="?",
        default=os.environ.get("SIGNPOST_BINARY") or str(ROOT / "build" / "signpost"),
        help="a release build of signpost",
    )
    parser.add_argument(
        "--client", help="the client; default: tests/e2e/handshakes beside the binary"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each measurement")
    parser.add_argument("--threads", type=int, default=8, help="of the client")
    parser.add_argument("--json", metavar="FILE", help="also write every figure there")
    options = parser.parse_args()
    options.client = options.client or str(Path(options.binary).parent / "tests/e2e/handshakes")
    for path in (options.binary, options.client):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is no program; build it first, with SIGNPOST_TESTS")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("two cores are needed: one for the server, one for the load")
    return options


def main():
    options = read_options()
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signpost-bench-")))
        folder = directory / "certificates" / NAME
        make_certificate(folder, NAME)
        servers = {
            "nginx": start_nginx(stack, directory, folder),
            "signpost": start_signpost(stack, options.binary, directory, folder),
        }
        for name, (port, _) in servers.items():
            if not wait_until(lambda port=port: redirects(port), timeout=20):
                sys.exit(f"handshakes.py: {name} does not redirect")
        samples = run_rounds(servers, options)
    print_table(samples, options)
    if options.json:
        Path(options.json).write_text(json.dumps(samples, indent=2))


if __name__ == "__main__":
    main()
