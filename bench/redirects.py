#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests per second of signpost, with its cache and without, beside `return 302` of nginx and
`redirect` of h2o; HTTP/1.1 and HTTP/2, access log off and on, measured by `signpost load` and by wrk.

One worker each, on one core; the generator is on another, the resolver (Unbound, its answers in
memory) on a third where there is one. The servers are measured in turn, round after round, so that what
else the machine does meets all of them; what counts is the median of the ratios within a round, not
the rates themselves. It reports, and judges nothing: exit status 1 means that it could not measure."""

import argparse
import contextlib
import datetime
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from generators import GeneratorError, Generators
from servers import HOSTS, STARTERS, ProcessError, Stage, start, versions
from tables import markdown

ROOT = Path(__file__).resolve().parents[1]


def processor():
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def series_of(options):
    h1 = f"{options.connections} connections"
    h2 = f"{options.http2_connections} connections × {options.streams} streams"
    rows = [
        ("HTTP/1.1", "1.1", "signpost load", h1),
        ("HTTP/1.1, wrk", "1.1", "wrk", h1),
        ("HTTP/2", "2", "signpost load", h2),
    ]
    return [
        {"title": title, "http": http, "generator": generator, "shape": shape, "samples": {}}
        for title, http, generator, shape in rows
    ]


def run_round(number, series, servers, measure):
    """Each server once; the order turns by one each round."""
    turn = number % len(servers)
    for server in servers[turn:] + servers[:turn]:
        sample = measure(series, server)
        series["samples"].setdefault(server.key, []).append(sample)
        print(
            f"round {number + 1}, {series['title']}: {server.key} {sample['rate']:,.0f}/s",
            file=sys.stderr,
            flush=True,
        )


def run(options, directory, stack):
    stage = Stage(stack, directory, options.binary, options.server_core, options.resolver_core)
    servers = start(stage, options.servers)
    generators = Generators(directory, options.binary, options.client_core, options)
    all_series = series_of(options)
    for series in all_series:  # fills caches, ours and the kernel's
        for server in servers:
            generators.measure(series, server, stage.resolver, 1)

    def measure(series, server):
        return generators.measure(series, server, stage.resolver, options.seconds)

    for number in range(options.rounds):
        for series in all_series:
            run_round(number, series, servers, measure)
    named = [{"key": s.key, "title": s.title, "base": s.base} for s in servers]
    return {"servers": named, "series": all_series}


def describe(options):
    """All that a reader needs to repeat it."""
    return {
        "kind": "signpost-bench",
        "format": 1,
        "started": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "kernel": platform.release(),
            "load": os.getloadavg(),
        },
        "versions": versions(options.binary),
        "options": {
            "rounds": options.rounds,
            "seconds": options.seconds,
            "hosts": HOSTS,
            "connections": options.connections,
            "http2_connections": options.http2_connections,
            "streams": options.streams,
            "cores": [options.server_core, options.client_core, options.resolver_core],
        },
    }


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    default = os.environ.get("SIGNPOST_BINARY") or str(ROOT / "build" / "signpost")
    parser.add_argument("binary", nargs="?", default=default, help="a release build of signpost")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--seconds", type=positive, default=5, help="of each measurement")
    parser.add_argument("--connections", type=positive, default=64, help="of HTTP/1.1")
    parser.add_argument("--http2-connections", type=positive, default=16)
    parser.add_argument("--streams", type=positive, default=16, help="on each HTTP/2 connection")
    parser.add_argument(
        "--servers",
        type=lambda text: text.split(","),
        default=list(STARTERS),
        metavar="KEY,...",
        help="some of " + ", ".join(STARTERS) + "; nginx alone compares the generators",
    )
    parser.add_argument("--out", metavar="FOLDER", help="keep redirects.json and redirects.md there")
    parser.add_argument("--quick", action="store_true", help="one round of a second")
    parser.add_argument("--report", metavar="FILE", help="print the tables of a redirects.json")
    options = parser.parse_args()
    if unknown := set(options.servers) - set(STARTERS):
        parser.error(f"unknown server {min(unknown)}; there are {', '.join(STARTERS)}")
    if options.quick:
        options.rounds, options.seconds = 1, 1
    if not options.report:
        options.binary = str(Path(options.binary).resolve())
        if not os.access(options.binary, os.X_OK):
            parser.error(f"{options.binary} is no program; build it first")
        choose_cores(parser, options)
    return options


def choose_cores(parser, options):
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        parser.error("two cores are needed: one for the server, one for the load")
    options.server_core, options.client_core = cores[:2]
    options.resolver_core = cores[2] if len(cores) > 2 else cores[1]


def keep(report, text, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "redirects.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    (folder / "redirects.md").write_text(text)
    print(f"kept in {folder}: redirects.json, redirects.md", file=sys.stderr)


def main():
    options = read_options()
    if options.report:
        print(markdown(json.loads(Path(options.report).read_text("utf-8"))), end="")
        return 0
    report = describe(options)
    try:
        with contextlib.ExitStack() as stack:
            temporary = tempfile.TemporaryDirectory(prefix="signpost-bench-")
            report.update(run(options, Path(stack.enter_context(temporary)), stack))
    except (GeneratorError, ProcessError) as error:
        print(f"redirects.py: {error}", file=sys.stderr)
        return 1
    text = markdown(report)
    print(text, end="")
    if options.out:
        keep(report, text, Path(options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
